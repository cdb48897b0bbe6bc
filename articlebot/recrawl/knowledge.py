"""What visits teach about a site: the hours in which it publishes, and how often its pages change."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Any

from articlebot.errors import StateError
from articlebot.recrawl.edits import SPANS, expected, own_factor, span
from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.profile import HOURS, Profile
from articlebot.recrawl.state import PageState

VERSION = 1
# How many items an hour of the day must have seen before it says as much as the level above it.
_HOUR_WEIGHT = 30.0
_DAY_WEIGHT = 120.0
_SITE_DAY_WEIGHT = 150.0
# Page-days of a site that weigh as much as all other sites.
_RATE_WEIGHT = 3.0
_LEAST_RATE = 0.02
# Days: longer gaps say nothing about the hour of a list page, and little about the day of a document.
_LONGEST_GAP = {Kind.LIST: 0.5, Kind.DOCUMENT: 4.0}
# Documents are the work of offices: what is expected of their week (from Thursday on) until visits have shown it.
_OFFICE_WEEK = (1.0, 1.0, 0.25, 0.25, 1.0, 1.0, 1.0)
_HALF_LIFE = 28.0

# Expected edits that weigh as much as what is known of all sites, and the least that a site is thought to edit late:
# an article is looked at now and then all the same, so that a site that changes its habits is noticed.
_EDITS_WEIGHT = 3.0
_LEAST_EDITS = 0.03

# What an article's own edits are worth is believed until so much of what they say has been put to the test.
_OWN_PRIOR = 20.0

_SUMS = ("hour_items", "hour_expected", "day_items", "day_expected", "edits_seen", "edits_expected", "own")


class Level:
    """Sums over the visits of one site's pages of one kind.

    Attributes:
        hour_items, hour_expected: by hour of the local day, the items seen and those expected of an even rate.
        day_items, day_expected: the same by day of the week, the first a Thursday.
        edits_seen, edits_expected: by age of the article (``edits.AGES``).
        own: of the articles' own factors f at each visit, with p the chance of an edit by the habits: the sums of
            p, p f, p f², and of f and 1 where there was an edit; what a regression needs.
        log_rate, rate_days: sum of the pages' log change rates (per day), weighted by observed days, and the weights.
    """

    __slots__ = (
        "day_expected", "day_items", "edits_expected", "edits_seen", "hour_expected", "hour_items", "log_rate",
        "own", "rate_days",
    )  # fmt: skip

    def __init__(self) -> None:
        self.hour_items, self.hour_expected = [0.0] * 24, [0.0] * 24
        self.day_items, self.day_expected = [0.0] * 7, [0.0] * 7
        self.edits_seen, self.edits_expected = [0.0] * SPANS, [0.0] * SPANS
        self.log_rate = self.rate_days = 0.0
        self.own = [0.0] * 5

    def add(self, other: Level) -> None:
        """Adds another level's sums."""
        for name in _SUMS:
            setattr(self, name, [a + b for a, b in zip(getattr(self, name), getattr(other, name), strict=True)])
        self.log_rate += other.log_rate
        self.rate_days += other.rate_days

    def fade(self, keep: float) -> None:
        """Multiplies all sums, so that old weeks count less."""
        for name in _SUMS:
            setattr(self, name, [keep * value for value in getattr(self, name)])
        self.log_rate *= keep
        self.rate_days *= keep

    def to_json(self) -> dict[str, Any]:
        """The sums as JSON, four digits each."""
        return {
            name: [float(f"{v:.4g}") for v in value] if isinstance(value, list) else float(f"{value:.6g}")
            for name in self.__slots__
            for value in (getattr(self, name),)
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Level:
        """The level written by ``to_json``; what was not counted yet when it was written may be missing.

        Raises:
            StateError: a list of another length, or something that is no number.
        """
        level = cls()
        for name in cls.__slots__:
            before = getattr(level, name)
            value = kept.get(name, before if name.startswith(("edits_", "own")) else None)
            if isinstance(before, list):
                if not isinstance(value, list) or len(value) != len(before):
                    raise StateError(f"site profile: {name} is damaged")
                setattr(level, name, [float(v) for v in value])
            elif isinstance(value, int | float):
                setattr(level, name, float(value))
            else:
                raise StateError(f"site profile: {name} is damaged")
        return level


class Knowledge:
    """What was learned of the sites of one job, and the parameters that follow from it.

    Args:
        base: the job's parameters; profile and prior are filled in per site and kind.
    """

    def __init__(self, base: Params) -> None:
        self.base = base
        self.levels: dict[tuple[str, Kind], Level] = {}
        self._above: dict[Kind, Level] = {kind: Level() for kind in Kind}
        self._told: dict[tuple[str, Kind], Params] = {}
        self._documents: Profile | None = None
        self._next_at = 0.0
        self._visits = 0
        self._faded_at: float | None = None
        self._stated: tuple[float, float] | None = None

    def params(self, site: str, kind: Kind, now: float) -> Params:
        """The parameters for a page; worked out anew every two hours."""
        # The sums over all sites are worth their cost only after about as many visits as there are sites.
        late = now >= self._next_at and self._visits >= len(self.levels)
        if late or now < self._next_at - self.base.day_s / 12:
            self._refresh(now)
        found = self._told.get((site, kind))
        if found is None:
            found = self._told[site, kind] = self._work_out(site, kind)
        return found

    def rebase(self, base: Params) -> None:
        """Takes other job parameters, such as another scale, and keeps what was learned."""
        if base != self.base:
            self.base = base
            self._told.clear()

    def stated_since(self, interval: float, now: float) -> float:
        """Since when the job states this interval, epoch seconds; one that differs from the last counts from now."""
        if self._stated is None or self._stated[0] != interval:
            self._stated = interval, now
        return self._stated[1]

    def observe(self, site: str, state: PageState | None, observation: Observation, after: PageState) -> None:
        """Counts a visit.

        Args:
            state: the page's state before the visit.
            after: and after it.
        """
        kind, day = observation.kind, self.base.day_s
        least = 1 if kind is Kind.ARTICLE else 2
        if state is None or state.fetches < least or observation.outcome in ("failed", "gone"):
            return
        self._visits += 1
        days = (observation.at - state.last_at) / day
        if days <= 0.0:
            return
        level = self.levels.get((site, kind))
        if level is None:
            level = self.levels[site, kind] = Level()
        if kind is Kind.ARTICLE:
            self._count_edits(level, site, state, observation, after)
        else:
            weight = min(days, 7.0)
            level.log_rate += weight * log((after.slow_x + 0.3) / (after.slow_t / day + 0.3))
            level.rate_days += weight
        if kind is not Kind.ARTICLE and days <= _LONGEST_GAP[kind]:
            self._count_hours(level, site, state, observation)

    def to_json(self) -> dict[str, Any]:
        """Everything learned, versioned."""
        return {
            "version": VERSION,
            "faded_at": self._faded_at,
            "stated": self._stated,
            "levels": [[site, int(kind), level.to_json()] for (site, kind), level in self.levels.items()],
        }

    def load(self, kept: Mapping[str, Any]) -> None:
        """Takes over what ``to_json`` gave.

        Raises:
            StateError: of another version, or damaged.
        """
        if kept.get("version") != VERSION:
            raise StateError(f"site profiles of version {kept.get('version')!r}; this articlebot reads {VERSION}")
        try:
            self.levels = {(site, Kind(kind)): Level.from_json(level) for site, kind, level in kept["levels"]}
            self._faded_at = kept["faded_at"]
            interval, since = kept.get("stated") or (0.0, 0.0)
            self._stated = (float(interval), float(since)) if interval else None
        except (KeyError, TypeError, ValueError) as error:
            raise StateError(f"site profiles are damaged: {error}") from None
        self._next_at = 0.0
        self._visits = len(self.levels)

    def _refresh(self, now: float) -> None:
        day = self.base.day_s
        self._told.clear()
        self._documents = None
        self._next_at = now + day / 12
        self._visits = 0
        if self._faded_at is None or now < self._faded_at:
            self._faded_at = now
        elif now - self._faded_at > day:
            keep = 0.5 ** ((now - self._faded_at) / day / _HALF_LIFE)
            self._faded_at = now
            for level in self.levels.values():
                level.fade(keep)
        self._above = {kind: Level() for kind in Kind}
        for (_, kind), level in self.levels.items():
            self._above[kind].add(level)

    def _work_out(self, site: str, kind: Kind) -> Params:
        above, level = self._above[kind], self.levels.get((site, kind), Level())
        params = self.base
        if kind is Kind.LIST and sum(above.hour_items) > 0.0:
            profile = Profile(_rates(above, level), params.day_s, params.utcoffset)
            params = params._replace(profile=profile)
        if kind is Kind.DOCUMENT:
            params = params._replace(profile=self._week(above))
        if kind is Kind.ARTICLE:
            params = params._replace(edits=_habits(above, level), own=_own(above))
        if above.rate_days >= 1.0:
            mean = above.log_rate / above.rate_days
            mean = (level.log_rate + _RATE_WEIGHT * mean) / (level.rate_days + _RATE_WEIGHT)
            params = params._replace(prior_rate=exp(mean) / params.day_s)
        return params

    def _week(self, above: Level) -> Profile:
        """The working week of documents, one for all sites: a site's own are too few to show theirs."""
        if self._documents is None:
            days = _ratios(above.day_items, above.day_expected, list(_OFFICE_WEEK), _DAY_WEIGHT)
            self._documents = Profile([day for day in days for _ in range(24)], self.base.day_s, self.base.utcoffset)
        return self._documents

    def _count_edits(
        self, level: Level, site: str, state: PageState, observation: Observation, after: PageState
    ) -> None:
        hour, born = self.base.day_s / 24, after.first_at
        age, quiet = max(0.0, state.last_at - born) / hour, max(0.0, state.last_at - state.changed_at) / hour
        even = expected(age, quiet, (observation.at - state.last_at) / hour)
        level.edits_expected = [a + b for a, b in zip(level.edits_expected, even, strict=True)]
        changed = observation.outcome == "changed"
        if changed:
            level.edits_seen[span(max(0.0, after.changed_at - born) / hour)] += 1.0
        told = self._told.get((site, Kind.ARTICLE))
        if told is not None:
            due = sum(habit * number for habit, number in zip(told.edits, even, strict=True))
            chance, own = 1.0 - exp(-due), own_factor(age, state.slow_x, told.edits)
            sums = chance, chance * own, chance * own * own, own * changed, 1.0 * changed
            level.own = [a + b for a, b in zip(level.own, sums, strict=True)]

    def _count_hours(self, level: Level, site: str, state: PageState, observation: Observation) -> None:
        day, offset = self.base.day_s, self.base.utcoffset
        told = self._told.get((site, observation.kind))
        profile = told.profile if told is not None else None
        start, end = state.last_at, observation.at
        gained = observation.new_items if observation.outcome == "changed" else 0
        rate = (state.x + 0.3) / (state.t + 0.3 * day)
        work = profile.work(start, end) if profile is not None else end - start
        # The hour of a document's change is not asked for: whole days save the steps.
        hour_s, step = day / 24, 1 if observation.kind is Kind.LIST else 24
        at, end = start + offset, end + offset
        while at < end:
            hour = int(at / hour_s)
            until = min((hour // step + 1) * step * hour_s, end)
            if until <= at:
                break
            share = (until - at) * (profile.rates[hour % HOURS] if profile is not None else 1.0) / work
            expected = rate * (until - at)
            level.hour_items[hour % 24] += gained * share
            level.hour_expected[hour % 24] += expected
            level.day_items[hour // 24 % 7] += gained * share
            level.day_expected[hour // 24 % 7] += expected
            at = until


def _habits(above: Level, level: Level) -> tuple[float, ...]:
    """Edits seen for each expected, by age: the site's, drawn towards those of all sites, and these towards 1."""
    found = []
    for seen, even, seen_above, even_above in zip(
        level.edits_seen, level.edits_expected, above.edits_seen, above.edits_expected, strict=True
    ):
        usual = (seen_above + _EDITS_WEIGHT) / (even_above + _EDITS_WEIGHT)
        found.append(max(_LEAST_EDITS, (seen + _EDITS_WEIGHT * usual) / (even + _EDITS_WEIGHT)))
    return tuple(found)


def _own(above: Level) -> tuple[float, float]:
    """The mean of the articles' own factors, and how much of their spread is true of the next edits, 0 to 1.

    The slope of a regression of edits on the factor is what shrinks it best towards the mean (Bühlmann's credibility):
    1 where articles differ as they seem to, 0 where their edits were chance.
    """
    usual, first, second, told, edits = above.own
    if usual <= 0.0 or edits <= 0.0:
        return 1.0, 1.0
    mean = first / usual
    spread = second - mean * first
    slope = (mean * (told - mean * edits) * usual / edits + _OWN_PRIOR) / (spread + _OWN_PRIOR)
    return mean, min(max(slope, 0.0), 1.0)


def _rates(above: Level, level: Level) -> list[float]:
    """Rates over the hours of a week: the site's, drawn towards those of all sites, and these towards an even week."""
    hours = _ratios(above.hour_items, above.hour_expected, [1.0] * 24, _HOUR_WEIGHT)
    days = _ratios(above.day_items, above.day_expected, [1.0] * 7, _DAY_WEIGHT)
    if level is not above:
        hours = _ratios(level.hour_items, level.hour_expected, hours, _HOUR_WEIGHT)
        days = _ratios(level.day_items, level.day_expected, days, _SITE_DAY_WEIGHT)
    smooth = [(hours[i - 1] + 2 * hours[i] + hours[(i + 1) % 24]) / 4 for i in range(24)]
    return [max(_LEAST_RATE, day * hour) for day in days for hour in smooth]


def _ratios(items: list[float], expected: list[float], prior: list[float], weight: float) -> list[float]:
    """Items over those expected in each part of a day or week, drawn to the prior by ``weight`` items or more.

    More where the parts differ no further from the prior than chance makes them: the weight is then what their spread
    says of it (empirical Bayes: a gamma prior fitted by moments).
    """
    # Expected counts are of rates that are themselves estimates: what matters is their shape.
    scale = sum(items) / total if (total := sum(expected)) > 0.0 else 1.0
    means = [scale * even for even in expected]
    usual = [mean * before for mean, before in zip(means, prior, strict=True)]
    spread = sum((found - mean) ** 2 / mean for found, mean in zip(items, usual, strict=True) if mean > 0.0)
    beyond_chance = max(spread / (len(items) - 1) - 1.0, 1e-3)
    weight = max(weight, sum(means) / len(means) / beyond_chance)
    return [
        (found + weight * before) / (mean + weight) for found, mean, before in zip(items, means, prior, strict=True)
    ]
