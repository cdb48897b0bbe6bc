"""What ``scrapy jobs`` does by name: pause, resume and forget a job, for all workers at once."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import Any

from articlebot.actions import base
from articlebot.actions.output import like
from articlebot.errors import ConfigError, UnknownError
from articlebot.frontier.forget import forget_job, unsee
from articlebot.jobs.pauses import RedisPauses
from articlebot.runtime import Runtime
from articlebot.runtime.followed import no_more
from articlebot.seeds.jobblock import toml
from articlebot.times import iso

# Workers look each 2 s; what is in flight then has ended too, but for a slow site's page.
_SETTLED_S = 10.0


# What `pause` and `resume` answer, by whether the job was paused before and is now.
_SAID = {
    (False, True): "paused", (True, True): "already paused",
    (True, False): "followed again", (False, False): "was not paused",
}  # fmt: skip


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Does one action for the jobs of these names."""
    act = {"pause": pause, "resume": resume, "forget": forget, "show": show}[command.action]
    rows = command.ask(lambda runtime: act(list(dict.fromkeys(args)), runtime))
    command.show(rows, lambda: "\n".join(map(_told, rows)), opts)


def _told(row: dict[str, Any]) -> str:
    if "toml" in row:
        return str(row["toml"]).rstrip()
    if "requests" in row:
        return f"{row['name']}: {row['requests']:,} queued requests and {row['pages']:,} pages are forgotten"
    return f"{row['name']}: {_SAID[row['was_paused'], row['paused']]}"


async def pause(names: list[str], runtime: Runtime, stated: Collection[str] = ()) -> list[dict[str, Any]]:
    """Pauses jobs; a row for each.

    Args:
        stated: names of job files, followed so far or not.

    Raises:
        ConfigError: a name is no job's; none is paused then.
    """
    pauses = await _known(names, runtime, stated)
    rows = []
    for name in names:
        new = await pauses.pause(name, runtime.now())
        rows.append({"name": name, "paused": True, "was_paused": not new})
    return rows


async def resume(names: list[str], runtime: Runtime, stated: Collection[str] = ()) -> list[dict[str, Any]]:
    """Ends pauses; a row for each job; ``stated`` as of ``pause``.

    Raises:
        ConfigError: a name is no job's; none is resumed then.
    """
    pauses = await _known(names, runtime, stated)
    return [{"name": name, "paused": False, "was_paused": await pauses.resume(name)} for name in names]


async def forget(names: list[str], runtime: Runtime) -> list[dict[str, Any]]:
    """Removes what is queued and known of paused jobs, and ends their pauses; a row for each.

    Raises:
        ConfigError: a name is no job's, or the job is not paused, or only just; nothing is removed then.
    """
    pauses = await _known(names, runtime)
    paused = await pauses.all()
    for name in names:
        if name not in paused:
            raise ConfigError(f"{name} is not paused: `scrapy jobs pause {name}` first, so that no worker works on it")
        if (left := paused[name] + _SETTLED_S - runtime.now()) > 0:
            raise ConfigError(
                f"{name} was paused just now, and workers may still be at its pages: again in {left:.0f} s"
            )
    await runtime.frontier.open()
    rows = []
    for name in names:
        requests = await forget_job(runtime.frontier, name)
        pages = await runtime.pages.forget_job(name)
        # Articles that are not visited again have no page state.
        await unsee(runtime.frontier, {*pages, *runtime.archive.keys_of_job(name)})
        await runtime.stated.forget(name)
        await runtime.looks.forget(name)
        await runtime.backfills.forget(name)
        await runtime.diagnosis.pasts.forget(name)
        await no_more(runtime, [name])
        await pauses.resume(name)
        rows.append({"name": name, "requests": requests, "pages": len(pages)})
    return rows


async def show(names: list[str], runtime: Runtime) -> list[dict[str, Any]]:
    """What was found of the sites of jobs, as the job file that would say it; a row for each.

    Raises:
        ConfigError: no site of a name was looked at.
    """
    looks = await runtime.looks.all()
    for name in names:
        if name not in looks:
            hint = like(name, looks, "there are: {}", "those of {} others were")
            raise ConfigError(f"the site of no job {name!r} was looked at; {hint}")
    rows = []
    for name in names:
        found = looks[name]
        head = [f"{found.site}: looked at {iso(found.at)}, {found.report.get('fetched', 0)} pages"]
        foot = [f"left out: {url}: {why}" for url, why in found.report.get("left_out", {}).items()]
        text = toml({"name": name, **found.keys}, found.why, head, foot)
        rows.append({"name": name, "site": found.site, "at": found.at, **found.keys, "why": found.why, "toml": text})
    return rows


async def _known(names: list[str], runtime: Runtime, stated: Collection[str] = ()) -> RedisPauses:
    """The pauses, where every name is stated, or a job's that some worker has followed."""
    pauses = runtime.pauses
    known = {*stated, *(await runtime.pages.counts(runtime.now())).by_job, *await pauses.all()}
    for name in names:
        if name not in known:
            hint = like(name, known, "there are: {}", "{} jobs are known")
            raise UnknownError(f"no job {name!r} was followed so far; {hint}")
    return pauses
