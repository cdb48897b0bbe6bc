"""Hours of the week in which a job's list pages are visited."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, model_validator

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = get_args(Day)
# A window that daylight saving time leaves out in one week opens in the next.
_DAYS_AHEAD = 15


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
