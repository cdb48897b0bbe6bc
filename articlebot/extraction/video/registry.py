"""Which parser reads a domain's video pages: one's own (settings, entry points), else the generic."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from urllib.parse import urlsplit

from articlebot.errors import ConfigError, RefusedError
from articlebot.extraction.video.generic import GenericParser
from articlebot.extraction.video.model import VideoFound, VideoParser
from articlebot.page.page import Page

ENTRY_POINTS = "articlebot.video_parsers"


class Registry:
    """Parsers by domain; the first one registered for a domain is asked first, the generic one last.

    Args:
        parsers: instances, in the order in which they are asked.
        allowed: domains whose play pages may be read; empty allows all.
        generic: whether a domain that none of the parsers claims is read all the same.
    """

    def __init__(
        self, parsers: Iterable[VideoParser] = (), *, allowed: Sequence[str] = (), generic: bool = True
    ) -> None:
        self._parsers: list[VideoParser] = [*parsers]
        self._last = [GenericParser()] if generic else []
        self._allowed = allowed

    @classmethod
    def load(cls, paths: Sequence[str] = (), *, allowed: Sequence[str] = (), generic: bool = True) -> Registry:
        """The parsers of class paths (``package.module.Class``), then those of installed packages' entry points.

        Raises:
            ConfigError: a path that cannot be imported, or a class that is no parser; names it.
        """
        classes = [(path, _import(path)) for path in paths]
        for point in entry_points(group=ENTRY_POINTS):
            try:
                classes.append((point.value, point.load()))
            except (ImportError, AttributeError) as error:
                raise ConfigError(f"entry point {point.name} of {ENTRY_POINTS}: {error}") from None
        return cls([_made(path, one) for path, one in classes], allowed=allowed, generic=generic)

    def claims(self, url: str) -> bool:
        """Whether a parser of one's own names the page's domain."""
        host = _host(url)
        return any(parser.domains and is_of(host, parser.domains) for parser in self._parsers)

    def find(self, page: Page, *, looks_like_one: bool = True) -> VideoFound:
        """The video of what looks like a video page, in the steps of focused crawling.

        Is its domain allowed, which parser has the domain, is it a play page, and which media addresses has it.

        Args:
            looks_like_one: whether the page itself looks like a video page; else its domain's parser alone is asked.

        Raises:
            RefusedError: ``video_domain``, ``no_video_parser`` or ``no_media`` (it is no play page).
        """
        host = _host(page.url)
        if self._allowed and not is_of(host, self._allowed):
            raise RefusedError("video_domain", host)
        parsers = [*(p for p in self._parsers if not p.domains or is_of(host, p.domains))]
        parsers += self._last if looks_like_one else []
        if not parsers:
            raise RefusedError("no_video_parser", host)
        for parser in parsers:
            found = parser.parse(page)
            if found is not None and found.media:
                return found if found.parser else replace(found, parser=parser.name)
        raise RefusedError("no_media", page.url[:200])


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").lower()


def is_of(host: str, domains: Sequence[str]) -> bool:
    """Whether a host is one of the domains or below one."""
    return any(host == d or host.endswith("." + d) for d in (domain.lower().lstrip(".") for domain in domains))


def _import(path: str) -> object:
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"ARTICLEBOT_VIDEO_PARSERS: {path}: {error}") from None


def _made(path: str, one: object) -> VideoParser:
    try:
        parser = one() if isinstance(one, type) else one
    except Exception as error:  # somebody else's class
        raise ConfigError(f"ARTICLEBOT_VIDEO_PARSERS: {path}: {error}") from None
    if not (callable(getattr(parser, "parse", None)) and isinstance(getattr(parser, "domains", None), tuple)):
        raise ConfigError(
            f"ARTICLEBOT_VIDEO_PARSERS: {path}: expected a class with name, domains (a tuple) and parse(page)"
        )
    return parser  # type: ignore[return-value]
