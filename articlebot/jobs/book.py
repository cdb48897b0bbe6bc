"""The jobs of one crawl by name, and which links each of them takes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from articlebot.errors import ConfigError, JobFileError
from articlebot.jobs.files import load
from articlebot.jobs.model import Job, entry_of, name_at
from articlebot.jobs.visit import META_KEY
from articlebot.urls import page_key, site, subdomain, typed_url

# Sent to Scrapy's signals with ``changes``, a ``Changes``, after the spider has its new book.
jobs_changed = object()
# Jobs that have left are kept for the pages that are in flight; so many at most, the last ones.
_MOST_FORMER = 1000
_MOST_NAMED = 10
# What keys of jobs that may be typed with an address are.
_EXPECTED = {
    "backfill": 'days such as "30d", a number of articles such as "1000", or "all"',
    "consent": "given, accept or never",
}


class JobBook:
    """Jobs by name. It never changes: a crawl whose jobs change gets another book (``succeeded_by``).

    Iterating gives the jobs that are followed: those that are enabled and not paused.

    Args:
        jobs: of the job files.
        paused: names of jobs that a command has paused.
        former: jobs that have left since the crawl began.
        found: what looks at the sites of jobs have found, as keys of jobs, by job.

    Attributes:
        typed: the address of a site that was typed instead of a job file, "" where none was.
    """

    typed = ""

    def __init__(
        self, jobs: Iterable[Job], paused: Collection[str] = (), former: Iterable[Job] = (),
        found: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:  # fmt: skip
        self._stated, self._found = {job.name: job for job in jobs}, dict(found or {})
        self._all = {name: self._whole(job) for name, job in self._stated.items()}
        self._jobs = {name: job for name, job in self._all.items() if job.enabled and name not in paused}
        self._former = {job.name: job for job in former if job.name not in self._all}

    def succeeded_by(self, jobs: Iterable[Job], paused: Collection[str]) -> JobBook:
        """The book of other jobs, which still knows those of this one."""
        former = [*self._former.values(), *self._all.values()][-_MOST_FORMER - len(self._all) :]
        return JobBook(jobs, paused, former, self._found)

    def knowing(self, found: Mapping[str, Mapping[str, Any]]) -> JobBook:
        """The same book, with what further looks have found."""
        return self._with({**self._found, **found}, found)

    def without(self, names: Collection[str]) -> JobBook:
        """The same book, without what looks have found of these jobs' sites."""
        return self._with({name: keys for name, keys in self._found.items() if name not in names}, names)

    def _with(self, found: dict[str, Mapping[str, Any]], names: Collection[str]) -> JobBook:
        """The same book where other things are known of the sites of these jobs; the rest is not made anew."""
        book = copy(self)
        book._found = found
        whole = {job.name: book._whole(job) for name in names if (job := self._stated.get(name)) is not None}
        elsewhere = any(job.sites != self._all[name].sites for name, job in whole.items())
        for name, made in vars(JobBook).items():
            if isinstance(made, cached_property) and (elsewhere or name != "_owned"):
                vars(book).pop(name, None)
        book._all, book._jobs = self._all | whole, self._jobs | {n: whole[n] for n in whole.keys() & self._jobs.keys()}
        return book

    def _whole(self, job: Job) -> Job:
        found = self._found.get(job.name)
        return job if job.site is None or found is None else job.completed(found)

    @property
    def stated(self) -> list[Job]:
        """The jobs as their files say them, without what looks have found."""
        return [*self._stated.values()]

    def found(self, name: str) -> Mapping[str, Any] | None:
        """What a look at a job's site has found, as keys of the job; None where there was none."""
        return self._found.get(name)

    @property
    def unseen(self) -> list[Job]:
        """The followed jobs with a site that nobody has looked at so far."""
        return [job for job in self if job.site is not None and job.name not in self._found]

    @property
    def every(self) -> Mapping[str, Job]:
        """The jobs of the job files by name, followed or not."""
        return self._all

    @classmethod
    def from_argument(
        cls, jobs: str | None, url: str | None, backfill: str | None = None, consent: str | None = None
    ) -> JobBook:
        """The jobs of a spider's or command's arguments.

        Args:
            jobs: job files or folders, separated by commas.
            url: the address of a site, which is looked at for its entry pages, or one list page, feed or sitemap of it.
            backfill, consent: as of a job, with ``url``.

        Raises:
            JobFileError: a file is wrong, or neither argument was given.
            ConfigError: the address is none, or both arguments were given.
        """
        typed = {key: value for key, value in (("backfill", backfill), ("consent", consent)) if value}
        if jobs and url:
            raise ConfigError(
                f"-a jobs={jobs} and -a url={url}: give one of the two, the jobs of a file or the site of one address"
            )
        if url:
            address = typed_url(url)
            name = name_at(address)
            where: dict[str, Any] = {key: [address]} if (key := entry_of(address)) else {"site": address}
            try:
                book = cls([Job.model_validate({"name": name, **where, **typed})])
                book.typed = address
                return book
            except ValidationError as error:
                for key in typed.keys() & {part for one in error.errors() for part in one["loc"]}:
                    raise ConfigError(f"-a {key}={typed[key]}: expected {_EXPECTED[key]}") from None
                raise
        for key in typed:
            raise ConfigError(f"-a {key}: is for -a url; a job of a file has a key {key}")
        return cls(load(paths_of(jobs)))

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs.values())

    def __len__(self) -> int:
        return len(self._jobs)

    def get(self, name: str) -> Job | None:
        """The job of a name, None where it never was in the job files.

        One that is paused or was removed is given too: pages of it are in flight, and are finished.
        """
        return self._all.get(name) or self._former.get(name)

    def follows(self, name: str) -> bool:
        """Whether pages of a job may be fetched now."""
        return name in self._jobs

    @cached_property
    def entry_urls(self) -> frozenset[str]:
        """Every list page, feed and sitemap of the job files; none of them is an article."""
        return frozenset(url for job in self._all.values() for url in (*job.addresses, *job.archives))

    @cached_property
    def entry_jobs(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the followed jobs that have an address as list page, feed or sitemap."""
        found: dict[str, tuple[str, ...]] = {}
        for job in self:
            for url, _ in job.entry_urls:
                found[url] = (*found.get(url, ()), job.name)
        return found

    @cached_property
    def shared(self) -> list[str]:
        """What is wrong where followed jobs have an entry page, or the site to look at, in common.

        Only one of them gets its links.
        """
        found: dict[int, tuple[str, list[str]]] = {}
        for job in self:
            for url in dict(job.entry_urls) or filter(None, [job.site]):
                found.setdefault(page_key(url), (url, []))[1].append(job.name)
        return [
            f"{url} is an entry page of the jobs {' and '.join(sorted(set(names)))}: only one of them gets its "
            "articles; leave it to one (site, list_pages, feeds, sitemaps)"
            for url, names in found.values()
            if len(set(names)) > 1
        ]

    def owners(self, url: str) -> list[Job]:
        """The jobs that own a canonical URL (``Job.owns``), in the book's order, found without asking each."""
        by_site, by_domain = self._owned
        found = set(by_site.get(site(url), ()))
        if by_domain:
            labels = subdomain(url).split(".")
            for start in range(len(labels)):
                found.update(by_domain.get(".".join(labels[start:]), ()))
        return [self._ordered[place] for place in sorted(found)]

    @cached_property
    def _ordered(self) -> tuple[Job, ...]:
        return tuple(self)

    @cached_property
    def _owned(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """Places in the book by site, and by allowed domain."""
        by_site: dict[str, list[int]] = {}
        by_domain: dict[str, list[int]] = {}
        for place, job in enumerate(self._ordered):
            for name in job.sites:
                by_site.setdefault(name, []).append(place)
            for name in job.allowed_domains:
                by_domain.setdefault(name, []).append(place)
        return by_site, by_domain

    def takes(self, job: Job, url: str) -> bool:
        """Whether a job may follow a canonical URL at all: on its site, not excluded, not an entry page."""
        if url in self.entry_urls or not job.owns(url):
            return False
        return not any(matcher.search(url) for matcher in _matchers(job.article_exclude))


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two books, by the jobs that are followed.

    Attributes:
        begun: followed now and not before: added, enabled, or resumed.
        changed: followed before and now, with something else in their file.
        ended: names of those that are followed no more: removed, disabled, or paused.
    """

    begun: tuple[Job, ...]
    changed: tuple[Job, ...]
    ended: tuple[str, ...]

    @classmethod
    def between(cls, before: JobBook, after: JobBook) -> Changes:
        """The changes from one book to another."""
        return cls(
            tuple(job for job in after if not before.follows(job.name)),
            tuple(job for job in after if before.follows(job.name) and before.get(job.name) != job),
            tuple(job.name for job in before if not after.follows(job.name)),
        )

    def __bool__(self) -> bool:
        return bool(self.begun or self.changed or self.ended)

    def __str__(self) -> str:
        told = {"followed": [job.name for job in self.begun], "changed": [job.name for job in self.changed],
                "not followed": self.ended}  # fmt: skip
        return "; ".join(f"{what}: {some_names(names)}" for what, names in told.items() if names)


def some_names(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    rest = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + rest


def is_article(job: Job, url: str) -> bool | None:
    """Whether the job's own pattern says that a URL is an article; None where it has none and must be judged."""
    if not job.article_pattern:
        return None
    return any(matcher.search(url) for matcher in _matchers(job.article_pattern))


def paths_of(jobs: str | None) -> list[Path]:
    """The files and folders of an argument, which separates them by commas.

    Raises:
        JobFileError: it names none.
    """
    paths = [Path(part) for part in (jobs or "").split(",") if part]
    if not paths:
        raise JobFileError("-a jobs", None, None, "expected a job file (-a jobs=FILE) or one address (-a url=URL)")
    return paths


@lru_cache(maxsize=65536)
def _matchers(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def followed_by(spider: object) -> JobBook | None:
    """The jobs that a spider follows; None where it is one that follows none."""
    book = getattr(spider, "book", None)
    return book if isinstance(book, JobBook) else None


def job_of(spider: object, meta: Mapping[str, Any]) -> Job | None:
    """The job of one of a spider's requests, by its meta; None where it is of none, as robots.txt."""
    book, kept = followed_by(spider), meta.get(META_KEY)
    return book.get(kept.get("job", "")) if book is not None and kept else None
