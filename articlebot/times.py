"""Times as people and programs read them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import format_datetime, parsedate_to_datetime

from articlebot.text.zones import minutes_ahead

# Seconds from any hour of a day to its beginning in any zone: 24 h and 14 h.
_A_DAY_AND_ZONES = 38 * 3600.0
_A_DAY, _A_DAY_S, _MIDNIGHT = 24 * 60, 86_400.0, "00:00:00"


def iso(at: float | None, zone: tzinfo = UTC) -> str | None:
    """Epoch seconds as ISO 8601 in a zone; None for None and for what no calendar holds."""
    if at is None:
        return None
    try:
        return datetime.fromtimestamp(at, zone).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return None


def day_alone(written: str | None) -> str | None:
    """The day of an ISO 8601 time that says no more than its day, or its beginning; None of any other."""
    day, _, clock = (written or "").partition("T")
    return day if day and clock[:8] in ("", _MIDNIGHT) else None


def is_finer(listed: str | None, at: float | None, read: float, written: str | None) -> bool:
    """Whether a feed or list states the time of the day that a page states alone; the day's beginning says no more."""
    if listed is None or at is None or written is None or listed.startswith(f"{written[:10]}T{_MIDNIGHT}"):
        return False
    if written == day_alone(written):
        return abs(at - read) < _A_DAY_AND_ZONES
    return day_alone(written) is not None and 0 < at - read < _A_DAY_S


def duration(seconds: float | None, t: Callable[[str], str] = str) -> str:
    """Two units at most: 45 s, 12 min, 3 h 20 min, 5 d, whose names ``t`` translates; a dash for None."""
    return " ".join(map(t, _span(seconds).split())) if seconds is not None else "–"


def _span(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
    return f"{minutes / 1440:.1f} d"


def http_date(at: float) -> str:
    """Epoch seconds as the date of an HTTP header (RFC 9110, 5.6.7)."""
    return format_datetime(datetime.fromtimestamp(at, UTC), usegmt=True)


def http_time(stated: str | bytes | None) -> float | None:
    """Epoch seconds of the date of an HTTP header or a mail, in UTC where it names no zone; None for all else."""
    text = stated.decode("latin-1") if isinstance(stated, bytes) else stated or ""
    try:
        return _epoch(parsedate_to_datetime(text), UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def parse_retry_after(value: str | bytes | None, now: float) -> float | None:
    """Seconds that Retry-After asks for (RFC 9110, 10.2.3: a number or an HTTP date), None where it says nothing."""
    text = (value.decode("latin-1") if isinstance(value, bytes) else value or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    at = http_time(text)
    return None if at is None else max(0.0, at - now)


def stated_time(value: str | None, zone: tzinfo = UTC) -> float | None:
    """Epoch seconds of an RFC 822 or ISO 8601 time, in ``zone`` where it names none; None where it cannot be read."""
    value = (value or "").strip()
    try:
        moment = datetime.fromisoformat(value.replace("/", "-") if value[:4].isdigit() else value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        zone = (None if moment.tzinfo else _zone_behind(value)) or zone
    return _epoch(moment, zone)


def _zone_behind(value: str) -> tzinfo | None:
    """The zone that ends a time as no RFC has it: CEST, +08:00, GMT+8."""
    minutes = minutes_ahead(value.rpartition(" ")[2].lower())
    return None if minutes is None or abs(minutes) >= _A_DAY else timezone(timedelta(minutes=minutes))


def _epoch(moment: datetime, zone: tzinfo) -> float | None:
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()
    except (OverflowError, ValueError):
        return None
