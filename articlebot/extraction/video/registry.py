"""Which parser reads a domain's video pages: one's own (by settings or entry point), yt-dlp, or the generic one."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from articlebot.errors import ConfigError, RefusedError
from articlebot.extraction.kinds import kind
from articlebot.extraction.video.generic import GenericParser
from articlebot.extraction.video.model import VideoFound, VideoParser

if TYPE_CHECKING:
    from articlebot.page.page import Page

ENTRY_POINTS = "articlebot.video_parsers"


class Registry:
    """Parsers by domain; the first one registered for a domain is asked first, the generic one last.

    Args:
        parsers: instances, in the order in which they are asked.
    """

    def __init__(self, parsers: Iterable[VideoParser] = ()) -> None:
        self._parsers: list[VideoParser] = [*parsers]
        self._last = GenericParser()

    @classmethod
    def load(cls, paths: Sequence[str] = (), *, with_entry_points: bool = True) -> Registry:
        """The parsers of class paths (``package.module.Class``), then those of installed packages' entry points.

        Raises:
            ConfigError: a path that cannot be imported, or a class that is no parser; names it.
        """
        classes = [(path, _import(path)) for path in paths]
        if with_entry_points:
            for point in entry_points(group=ENTRY_POINTS):
                try:
                    classes.append((point.value, point.load()))
                except (ImportError, AttributeError) as error:
                    raise ConfigError(f"entry point {point.name} of {ENTRY_POINTS}: {error}") from None
        return cls([_made(path, one) for path, one in classes])

    def add(self, parser: VideoParser) -> None:
        """Ask a parser before those registered so far."""
        self._parsers.insert(0, parser)

    def parsers_for(self, url: str) -> list[VideoParser]:
        """The parsers to ask for a page, in order."""
        host = (urlsplit(url).hostname or "").lower()
        own = [p for p in self._parsers if not p.domains or is_of(host, p.domains)]
        return [*own, self._last]


def find_video(page: Page, registry: Registry, *, allowed: Sequence[str] = (), stated: bool = False) -> VideoFound:
    """The video of a play page.

    The steps are those of focused crawling: is it a video page, is its domain allowed, the domain's parser, is it a
    play page, the media addresses.

    Args:
        allowed: domains that may be read; empty allows all.
        stated: the caller knows that it is a video page, such as by the job's pattern.

    Raises:
        RefusedError: ``video_domain``, ``not_a_video_page`` or ``no_media``.
    """
    host = (urlsplit(page.url).hostname or "").lower()
    if allowed and not is_of(host, allowed):
        raise RefusedError("video_domain", host)
    parsers = registry.parsers_for(page.url)
    if not stated and len(parsers) == 1 and kind(page).name != "video":
        raise RefusedError("not_a_video_page", page.url[:200])
    for parser in parsers:
        found = parser.parse(page)
        if found is not None and found.media:
            return found if found.parser else replace(found, parser=parser.name)
    raise RefusedError("no_media", page.url[:200])


def is_of(host: str, domains: Sequence[str]) -> bool:
    """Whether a host is one of the domains or below one."""
    return any(host == d or host.endswith("." + d) for d in (domain.lower().lstrip(".") for domain in domains))


def _import(path: str) -> object:
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"video parser {path}: {error}") from None


def _made(path: str, one: object) -> VideoParser:
    parser = one() if isinstance(one, type) else one
    if not (callable(getattr(parser, "parse", None)) and isinstance(getattr(parser, "domains", None), tuple)):
        raise ConfigError(f"video parser {path}: expected a class with name, domains (a tuple) and parse(page)")
    return parser  # type: ignore[return-value]
