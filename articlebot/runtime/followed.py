"""Which jobs are followed, for whoever has not read their files."""

from __future__ import annotations

from collections.abc import Collection

from articlebot.alerts.store import OF_JOBS
from articlebot.jobs.book import JobBook
from articlebot.runtime.runtime import Runtime


async def followed_last(runtime: Runtime) -> JobBook:
    """The jobs as the last crawls followed them, with what looks have found."""
    found = await runtime.looks.all()
    return JobBook(await runtime.stated.all(), found={name: one.keys for name, one in found.items()})


async def note_files(runtime: Runtime, place: str, names: Collection[str]) -> None:
    """Notes which jobs some files have; of those that they had before nobody is told any more that they are ill."""
    await no_more(runtime, await runtime.stated.gone(place, names))
    await runtime.stated.note_files(place, names)


async def no_more(runtime: Runtime, names: Collection[str]) -> None:
    """Drops what was wrong with jobs, which are followed no more."""
    for name in names:
        await runtime.looks.forget_failure(name)
    await runtime.diagnosis.pasts.clear(names)
    for kind in OF_JOBS:
        await runtime.alerts.forget(kind, names)
