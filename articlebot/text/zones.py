"""The time zone of a site that states none: the country of its domain tells it, else the language of its text."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from articlebot.files import shipped

# Minutes ahead of UTC of the letters behind a time.
_MINUTES_OF = {
    "utc": 0, "gmt": 0, "z": 0, "bst": 60, "cet": 60, "mez": 60, "cest": 120, "mesz": 120, "est": -300, "edt": -240,
    "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420, "ist": 330, "jst": 540,
    "kst": 540, "hkt": 480, "sgt": 480, "aest": 600, "aedt": 660, "msk": 180,
    "wet": 0, "west": 60, "eet": 120, "eest": 180, "sast": 120, "pkt": 300, "ict": 420, "wib": 420, "awst": 480,
    "nzst": 720, "nzdt": 780, "akst": -540, "akdt": -480, "hst": -600, "brt": -180, "мск": 180,
    **dict.fromkeys(("北京时间", "北京時間", "香港时间", "香港時間", "台北时间", "台北時間", "臺北時間"), 480),
}  # fmt: skip
_OFFSET = re.compile(r"(?:gmt|utc)?([+-])(\d{1,2})(?::?(\d\d))?")
_STATED = re.compile(
    r"\b(?:19|20)\d\d-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:[+-]\d\d:?\d\d|Z)|"
    r"\b\d{1,2} [A-Z][a-z]{2} (?:19|20)\d\d \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UTC?|Z)\b"
)
_MOST_TIMES = 100


def minutes_ahead(zone: str) -> int | None:
    """Minutes ahead of UTC of a zone as it stands behind a time: ``cest``, ``+08:00``, ``gmt+8``; None for another."""
    match = _OFFSET.fullmatch(zone)
    if match is None:
        return _MINUTES_OF.get(zone)
    minutes = 60 * int(match[2]) + int(match[3] or 0)
    return -minutes if match[1] == "-" else minutes


@cache
def _kept() -> dict[str, str]:
    return tomllib.loads(shipped("articlebot.text", "data/zones.toml"))


@cache
def _zones() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Zone names by country, by country that a tag states, and by language."""
    kept = _kept()
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


def zone_by_times(text: str, told: ZoneInfo | None, language: str | None) -> ZoneInfo | None:
    """The zone of a site by the times that its feeds state with an offset; ``told`` where these say nothing else.

    What tells a country of one zone is believed more: hosts stamp feeds with the time of where they stand. UTC says
    nothing, as most systems write it wherever the site is.

    Args:
        text: of feeds and sitemaps of news.
        told: by the site's country or language, None where these tell nothing.
    """
    kept, stated = _kept(), (_moment(match[0]) for match in islice(_STATED.finditer(text), _MOST_TIMES))
    read = [at for at in stated if at is not None]
    times = [at for at in read if at.utcoffset()]
    # One in UTC may be that of the feed itself.
    if not times or len(read) > len(times) + 1 or (told and told.key not in kept["several"].split()):
        return told
    summers = kept["summers"].split()
    named = [name for tag, name in zip(summers[::2], summers[1::2], strict=True) if tag == language]
    hours = (times[0].utcoffset() or timedelta()) // timedelta(hours=1)
    zones = (told, *map(zone_named, (*named, f"Etc/GMT{-hours:+}", *kept["countries"].split()[1::2])))
    fits = (zone for zone in zones if zone and all(at.astimezone(zone).utcoffset() == at.utcoffset() for at in times))
    return next(fits, told)


def _moment(text: str) -> datetime | None:
    with suppress(ValueError, TypeError):
        return datetime.fromisoformat(text) if text[4] == "-" else parsedate_to_datetime(text)
    return None


def zone_named(name: str) -> ZoneInfo | None:
    """The zone of a name of the time zone database; None on a machine without it, or with an old one."""
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        return None
