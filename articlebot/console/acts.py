"""What a person may have done: jobs are added, changed, paused and removed, pages visited, requests queued again.

Each act is the same as the command's of its name, and is kept with who asked for it.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from articlebot.actions import job_names
from articlebot.actions.frontier import queues_of, visit
from articlebot.alerts.searches import SavedSearch
from articlebot.console.opml import read_opml
from articlebot.console.sources import Sources
from articlebot.console.who import RedisChanges, Who
from articlebot.errors import ConfigError, RefusedError, UnknownError
from articlebot.frontier.quarantine import requeue
from articlebot.jobs.folder import Change
from articlebot.jobs.model import Job, name_at
from articlebot.jobs.taught import with_selector
from articlebot.runtime.followed import followed_last, no_more
from articlebot.runtime.found import save_search
from articlebot.seeds.jobblock import toml
from articlebot.urls import page_key, typed_url

_MOST_VISITS = 50
NO_FILES = "no job files are known: start the console with --jobs FOLDER"
# Keys that open other networks, or files of this machine.
_ADMIN = ("allow_private", "dictionary", "topic")


def _permit(who: Who, before: str, after: str) -> None:
    """Refuses a change of keys that reach beyond a job's sites to who may not make it."""
    if not who.may("admin") and (changed := _reaching(after) - _reaching(before)):
        key = next(iter(changed))[0]
        raise ConfigError(f"{key} reaches beyond the sites of the job: it needs a token with the role admin")


def _reaching(text: str) -> set[tuple[str, str]]:
    """Keys that reach beyond the sites, with their values; none of a text that is refused when it is written."""
    try:
        tables: list[Any] = [tomllib.loads(text)]
    except (ValueError, RecursionError):
        return set()
    found = set()
    for table in tables:  # which grows
        for key, value in table.items():
            inner = value if isinstance(value, list) else [value]
            tables += [one for one in inner if isinstance(one, dict)]
            if key in _ADMIN:
                found.add((key, repr(value)))
    return found


def _place(url: str) -> int:
    """A number that an address shares with those of the same page with or without TLS and www."""
    return page_key(url.replace("://www.", "://", 1))


class Acts:
    """The acts of one console; each raises ConfigError where it cannot be done, in words that say what to do.

    They raise StoreUnavailable or redis' own errors while a store is away.
    """

    def __init__(self, sources: Sources, changes: RedisChanges) -> None:
        self._sources, self.changes = sources, changes

    async def add(self, who: Who, site: str, name: str | None = None, **keys: Any) -> dict[str, Any]:
        """Follows a site by its address; workers look at it by themselves.

        Args:
            site: its address.
            name: of the job; made of the address where it is not given.
            keys: further keys of a job.

        Raises:
            ConfigError: a job follows it already: of two only one would get the articles.
        """
        address = typed_url(site)
        if (known := self._followed().get(_place(address))) is not None:
            raise ConfigError(f"job {known} follows {address} already")
        chosen = name or name_at(address)
        return await self._write(who, "add", chosen, "add", chosen, toml({"name": chosen, "site": address, **keys}, {}))

    async def follow_opml(self, who: Who, document: bytes) -> dict[str, Any]:
        """Follows the sites of an OPML document: names of jobs ``added`` and ``known``, and ``refused`` with reasons.

        Raises:
            ConfigError: it is no OPML document, or names no site.
        """
        followed = self._followed().keys()
        found, refused = read_opml(document)
        added, known = [], []
        for name, keys in found.items():
            if followed & set(map(_place, (keys["site"], *keys.get("feeds", ())))):
                known.append(name)
                continue
            try:
                added.append((await self.add(who, name=name, **keys))["job"])
            except (ConfigError, RefusedError) as error:
                refused[name] = str(error)
        return {"added": added, "known": known, "refused": refused}

    async def edit(self, who: Who, name: str, text: str, was: str | None = None) -> dict[str, Any]:
        """Gives a job another block of its file; ``was`` as of ``JobFolder.edit``."""
        if self._sources.folder is not None:
            _permit(who, await asyncio.to_thread(self._sources.folder.text, name), text)
        return await self._write(who, "edit", name, "edit", name, text, was)

    async def block(self, name: str) -> str:
        """A job's block of its file."""
        if self._sources.folder is None:
            raise ConfigError(NO_FILES)
        return await asyncio.to_thread(self._sources.folder.text, name)

    async def teach(self, who: Who, job: Job, field: str, selector: str, was: str) -> dict[str, Any]:
        """Gives a job a selector of a field, in its block of the job file; ``was`` as of ``JobFolder.edit``."""
        text = await self.block(job.name)
        inherited = {} if job.selectors is None else job.selectors.model_dump(mode="json", exclude_defaults=True)
        taught = with_selector(text, field, selector, inherited)
        return await self._write(who, "teach", job.name, "edit", job.name, taught, was, field=field, selector=selector)

    async def correct(self, who: Who, job: Job, site: str) -> None:
        """Gives archived articles the author and date that the job's selectors read on their stored pages."""
        now = self._sources.runtime.now()
        number = await asyncio.to_thread(self._sources.teaching.correct, job, site, now)
        if number:
            await self.changes.note(who, "correct", job.name, now, articles=number)

    async def remove(self, who: Who, name: str) -> dict[str, Any]:
        """Takes a job out of its file: its pages are not visited any more, its articles stay."""
        done = await self._write(who, "remove", name, "remove", name)
        await self._sources.runtime.pauses.resume(name)
        await no_more(self._sources.runtime, [name])
        return done

    async def undo(self, who: Who, identity: str) -> dict[str, Any]:
        """Takes a change of a job file back."""
        kept = await self.changes.get(identity)
        if kept is None or "path" not in kept:
            raise UnknownError(f"no change of a job file has the id {identity}")
        change = Change(kept["path"], kept["before"], kept["after"])
        _permit(who, change.after or "", change.before or "")
        return await self._write(who, f"undo {kept['did']}", kept["about"], "undo", change)

    async def pause(self, who: Who, name: str, *, paused: bool) -> dict[str, Any]:
        """Holds a job back, or follows it again, on all workers."""
        runtime = self._sources.runtime
        [row] = await (job_names.pause if paused else job_names.resume)([name], runtime, self._sources.book.every)
        if row["paused"] != row["was_paused"]:
            await self.changes.note(who, "pause" if paused else "resume", name, runtime.now())
        return row

    async def visit(self, who: Who, urls: Sequence[str]) -> list[dict[str, str]]:
        """Has pages visited at once."""
        if not 0 < len(urls) <= _MOST_VISITS:
            raise ConfigError(f"expected 1 to {_MOST_VISITS} addresses")
        runtime = self._sources.runtime
        rows = await visit(runtime, self._sources.start_key, [typed_url(url) for url in urls])
        await self.changes.note(who, "visit", ", ".join(row["url"] for row in rows), runtime.now())
        return rows

    async def visit_job(self, who: Who, name: str) -> list[dict[str, str]]:
        """Has the entry pages of a job visited at once."""
        book = await followed_last(self._sources.runtime)
        job = book.get(name)
        if job is None:
            raise UnknownError(f"no crawl has followed a job {name!r} so far; it is visited when one does")
        return await self.visit(who, [url for url, _ in job.entry_urls][:_MOST_VISITS])

    async def requeue(self, who: Who, names: Sequence[str] | None) -> int:
        """Queues requests of the quarantine again, None for all; returns how many there were."""
        runtime = self._sources.runtime
        try:
            queued = sum([await requeue(queue, names) for queue in await queues_of(runtime.frontier)])
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if queued:
            await self.changes.note(who, "requeue", f"{queued} requests", runtime.now())
        return queued

    async def save_search(self, who: Who, search: SavedSearch) -> None:
        """Keeps a search under its name; people are told of what is archived from now on."""
        runtime = self._sources.runtime
        await save_search(runtime, search)
        await self.changes.note(who, "save search", search.name, runtime.now())

    async def alert(self, who: Who, name: str, *, on: bool) -> None:
        """Has people told of what a saved search finds from now on, or not any more."""
        search = await self._sources.runtime.searches.get(name)
        if search is None:
            raise UnknownError(f"there is no saved search {name!r}")
        await self.save_search(who, replace(search, alert=on))

    async def forget_search(self, who: Who, name: str) -> None:
        """Drops a saved search."""
        runtime = self._sources.runtime
        if not await runtime.searches.forget(name):
            raise UnknownError(f"there is no saved search {name!r}")
        await self.changes.note(who, "forget search", name, runtime.now())

    def _followed(self) -> dict[int, str]:
        """The jobs that follow an address, by its place."""
        every = self._sources.book.every.values()
        return {_place(url): one.name for one in every for url in (one.site, *one.addresses) if url}

    async def _write(self, who: Who, did: str, name: str, method: str, *given: Any, **more: str) -> dict[str, Any]:
        folder = self._sources.folder
        if folder is None:
            raise ConfigError(NO_FILES)
        change: Change = await asyncio.to_thread(getattr(folder, method), *given)
        kept = {"path": change.path, "before": change.before, "after": change.after, **more}
        now = self._sources.runtime.now()
        identity = await self.changes.note(who, did, name, now, **kept)
        await self._sources.follow_files()
        return {"id": identity, "job": name, "did": did, "who": who.name, "at": now}
