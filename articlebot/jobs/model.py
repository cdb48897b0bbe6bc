"""The job model: every key a job file may hold, with its type, bounds and default."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlsplit
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, model_validator

from articlebot.jobs.hours import Window, next_opening
from articlebot.jobs.values import (
    ArticleUrl,
    Backfill,
    Decimal,
    Domain,
    Duration,
    Listed,
    Regex,
    Region,
    Site,
    Truth,
    Url,
    Whole,
    Zone,
)
from articlebot.text.zones import told_zone
from articlebot.urls import site, subdomain

# What policies begin with that have no prior of their own, where a job states no interval; seconds.
USUAL_INTERVAL = 1800.0
# How addresses of feeds and sitemaps end, as generators of sites name them.
_SITEMAP = re.compile(r"\.(?:xml|txt)(?:\.gz)?\Z", re.I)
_FEED = re.compile(r"\.(?:xml|rss|atom|rdf)\Z|(?:\A|[/._-])(?:feed|rss|atom)(?:/|\.(?:php|json|aspx?)|\d?\Z)", re.I)


def name_from(text: str) -> str:
    """A name that a job may have, made of a host or another text."""
    return re.sub(r"[^\w.-]", "-", text)[:64].lstrip(".-") or "site"


def name_at(address: str) -> str:
    """The name of a job for what is at an address, where none is given: its host."""
    return name_from(urlsplit(address).hostname or "")


def entry_of(address: str) -> str:
    """The key of a job for what is at an address, by its name; "" for that of a whole site."""
    path = urlsplit(address).path
    if "sitemap" in path.rpartition("/")[2].lower() and _SITEMAP.search(path):
        return "sitemaps"
    if _FEED.search(path):
        return "feeds"
    return "list_pages" if urlsplit(address).query else ""


def sent_as(url: str, forms: Sequence[str], json_forms: Sequence[str], ajax: Sequence[str]) -> str:
    """As what the query of an address is sent by POST, "form" or "json"; "ajax": it is asked for as scripts ask.

    Returns:
        Behind it the parameters that the address keeps, "form?s=/news/list", where it is listed with such; "" where
        it is asked for as it is.
    """
    if any(_is_page_of(url, one) for one in ajax):
        return "ajax"
    for how, listed in (("form", forms), ("json", json_forms)):
        for one in sorted(listed, key=len, reverse=True):
            if _begins_with(url, one):
                return how + one[len(one.partition("?")[0]) :]
    return ""


def _begins_with(url: str, listed: str) -> bool:
    """Whether an address is a listed one with more parameters; in which way they are written differs."""
    (bare, _, query), (other, _, own) = url.partition("?"), listed.partition("?")
    pairs = parse_qsl(own, keep_blank_values=True)
    return bare == other and parse_qsl(query, keep_blank_values=True)[: len(pairs)] == pairs


def _is_page_of(url: str, listed: str) -> bool:
    """Whether an address differs in numbers or in its query alone; one with a query says nothing of one without."""
    (bare, mark, _), (other, asks, _) = url.partition("?"), listed.partition("?")
    return mark >= asks and re.sub(r"\d+", "", bare) == re.sub(r"\d+", "", other)


class Selectors(BaseModel):
    """Hand-written XPath or CSS for parts of an article; each wins over what was learned."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Region | None = None
    body: Region | None = None
    author: Region | None = None
    date: Region | None = None
    source: Region | None = None
    cut: Annotated[tuple[Region, ...], Listed] = ()


class Job(BaseModel):
    """One site to follow: by its entry pages, or by its address alone, whose entry pages the first visit finds.

    Intervals and delays are seconds; ``interval`` is where a list page's recrawl interval begins, None leaves it to
    the recrawl policy. ``timezone`` None is told from the site. A link is taken when it is on the job's own site or in
    ``allowed_domains``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^\w[\w.-]*$", max_length=64)
    site: Site | None = Field(None, description="an address that is looked at for what is not stated")
    list_pages: Annotated[tuple[Url, ...], Listed] = ()
    feeds: Annotated[tuple[Url, ...], Listed] = ()
    sitemaps: Annotated[tuple[Url, ...], Listed] = ()
    archives: Annotated[tuple[Url, ...], Listed] = ()
    backfill: Backfill | None = None
    forms: Annotated[tuple[Url, ...], Listed] = ()
    json_forms: Annotated[tuple[Url, ...], Listed] = ()
    ajax: Annotated[tuple[Url, ...], Listed] = ()
    rendered: Annotated[tuple[Url, ...], Listed] = ()
    browser: Truth = Field(True, description="whether pages that are empty without scripts may be shown in a browser")
    neighbours: Truth = Field(False, description="articles before and after one, where its page names them")
    article_url: ArticleUrl | None = None
    article_data: ArticleUrl | None = None
    regions: Annotated[tuple[Region, ...], Listed] = ()
    article_pattern: Annotated[tuple[Regex, ...], Listed] = ()
    article_exclude: Annotated[tuple[Regex, ...], Listed] = ()
    allowed_domains: Annotated[tuple[Domain, ...], Listed] = ()
    interval: Annotated[Duration, Field(gt=0, le=31 * 86400)] | None = None
    min_interval: Annotated[Duration, Field(gt=0, le=31 * 86400)] | None = None
    max_interval: Annotated[Duration, Field(gt=0, le=366 * 86400)] | None = None
    budget: Annotated[Decimal, Field(gt=0, description="fetches an hour")] | None = None
    freshness: Annotated[Duration, Field(gt=0, le=31 * 86400)] | None = None
    windows: tuple[Window, ...] = ()
    timezone: Zone | None = None
    priority: Annotated[Whole, Field(ge=-100, le=100)] = 0
    category: str | None = Field(None, max_length=64)
    language: str | None = Field(None, pattern=r"^[a-z]{2,3}$")
    depth: Whole = Field(1, ge=1, le=20, description="links followed from a list page")
    max_pages: Whole = Field(50, ge=1, le=50, description="pages of one article that are joined")
    delay: Annotated[Duration, Field(ge=0, le=3600)] | None = None
    identity: Literal["honest", "browser"] = "honest"
    proxies: Truth | Literal["required"] = False
    robots: Truth = True
    consent: Literal["given", "accept", "never"] = "given"
    recrawl_articles: Truth = True
    keywords: Annotated[tuple[str, ...], Listed] = ()
    topic: str | None = Field(None, description="a topic file for relevance")
    dictionary: str | None = Field(None, description="a file of names that stay whole words")
    sinks: Annotated[tuple[str, ...], Listed] = ()
    allow_private: Truth = False
    enabled: Truth = True
    group: str | None = Field(None, description="the [group.NAME] whose keys it shares")
    selectors: Selectors | None = None

    @model_validator(mode="after")
    def _check(self) -> Job:
        if not (self.site or self.list_pages or self.feeds or self.sitemaps):
            raise ValueError("expected site, or at least one of list_pages, feeds, sitemaps")
        low, high = self.bounds
        if self.interval is None and low > high:
            raise ValueError(f"expected min_interval <= max_interval, not {low} <= {high}")
        if self.interval is not None and not low <= self.interval <= high:
            raise ValueError(
                f"expected min_interval <= interval <= max_interval, not {low} <= {self.interval} <= {high}"
            )
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and greatest recrawl interval of the list pages, seconds."""
        low, high, usual = self.min_interval, self.max_interval, self.interval or USUAL_INTERVAL
        if low is None:
            low = usual / 16 if high is None or self.interval else min(usual / 16, high)
        if high is None:
            high = max(usual * 48, 86400.0, low)
        return low, high

    def begins_with(self, interval: float | None = None) -> float:
        """The interval that a list page begins with, within the bounds, seconds.

        Args:
            interval: what was learned for the job, None: what it states, else the usual one.
        """
        low, high = self.bounds
        return min(max(interval or self.interval or USUAL_INTERVAL, low), high)

    @property
    def stated_zone(self) -> ZoneInfo | None:
        """The zone that it states, which wins over what its pages tell."""
        return None if self.timezone is None else ZoneInfo(self.timezone)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The zone of its hours: what it states, else what the domains of its pages or its language tell, else UTC."""
        if self.stated_zone is not None:
            return self.stated_zone
        hosts = (subdomain(url) for url in self.addresses)
        return next(filter(None, (told_zone(host, self.language) for host in hosts)), ZoneInfo("UTC"))

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address that says which sites it is about; one at least."""
        own = () if self.site is None else (self.site,)
        return (*own, *self.list_pages, *self.feeds, *self.sitemaps, *self.archives)

    def completed(self, found: Mapping[str, Any]) -> Job:
        """The job with what a look at its site has found; what it states itself wins.

        The language that a look has found is that of the home page: each article tells its own.

        Args:
            found: values by key.
        """
        stated = self.model_dump(exclude_unset=True)
        return Job.model_validate({**{key: value for key, value in found.items() if key != "language"}, **stated})

    @cached_property
    def entry_urls(self) -> tuple[tuple[str, Literal["list", "feed", "sitemap"]], ...]:
        """What is visited again and again for new links, with its kind."""
        return (
            *((url, "list") for url in self.list_pages),
            *((url, "feed") for url in self.feeds),
            *((url, "sitemap") for url in self.sitemaps),
        )

    def sent_as(self, url: str) -> str:
        """How an address is asked for, see ``sent_as``."""
        return sent_as(url, self.forms, self.json_forms, self.ajax)

    def opens(self, now: float) -> bool:
        """Whether ``now`` lies in one of the time windows; always, when there are none."""
        if not self.windows:
            return True
        at = datetime.fromtimestamp(now, self.zone)
        return any(window.opens(at) for window in self.windows)

    def closed_for(self, now: float) -> float:
        """Seconds until one of the time windows opens; 0 where one is open, or there are none."""
        return 0.0 if self.opens(now) else next_opening(self.windows, self.zone, now) - now

    def owns(self, url: str) -> bool:
        """Whether a canonical URL is on one of the job's sites or in ``allowed_domains``."""
        if site(url) in self.sites:
            return True
        host = subdomain(url) if self.allowed_domains else ""
        return any(host == domain or host.endswith("." + domain) for domain in self.allowed_domains)

    @cached_property
    def sites(self) -> frozenset[str]:
        """The sites of its entry pages."""
        return frozenset(site(url) for url in self.addresses)
