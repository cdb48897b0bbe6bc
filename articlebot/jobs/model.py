"""The job model: every key a job file may hold, with its type, bounds and default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, available_timezones

from cssselect import SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from articlebot.errors import RefusedError
from articlebot.text.zones import told_zone
from articlebot.urls import canonical_url, site, subdomain

_BACKFILL = re.compile(r"[1-9]\d{0,3}d|[1-9]\d{0,6}|all")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])")
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
# What policies begin with that have no prior of their own, where a job states no interval; seconds.
USUAL_INTERVAL = 1800.0
# A window that daylight saving time leaves out in one week opens in the next.
_DAYS_AHEAD = 15
DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _duration(value: Any) -> Any:
    if not isinstance(value, str | bool):
        return value
    match = None if isinstance(value, bool) else _DURATION.fullmatch(value.strip())
    if not match:
        raise ValueError('expected seconds or a text such as "90s", "10m", "6h", "2d"')
    return float(match[1]) * _UNITS[match[2]]


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false, without quotes")
    return value


def _url(value: str) -> str:
    try:
        return canonical_url(value)
    except RefusedError as error:
        raise ValueError(f"expected an http or https URL ({error.reason})") from None


def _backfill(value: str) -> str:
    if not _BACKFILL.fullmatch(value):
        raise ValueError('expected days such as "30d", a number of articles such as "1000", or "all"')
    return value


def _article_url(value: str) -> str:
    if not re.search(r"\{[\w.]+\}", value):
        raise ValueError('expected an address with a name in braces, such as "/news/{id}.html"')
    return value


def _regex(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"expected a regular expression: {error}") from None
    return value


def compile_region(selector: str) -> etree.XPath:
    """The compiled XPath of a region given as XPath (begins with ``/``, ``./`` or ``(``) or as CSS.

    Raises:
        ValueError: neither can be compiled.
    """
    try:
        if selector.lstrip().startswith(("/", "./", "(")):
            return etree.XPath(selector)
        return CSSSelector(selector)
    except (etree.XPathSyntaxError, SelectorError) as error:
        raise ValueError(f"expected an XPath or a CSS selector: {error}") from None


def _region(value: str) -> str:
    compile_region(value)
    return value


# Listing them reads their folders (30 ms), once rather than for each of thousands of jobs.
_time_zones = cache(available_timezones)


def _zone(value: str) -> str:
    if value not in _time_zones():
        raise ValueError('expected a time zone name such as "Asia/Shanghai" or "UTC"')
    return value


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Duration = Annotated[float, BeforeValidator(_duration)]
# "no" and 0 are what people write who mean something; which, nobody knows.
Truth = Annotated[bool, BeforeValidator(_truth)]
Url = Annotated[str, AfterValidator(_url)]
Regex = Annotated[str, AfterValidator(_regex)]
Region = Annotated[str, AfterValidator(_region)]
Listed = BeforeValidator(_listed)


class Window(BaseModel):
    """Hours of some weekdays in which a job's list pages are visited, in the job's time zone.

    ``hours = "8-20"`` means from 8:00 until before 20:00; ``"22-6"`` goes over midnight.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    days: Annotated[tuple[Day, ...], Field(min_length=1)] = DAYS
    hours: str = Field("0-24", pattern=r"^\d{1,2}-\d{1,2}$")

    @model_validator(mode="after")
    def _check(self) -> Window:
        first, last = self._bounds()
        if first > 23 or last > 24 or first == last:
            raise ValueError('expected hours such as "8-20" or "22-6", each from 0 to 24')
        return self

    def _bounds(self) -> tuple[int, int]:
        first, _, last = self.hours.partition("-")
        return int(first), int(last)

    def opens(self, at: datetime) -> bool:
        """Whether the window is open at a local time."""
        first, last = self._bounds()
        day, before = DAYS[at.weekday()], DAYS[at.weekday() - 1]
        if first < last:
            return day in self.days and first <= at.hour < last
        return (day in self.days and at.hour >= first) or (before in self.days and at.hour < last)


def next_opening(windows: tuple[Window, ...], zone: ZoneInfo, now: float) -> float:
    """When the first of some windows opens after ``now``, epoch seconds.

    Hours that daylight saving time skips open with the hour that follows, if it is in the window.
    """
    here = datetime.fromtimestamp(now, zone)
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    found = []
    for window in windows:
        first = int(window.hours.partition("-")[0])
        for days in range(_DAYS_AHEAD):
            # Added to the calendar, not to the clock: local days have 23 or 25 hours now and then.
            at = (midnight + timedelta(days=days)).replace(hour=first).timestamp()
            if at > now and window.opens(datetime.fromtimestamp(at, zone)):
                found.append(at)
                break
    return min(found, default=now + _DAYS_AHEAD * 86400.0)


def name_from(text: str) -> str:
    """A name that a job may have, made of a host or another text."""
    return re.sub(r"[^\w.-]", "-", text)[:64].lstrip(".-") or "site"


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
    site: Url | None = Field(None, description="an address that is looked at for what is not stated")
    list_pages: Annotated[tuple[Url, ...], Listed] = ()
    feeds: Annotated[tuple[Url, ...], Listed] = ()
    sitemaps: Annotated[tuple[Url, ...], Listed] = ()
    archives: Annotated[tuple[Url, ...], Listed] = ()
    backfill: Annotated[str, AfterValidator(_backfill)] | None = None
    forms: Annotated[tuple[Url, ...], Listed] = ()
    json_forms: Annotated[tuple[Url, ...], Listed] = ()
    neighbours: Truth = Field(False, description="articles before and after one, where its page names them")
    article_url: Annotated[str, AfterValidator(_article_url)] | None = None
    article_data: Annotated[str, AfterValidator(_article_url)] | None = None
    regions: Annotated[tuple[Region, ...], Listed] = ()
    article_pattern: Annotated[tuple[Regex, ...], Listed] = ()
    article_exclude: Annotated[tuple[Regex, ...], Listed] = ()
    allowed_domains: Annotated[tuple[str, ...], Listed] = ()
    interval: Annotated[Duration, Field(gt=0, le=31 * 86400)] | None = None
    min_interval: Annotated[Duration, Field(gt=0, le=31 * 86400)] | None = None
    max_interval: Annotated[Duration, Field(gt=0, le=366 * 86400)] | None = None
    budget: Annotated[float, Field(gt=0, description="fetches an hour")] | None = None
    freshness: Annotated[Duration, Field(gt=0, le=31 * 86400)] | None = None
    windows: tuple[Window, ...] = ()
    timezone: Annotated[str, AfterValidator(_zone)] | None = None
    priority: Annotated[int, Field(ge=-100, le=100)] = 0
    category: str | None = Field(None, max_length=64)
    language: str | None = Field(None, pattern=r"^[a-z]{2,3}$")
    depth: int = Field(1, ge=1, le=20, description="links followed from a list page")
    max_pages: int = Field(50, ge=1, le=50, description="pages of one article that are joined")
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

    @property
    def entry_urls(self) -> tuple[tuple[str, Literal["list", "feed", "sitemap"]], ...]:
        """What is visited again and again for new links, with its kind."""
        return (
            *((url, "list") for url in self.list_pages),
            *((url, "feed") for url in self.feeds),
            *((url, "sitemap") for url in self.sitemaps),
        )

    def sent_as(self, url: str) -> Literal["", "form", "json"]:
        """As what the query of an address is sent by POST, "" where it is asked for as it is."""
        bare = url.partition("?")[0]
        return "form" if bare in self.forms else "json" if bare in self.json_forms else ""

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
