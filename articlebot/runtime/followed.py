"""Which jobs are followed, for whoever has not read their files."""

from __future__ import annotations

from articlebot.jobs.book import JobBook
from articlebot.runtime.runtime import Runtime


async def followed_last(runtime: Runtime) -> JobBook:
    """The jobs as the last crawls followed them, with what looks have found."""
    found = await runtime.looks.all()
    return JobBook(await runtime.stated.all(), found={name: one.keys for name, one in found.items()})
