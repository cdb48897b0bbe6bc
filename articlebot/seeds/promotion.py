"""A promoted candidate's job file, written so that a crawl never reads half of one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from articlebot.errors import RefusedError
from articlebot.jobs import Job
from articlebot.jobs.files import load
from articlebot.seeds.candidates import Candidate
from articlebot.seeds.jobblock import Entry, SiteSeeds, block, job_name
from articlebot.urls import site

_SLUG = re.compile(r"[^\w.-]+")


def existing_jobs(paths: Iterable[Path]) -> list[Job]:
    """The jobs of some files and folders; a folder that is missing or empty has none.

    Raises:
        JobFileError: a file is wrong.
    """
    found = []
    for path in paths:
        if path.is_dir() and not any(path.rglob("*.toml")):
            continue
        if path.exists():
            found.append(path)
    return load(found) if found else []


def job_block(candidate: Candidate, jobs: Iterable[Job], topic: Path | None = None) -> tuple[str, str]:
    """The name and the block of a candidate's job.

    Args:
        jobs: those there are; their names are taken, and no site is followed twice.
        topic: topic file that the job's articles have to belong to.

    Raises:
        RefusedError: it has no entry page (``no_entries``), or a job follows it (``followed``).
    """
    if not candidate.entries:
        raise RefusedError("no_entries", f"{candidate.key} has no entry page that is known")
    known = list(jobs)
    for job in known:
        urls = set(job.addresses)
        same = candidate.kind == "site" and site(candidate.url) in {site(url) for url in urls}
        if same or any(entry.url in urls for entry in candidate.entries):
            raise RefusedError("followed", f"{candidate.key} is followed by the job {job.name!r} already")
    name = _free(_name(candidate), {job.name for job in known})
    text = block(_found(candidate), name=name, topic=str(topic.resolve()) if topic else None, why=candidate.reason)
    return name, text


def write_job(folder: Path, name: str, text: str) -> Path:
    """Writes a job file that was read back as valid before it got its name.

    Raises:
        JobFileError: it would not be valid.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path, draft = folder / f"{name}.toml", folder / f".{name}.toml.new"
    draft.write_text(text, encoding="utf-8")
    try:
        load([draft])
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def _found(candidate: Candidate) -> SiteSeeds:
    found = SiteSeeds(candidate.url, language=candidate.language, fetched=candidate.fetched)
    forms = {"feed": found.feeds, "list": found.list_pages, "sitemap": found.sitemaps}
    for entry in candidate.entries:
        forms[entry.form].append(Entry(entry.url, frozenset(), f"{entry.articles} articles"))
    return found


def _name(candidate: Candidate) -> str:
    name = job_name(candidate.url)
    path = _SLUG.sub("-", urlsplit(candidate.url).path).strip("-.") if candidate.kind == "list" else ""
    return f"{name}-{path}"[:60].rstrip("-.") if path else name[:60]


def _free(name: str, taken: set[str]) -> str:
    return next(one for one in (name, *(f"{name}-{n}" for n in range(2, len(taken) + 3))) if one not in taken)
