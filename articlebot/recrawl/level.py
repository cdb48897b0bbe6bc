"""Sums over the visits of one site's pages, and the habits that follow from them, drawn towards those of all sites."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log2
from typing import Any

from articlebot.errors import StateError
from articlebot.recrawl.blend import SUMS
from articlebot.recrawl.edits import NEVER, SPANS, Steady

# How many items an hour of the day must have seen before it says as much as the level above it.
_HOUR_WEIGHT = 30.0
_DAY_WEIGHT = 120.0
_OFFICE_WEIGHT = 120.0
_SITE_DAY_WEIGHT = 150.0
_LEAST_RATE = 0.02
# Documents are the work of offices: what is expected of their week (from Thursday on) until visits have shown it.
_OFFICE_WEEK = (1.0, 1.0, 0.25, 0.25, 1.0, 1.0, 1.0)
# Expected edits that weigh as much as what is known of all sites, and the least that a site is thought to edit late:
# an article is looked at now and then all the same, so that a site that changes its habits is noticed.
_EDITS_WEIGHT = 3.0
_LEAST_EDITS = 0.03
# What an article's own edits are worth is believed until so much of what they say has been put to the test.
_OWN_PRIOR = 20.0
# Natural logarithms of odds: that edits follow the age of articles, beforehand, and what other sites can say at most.
_BY_AGE, _OTHERS = 3.0, 5.0
# Sooner than other sums: a profile that fails is to be left.
_SOONER = 2.0
# Visits without a change that weigh as much as the belief that rates are even.
_QUIET_PRIOR = 2.0
_SUMS = (
    "hour_items", "hour_expected", "day_items", "day_expected", "edits_seen", "edits_expected", "steady", "own",
    "costs", "hour_costs", "quiet",
)  # fmt: skip
# Not counted by those who wrote the first profiles.
_LATER = ("edits_", "steady", "own", "costs", "hour_costs", "quiet")


class Level:
    """Sums over the visits of one site's pages of one kind.

    Attributes:
        hour_items, hour_expected: by hour of the local day, the items seen and those expected of an even rate.
        day_items, day_expected: the same by day of the week, the first a Thursday.
        edits_seen, edits_expected: by age of the article (``edits.AGES``).
        steady: of the articles: hours, edits, and how much better one rate foretold visits than age (log-likelihood).
        own: of the articles' own factors f at each visit, with p the chance of an edit by the habits: the sums of
            p, p f, p f², and of f and 1 where there was an edit; what a regression needs.
        costs: of the pages' own intervals, see ``blend.Costs``.
        hour_costs: of the profile, in the same way.
        quiet: of visits at which a document was likely to have changed, those without a change: expected, and seen.
        log_rate, rate_days: sum of the pages' log change rates (per day), weighted by observed days, and the weights.
    """

    __slots__ = (
        "costs", "day_expected", "day_items", "edits_expected", "edits_seen", "hour_costs", "hour_expected",
        "hour_items", "log_rate", "own", "quiet", "rate_days", "steady",
    )  # fmt: skip

    def __init__(self) -> None:
        self.hour_items, self.hour_expected = [0.0] * 24, [0.0] * 24
        self.day_items, self.day_expected = [0.0] * 7, [0.0] * 7
        self.edits_seen, self.edits_expected = [0.0] * SPANS, [0.0] * SPANS
        self.log_rate = self.rate_days = 0.0
        self.steady, self.own = [0.0] * 3, [0.0] * 5
        self.costs, self.hour_costs = [0.0] * SUMS, [0.0] * SUMS
        self.quiet = [0.0] * 2

    def add(self, other: Level) -> None:
        """Adds another level's sums."""
        for name in _SUMS:
            setattr(self, name, [a + b for a, b in zip(getattr(self, name), getattr(other, name), strict=True)])
        self.log_rate += other.log_rate
        self.rate_days += other.rate_days

    def fade(self, keep: float) -> None:
        """Multiplies all sums, so that old weeks count less."""
        for name in _SUMS:
            kept = keep**_SOONER if name == "hour_costs" else keep
            setattr(self, name, [kept * value for value in getattr(self, name)])
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
            value = kept.get(name, before if name.startswith(_LATER) else None)
            if isinstance(before, list):
                if not isinstance(value, list) or len(value) != len(before):
                    raise StateError(f"site profile: {name} is damaged")
                setattr(level, name, [float(v) for v in value])
            elif isinstance(value, int | float):
                setattr(level, name, float(value))
            else:
                raise StateError(f"site profile: {name} is damaged")
        return level


def habits(above: Level, level: Level) -> tuple[float, ...]:
    """Edits seen for each expected, by age: the site's, drawn towards those of all sites, and these towards 1."""
    found = []
    for seen, even, seen_above, even_above in zip(
        level.edits_seen, level.edits_expected, above.edits_seen, above.edits_expected, strict=True
    ):
        usual = (seen_above + _EDITS_WEIGHT) / (even_above + _EDITS_WEIGHT)
        found.append(max(_LEAST_EDITS, (seen + _EDITS_WEIGHT * usual) / (even + _EDITS_WEIGHT)))
    return tuple(found)


def steady_edits(above: Level, level: Level) -> Steady:
    """Whether the site's articles are edited at one rate, whatever their age, by how well that has told its visits.

    Two forecasts of each visit are compared, so what is believed follows by Bayes' rule. Other sites are evidence too,
    as far as they may be others.
    """
    hours, edits, told = above.steady
    own_hours, own_edits, own_told = level.steady
    if hours <= 0.0 or edits <= 0.0:
        return NEVER
    usual = edits / hours
    others = min(max(told - own_told - _BY_AGE, -_OTHERS), _OTHERS)
    odds = min(max(own_told + others, -20.0), 20.0)
    return Steady(1.0 / (1.0 + exp(-odds)), (own_edits + _EDITS_WEIGHT) / (own_hours + _EDITS_WEIGHT / usual))


def doubt(above: Level) -> float:
    """How little the rates of documents that change at most visits say of how long they stay the same, 0 to 1.

    At even rates some of these visits would find no change. Where none does, the pages differ at each fetch; where many
    do, their changes come in bursts. Visits can then follow neither. Up to 1.4 times as many or few are no reason.
    """
    expected, seen = above.quiet
    return min(max(2.0 * abs(log2((seen + _QUIET_PRIOR) / (expected + _QUIET_PRIOR))) - 1.0, 0.0), 1.0)


def own_worth(above: Level) -> tuple[float, float]:
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


def week_rates(above: Level, level: Level) -> list[float]:
    """Rates over the hours of a week: the site's, drawn towards those of all sites, and these towards an even week."""
    hours = _ratios(above.hour_items, above.hour_expected, [1.0] * 24, _HOUR_WEIGHT)
    days = _ratios(above.day_items, above.day_expected, [1.0] * 7, _DAY_WEIGHT)
    if level is not above:
        hours = _ratios(level.hour_items, level.hour_expected, hours, _HOUR_WEIGHT)
        days = _ratios(level.day_items, level.day_expected, days, _SITE_DAY_WEIGHT)
    smooth = [(hours[i - 1] + 2 * hours[i] + hours[(i + 1) % 24]) / 4 for i in range(24)]
    return [max(_LEAST_RATE, day * hour) for day in days for hour in smooth]


def office_rates(above: Level) -> list[float]:
    """Rates over the hours of a week in which offices work, as far as documents of all sites have shown it."""
    days = _ratios(above.day_items, above.day_expected, list(_OFFICE_WEEK), _OFFICE_WEIGHT)
    return [day for day in days for _ in range(24)]


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
