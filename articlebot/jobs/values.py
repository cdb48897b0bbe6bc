"""The types of a job's keys: what is read from a text, and refused with the form that is expected."""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated, Any
from zoneinfo import available_timezones

from cssselect import SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector
from pydantic import AfterValidator, BeforeValidator

from articlebot.errors import ConfigError, RefusedError
from articlebot.urls import canonical_url, subdomain, typed_url

_BACKFILL = re.compile(r"[1-9]\d{0,3}d|[1-9]\d{0,6}|all")
_HOST = re.compile(r"[^\s/@*?#]+")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])")


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


def _site(value: str) -> str:
    try:
        return typed_url(value)
    except ConfigError as error:
        raise ValueError(str(error).partition(": ")[2]) from None


def _backfill(value: str) -> str:
    if not _BACKFILL.fullmatch(value):
        raise ValueError('expected days such as "30d", a number of articles such as "1000", or "all"')
    return value


def _domain(value: str) -> str:
    """A host as addresses have it: in small letters, and as they are sent where it has others than Latin ones."""
    try:
        if _HOST.fullmatch(value):
            return subdomain(canonical_url(f"http://{value}/"))
    except RefusedError:
        pass
    raise ValueError('expected a host such as "news.example", whose subdomains count too')


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a number")
    return value


def _article_url(value: str) -> str:
    if not re.search(r"\{[\w.]+\}", value):
        raise ValueError('expected an address with a name in braces, such as "/news/{id}.html"')
    return value


def _regex(value: str) -> str:
    if not value:
        raise ValueError("expected a regular expression; an empty one fits every address")
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
Site = Annotated[str, AfterValidator(_site)]
Domain = Annotated[str, AfterValidator(_domain)]
# To Python true is 1.
Whole = Annotated[int, BeforeValidator(_number)]
Decimal = Annotated[float, BeforeValidator(_number)]
Regex = Annotated[str, AfterValidator(_regex)]
Region = Annotated[str, AfterValidator(_region)]
Listed = BeforeValidator(_listed)
Backfill = Annotated[str, AfterValidator(_backfill)]
ArticleUrl = Annotated[str, AfterValidator(_article_url)]
Zone = Annotated[str, AfterValidator(_zone)]
