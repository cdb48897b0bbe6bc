"""The jobs of one crawl by name, and which links each of them takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from articlebot.errors import ConfigError, JobFileError, RefusedError
from articlebot.jobs.load import load
from articlebot.jobs.model import Job
from articlebot.urls import canonical_url, site, subdomain


class JobBook:
    """Enabled jobs by name."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = {job.name: job for job in jobs if job.enabled}

    @classmethod
    def from_argument(cls, jobs: str | None, url: str | None) -> JobBook:
        """The jobs of a spider's or command's arguments.

        Args:
            jobs: job files or folders, separated by commas.
            url: one list page, followed with every default.

        Raises:
            JobFileError: a file is wrong, or neither argument was given.
            ConfigError: the address is none.
        """
        if url:
            try:
                address = canonical_url(url if "://" in url else f"https://{url}")
            except RefusedError as error:
                raise ConfigError(f"{url}: expected an http or https address ({error.reason})") from None
            name = re.sub(r"[^\w.-]", "-", urlsplit(address).hostname or "site")
            return cls([Job(name=name, list_pages=(address,))])
        if not jobs:
            raise JobFileError("-a jobs", None, None, "expected a job file (-a jobs=FILE) or one address (-a url=URL)")
        return cls(load([Path(part) for part in jobs.split(",") if part]))

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs.values())

    def __len__(self) -> int:
        return len(self._jobs)

    def get(self, name: str) -> Job | None:
        """The job of a name, None where it is not (or no longer) in the job files."""
        return self._jobs.get(name)

    @cached_property
    def entry_urls(self) -> frozenset[str]:
        """Every list page, feed and sitemap; none of them is an article."""
        return frozenset(url for job in self for url, _ in job.entry_urls)

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


def is_article(job: Job, url: str) -> bool | None:
    """Whether the job's own pattern says that a URL is an article; None where it has none and must be judged."""
    if not job.article_pattern:
        return None
    return any(matcher.search(url) for matcher in _matchers(job.article_pattern))


@lru_cache(maxsize=65536)
def _matchers(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)
