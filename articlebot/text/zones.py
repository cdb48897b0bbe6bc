"""The time zone of a site that states none: the country of its domain tells it, else the language of its text."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


@cache
def _zones() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Zone names by country, by country that a tag states, and by language."""
    kept = tomllib.loads((files("articlebot.text") / "data" / "zones.toml").read_text("utf-8"))
    each = (kept[name].split() for name in ("countries", "stated", "languages"))
    by_country, stated, by_language = (dict(zip(words[::2], words[1::2], strict=True)) for words in each)
    return by_country, by_country | stated, by_language


@lru_cache(maxsize=4096)
def told_zone(host: str, language: str | None, tag: str = "") -> ZoneInfo | None:
    """The zone of a site's own times; None where nothing tells one.

    Args:
        host: whose domain may be a country's, without port.
        language: of its text.
        tag: what its pages say of themselves, ``es-MX``; of several countries the language's own tells nothing.
    """
    by_country, by_tag, by_language = _zones()
    country = tag.replace("_", "-").lower().rpartition("-")[2] if len(tag) > 3 else ""
    country = {"gb": "uk"}.get(country, country)
    name = by_country.get(host.rpartition(".")[2]) or by_tag.get(country) or by_language.get(language or "")
    return None if name is None else zone_named(name)


def zone_named(name: str) -> ZoneInfo | None:
    """The zone of a name of the time zone database; None on a machine without it, or with an old one."""
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        return None
