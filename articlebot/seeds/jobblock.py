"""A site's entry pages as a block of a job file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from articlebot.jobs.model import Job


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry page that was found.

    Attributes:
        articles: addresses of the articles that it names now.
        note: what is said of it beside its address.
    """

    url: str
    articles: frozenset[str]
    note: str = ""

    @property
    def said(self) -> str:
        """The remark beside its address."""
        return f"{len(self.articles)} articles{self.note}" if self.articles else self.note


@dataclass(slots=True)
class SiteSeeds:
    """What was found of a site."""

    url: str
    language: str | None = None
    feeds: list[Entry] = field(default_factory=list)
    sitemaps: list[Entry] = field(default_factory=list)
    list_pages: list[Entry] = field(default_factory=list)
    hubs: list[str] = field(default_factory=list)
    fetched: int = 0
    problems: dict[str, int] = field(default_factory=dict)

    @property
    def entries(self) -> int:
        """How many entry pages were found."""
        return len(self.feeds) + len(self.sitemaps) + len(self.list_pages)


def chosen(entries: Sequence[Entry], known: set[str], *, most: int, least_new: int = 2) -> list[Entry]:
    """The entries that each add articles, the fullest first; ``known`` grows by what they name.

    Args:
        known: articles that other entry pages name already.
        most: how many are taken.
        least_new: articles that an entry must add; an entry page that repeats others only costs fetches.
    """
    left = list(entries)
    taken: list[Entry] = []
    while left and len(taken) < most:
        best = max(left, key=lambda entry: len(entry.articles - known))
        if len(best.articles - known) < least_new:
            break
        known |= best.articles
        taken.append(best)
        left.remove(best)
    return taken


def job_of(found: SiteSeeds) -> Job:
    """The job that follows a site by what was found of it.

    Raises:
        ValueError: nothing was found.
    """
    return Job(
        name=job_name(found.url),
        list_pages=tuple(entry.url for entry in found.list_pages),
        feeds=tuple(entry.url for entry in found.feeds),
        sitemaps=tuple(entry.url for entry in found.sitemaps),
        language=found.language,
    )


def job_name(url: str) -> str:
    """A job's name for a site: its host without www, with what a name may hold."""
    host = (urlsplit(url).netloc or "site").removeprefix("www.")
    return re.sub(r"[^\w.-]", "-", host)[:64].lstrip(".-") or "site"


def block(found: SiteSeeds, *, name: str = "", topic: str | None = None, why: str = "") -> str:
    """The block of a job file, with what was found as remarks.

    Args:
        name: the job's; absent: made of the site's.
        topic: a topic file for the job.
        why: a further remark.

    Raises:
        ValueError: nothing was found.
    """
    job = job_of(found)
    lines = [f"# {_remark(found.url)}: {found.fetched} pages looked at", *([f"# {_remark(why)}"] if why else [])]
    lines += ["[[site]]", f"name = {_text(name or job.name)}"]
    groups: Mapping[str, list[Entry]] = {
        "list_pages": found.list_pages, "feeds": found.feeds, "sitemaps": found.sitemaps,
    }  # fmt: skip
    for key, entries in groups.items():
        if entries:
            lines.append(f"{key} = [")
            lines += [f"    {_text(e.url)},  # {_remark(e.said)}" for e in entries]
            lines.append("]")
    if job.language:
        lines.append(f"language = {_text(job.language)}")
    if topic:
        lines.append(f"topic = {_text(topic)}")
    lines += [f"# WebSub hub: {_remark(hub)}" for hub in found.hubs]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _remark(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", " ", text)
