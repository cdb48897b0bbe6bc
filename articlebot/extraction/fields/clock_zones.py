"""Zones as pages write them behind a time: letters, or the difference from UTC."""

from __future__ import annotations

import datetime as dt
import re

from articlebot.text.zones import minutes_ahead, zone_named

# What Americans write the year round: the day tells whether it is summer time.
_CIVIL = {"et": "America/New_York", "ct": "America/Chicago", "mt": "America/Denver", "pt": "America/Los_Angeles"}
# The same in words: "Eastern Time", and with the season "Eastern Standard Time".
_IN_WORDS = {
    "eastern": "America/New_York", "central": "America/Chicago", "mountain": "America/Denver",
    "pacific": "America/Los_Angeles", "atlantic": "America/Halifax", "newfoundland": "America/St_Johns",
    "alaska": "America/Anchorage", "hawaii": "Pacific/Honolulu", "greenwich mean": "UTC",
    "coordinated universal": "UTC", "british": "Europe/London", "western european": "Europe/Lisbon",
    "central european": "Europe/Berlin", "eastern european": "Europe/Athens", "moscow": "Europe/Moscow",
    "india": "Asia/Kolkata", "indian": "Asia/Kolkata", "china": "Asia/Shanghai", "beijing": "Asia/Shanghai",
    "hong kong": "Asia/Hong_Kong", "singapore": "Asia/Singapore", "japan": "Asia/Tokyo", "korea": "Asia/Seoul",
    "australian eastern": "Australia/Sydney", "australian western": "Australia/Perth",
    "new zealand": "Pacific/Auckland",
}  # fmt: skip
# Behind a time, as a part of a longer expression.
WORDED_ZONE = (
    rf"\(?(?i:(?:U\.?S\.?\s)?(?:{'|'.join(sorted(_IN_WORDS, key=len, reverse=True))})"
    r"(?:\s(?:standard|daylight|summer))?\stime)\b"
)
_AROUND_WORDS = re.compile(r"\A(?:u\.?s\.?\s)?|(?:\s(?P<season>standard|daylight|summer))?\stime\Z")
_HOUR = dt.timedelta(hours=1)
CHINA_MINUTES, _MOST_MINUTES = 480, 15 * 60


def stated_zone(name: str | None, moment: dt.datetime, *, chinese: bool) -> dt.timezone | None:
    """The zone that stands behind a time, None where none does or nobody knows it."""
    if not name:
        return None
    name = name.strip("(（) ").lower()
    if name == "cst" and chinese:
        return dt.timezone(dt.timedelta(minutes=CHINA_MINUTES))
    if (minutes := minutes_ahead(name)) is not None:
        return dt.timezone(dt.timedelta(minutes=minutes)) if abs(minutes) < _MOST_MINUTES else None
    civil = _CIVIL.get(name) or _IN_WORDS.get(_AROUND_WORDS.sub("", " ".join(name.split())))
    if civil and (zone := zone_named(civil)) is not None:
        offset, later = zone.utcoffset(moment) or dt.timedelta(0), zone.dst(moment) or dt.timedelta(0)
        season = next((one["season"] for one in _AROUND_WORDS.finditer(name) if one["season"]), None)
        if season:
            offset = offset - later + (dt.timedelta(0) if season == "standard" else _HOUR)
        return dt.timezone(offset)
    return None
