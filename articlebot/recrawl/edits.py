"""When articles are edited: soon after they appear, soon after another edit, and later as their site is used to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import exp, log, sqrt
from typing import NamedTuple

# Hours after publication at which a site's habits are told apart: same day, a day, three days, later.
AGES = (6.0, 24.0, 72.0)
SPANS = len(AGES) + 1
# Edits expected per e-fold of time, the part of them that follows the article's age (the rest the time since its last
# edit), and the hours at the start in which both are as likely as at this age.
_RATE = 0.35
_BY_AGE = 0.7
_OFFSET = 0.3
# How many expected edits weigh as much as one article's own, and the bounds of what its own can say.
_OWN_WEIGHT = 4.0
_OWN_LEAST, _OWN_MOST = 1 / 3, 4.0
_ENDS = (*(age + _OFFSET for age in AGES), float("inf"))
# Steps of the sum over an interval grow by this factor.
_GROWTH = 1.3


class Steady(NamedTuple):
    """Edits that come at one rate, whatever the article's age: those of a page that is kept up to date.

    Attributes:
        share: how likely it is that a site's articles are edited so, 0 to 1.
        rate: edits an hour.
    """

    share: float = 0.0
    rate: float = 0.0


NEVER = Steady()


def due(age: float, quiet: float, hours: float, habits: Sequence[float], steady: Steady) -> float:
    """Edits expected within the next ``hours``, by a site's habits; see ``expected``."""
    by_habit = sum(habit * even for habit, even in zip(habits, expected(age, quiet, hours), strict=True))
    return (1.0 - steady.share) * by_habit + steady.share * steady.rate * hours


def expected(age: float, quiet: float, hours: float) -> list[float]:
    """Edits expected within the next ``hours``, by the span of ages in which they fall, before any site's habits.

    Args:
        age: hours since the article appeared.
        quiet: hours since its last edit.
    """
    found, end = [0.0] * SPANS, age + hours
    begin, by_age, quieter = age, age + _OFFSET, quiet - age + _OFFSET
    for place in range(span(age), SPANS):
        last = place == SPANS - 1 or end <= AGES[place]
        until = end if last else AGES[place]
        if until > begin:
            by_quiet = log((until + quieter) / (begin + quieter))
            found[place] = _RATE * (_BY_AGE * log((until + _OFFSET) / by_age) + (1.0 - _BY_AGE) * by_quiet)
        if last:
            break
        begin, by_age = until, until + _OFFSET
    return found


def span(age: float) -> int:
    """Which of the spans an age in hours falls in."""
    return bisect_right(AGES, age)


def own_factor(age: float, edits: float, habits: Sequence[float], steady: Steady = NEVER) -> float:
    """How much more, or less, an article is edited than others of its age, drawn towards 1.

    Args:
        edits: how many were seen.
        habits, steady: the site's, see ``Params``.
    """
    # An article without an edit has been quiet for its age: both parts of the hazard are one.
    due, begin = 0.0, _OFFSET
    for habit, end in zip(habits, _ENDS, strict=True):
        if age + _OFFSET <= end:
            due += habit * _RATE * log((age + _OFFSET) / begin)
            break
        due += habit * _RATE * log(end / begin)
        begin = end
    due += steady.share * (steady.rate * age - due)
    return min(max((edits + _OWN_WEIGHT) / (due + _OWN_WEIGHT), _OWN_LEAST), _OWN_MOST)


def interval(
    age: float,
    quiet: float,
    factor: float,
    habits: Sequence[float],
    steady: Steady = NEVER,
    *,
    worth: float,
    longest: float,
) -> float:
    """Hours until a visit is worth its cost: the expected stale time that it ends since it could have begun.

    A visit after T hours gains the integral over u up to T of u h(u) exp(-H(u)), h the hazard of the next edit after
    u hours and H its integral. The interval is the T at which this reaches ``worth``, so that the last visit of every
    article gains the same.

    Args:
        factor: the article's own, from ``own_factor``.
        worth: hours of staleness.
        longest: the result is at most this, hours.
    """
    by_age, by_quiet = age + _OFFSET, quiet + _OFFSET
    by_habit, always = (1.0 - steady.share) * factor, steady.share * steady.rate * factor
    rate, rate_quiet = _RATE * _BY_AGE * by_habit, _RATE * (1.0 - _BY_AGE) * by_habit
    first = 0.3 * sqrt(worth * min(by_age, by_quiet))
    gained, done, kept, until = 0.0, 0.0, 1.0, min(max(first, 1e-4), 4.0)
    place = span(age)
    while done < longest:
        middle = (done + until) / 2
        while place < len(AGES) and age + middle >= AGES[place]:
            place += 1
        habit = habits[place]
        hazard = habit * (rate / (by_age + middle) + rate_quiet / (by_quiet + middle)) + always
        gain = middle * hazard * kept * (until - done)
        if gained + gain >= worth:
            return min(done + (until - done) * (worth - gained) / gain, longest)
        gained += gain
        kept *= exp(-hazard * (until - done))
        done, until = until, until * _GROWTH
    return longest
