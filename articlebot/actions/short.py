"""What falls short of a site and is no fault: told by ``scrapy status``, which would call it healthy."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from articlebot.diagnosis import Coverage, Past
from articlebot.runtime import Runtime
from articlebot.seeds.jobblock import NOT_BACK
from articlebot.urls import page_key

# Jobs that are asked about, lines that are shown, and jobs that one names.
_MOST_JOBS, MOST_TOLD = 2000, 8
_MOST_NAMED = 5
# Fewer of the pages that a site's lists, feeds and sitemaps name are articles; told from so many pages on.
_MANY, _LEAST_PAGES = 0.5, 10
# Failures in a row of an entry page; a site that is away for a moment has as many in some minutes.
_MOST_FAILURES = 4
# Before what the last run said of a job: its figures, a full stop, what would help.
_RUN = "the last run came to this: "
# Keys of what a look has found that name entry pages.
_ENTRIES = ("feeds", "sitemaps", "list_pages")


async def falls_short(runtime: Runtime, jobs: Collection[str]) -> dict[str, list[str]]:
    """What there is to say of jobs that work, by job.

    Raises:
        redis.RedisError: Redis is away.
    """
    names, last = sorted(jobs)[:_MOST_JOBS], _last_run(runtime)
    looks, pasts = await runtime.looks.get(names), await runtime.diagnosis.pasts.get(names)
    failing = await _failing(runtime, {name: looks[name].keys for name in names if name in looks})
    told: dict[str, list[str]] = {}
    for name in names:
        share, said = _share(pasts[name]), failing.get(name, [])
        said += [f"{_RUN}{last[name]}"] if name in last else []
        if not said and share is not None and share < _MANY:
            said.append(
                f"{share:.0%} of the new pages that it names are articles: scrapy crawl says at its end why the others "
                "are none, scrapy explain URL why one is"
            )
        if not said and name in looks and not looks[name].report.get("reaches_back", True):
            said.append(NOT_BACK)
        if said:
            told[name] = said
    return told


def alike(short: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for all the jobs of which the same is said, or that the same would help; the most jobs first."""
    jobs: dict[str, list[tuple[str, str]]] = {}
    for job, said in short.items():
        for one in said:
            common = _RUN + one.partition(". ")[2] if one.startswith(_RUN) else one
            jobs.setdefault(common, []).append((job, one))
    return [
        f"{_named([job for job, _ in told])}: {told[0][1] if len(told) == 1 else common}"
        for common, told in sorted(jobs.items(), key=lambda one: -len(one[1]))
    ]


def _named(names: Sequence[str]) -> str:
    others = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {others:,} more" if others > 0 else "")


async def _failing(runtime: Runtime, keys: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """The entry pages that do not come any more, though others of their jobs may, by job."""
    urls = [(name, url) for name, one in keys.items() for key in _ENTRIES for url in one.get(key, ())]
    lost: dict[str, list[str]] = {}
    for (name, url), record in zip(urls, await runtime.pages.get([page_key(url) for _, url in urls]), strict=True):
        if record is not None and record.state.failures >= _MOST_FAILURES:
            said = f"{url} failed {record.state.failures} times in a row; scrapy explain {url} says how"
            lost.setdefault(name, []).append(said)
    return {name: said[:2] for name, said in lost.items()}


def _last_run(runtime: Runtime) -> dict[str, str]:
    """What the last run said of the jobs of which not everything was found."""
    try:
        covered = [Coverage(**one) for one in json.loads(runtime.last_run.read_text(encoding="utf-8"))["coverage"]]
    except (OSError, ValueError, KeyError, TypeError):  # told of by those who read all of it
        return {}
    return {one.job: one.said().removeprefix(f"{one.job}: ") for one in covered if one.advice}


def _share(past: Past) -> float | None:
    """The usual share of articles among a job's new pages; None where too few were visited to tell."""
    if past.usual_share is not None:
        return past.usual_share
    return past.read / past.tried if past.tried >= _LEAST_PAGES else None


def silence(one: Mapping[str, Any], now: float) -> str:
    """What there is to say of a host that does not answer."""
    at = one["next_probe_at"]
    probe = "asked at this moment" if at is None else f"asked again in {max(0.0, at - now):,.0f} s"
    return f"{one['host']}: {one['fault']} for {now - one['since']:,.0f} s, {one['queued']:,} queued, {probe}"


def refusal(slot: Mapping[str, Any], now: float) -> str:
    """What there is to say of a host that refuses for haste or load."""
    wait = max(0.0, (slot["free_at"] or now) - now)
    return (
        f"{slot['name']} answers 429 or 503, as a site does that is asked too often, or is down: "
        f"{slot['queued']:,} queued, asked again in {wait:,.0f} s"
    )
