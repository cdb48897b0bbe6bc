"""The time zone of a site that states none: the country of its domain tells it, else the language of its text."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


@cache
def _zones() -> tuple[dict[str, str], dict[str, str]]:
    """Zone names by country and by language."""
    kept = tomllib.loads((files("articlebot.text") / "data" / "zones.toml").read_text("utf-8"))
    countries, languages = (kept[name].split() for name in ("countries", "languages"))
    pairs = (zip(words[::2], words[1::2], strict=True) for words in (countries, languages))
    by_country, by_language = map(dict, pairs)
    return by_country, by_language


@lru_cache(maxsize=4096)
def told_zone(host: str, language: str | None) -> ZoneInfo | None:
    """The zone of a site's own times, by its host (no port) or language; None where neither tells one."""
    by_country, by_language = _zones()
    name = by_country.get(host.rpartition(".")[2]) or by_language.get(language or "")
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:  # a machine without the time zone database, or with an old one
        return None
