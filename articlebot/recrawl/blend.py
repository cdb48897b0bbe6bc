"""How far the pages of a job are worth different intervals, judged by what other intervals would have cost.

For a page whose own interval is r times the even one, a power w of it waits r^w times as long. So the items found at a
visit would have waited in proportion to r^w, and the time since the last visit would have held visits in proportion to
r^-w. At an equal number of visits the delay is the product of both sums. No model of the changes is needed: where a
page's own interval tells nothing of what is found next, every power but 0 costs more.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt
from typing import NamedTuple

# No list page is visited so much more often than at the even interval: 8 times gained nothing over 4 on the histories,
# and one busy page of a hundred then keeps the others waiting. Documents need no such bound: a change of theirs waits
# once however many follow, and their own rule grows slowly with the rate. 8 cost them .02 of uniform's staleness.
_MOST_LISTS = 4.0
# No page is visited so much more seldom.
_LONGEST = 5.0
# Sums over visits, for the powers 0 (a fixed interval), one half and 1 each: of the items found r^w, and the square of
# it; of the seconds between visits r^-w. Then, of these seconds, the visits at the page's own interval at scale 1.
SUMS = 10
# A visit counts so many times the items of a usual one at most, and never fewer than the second number.
_MOST_ITEMS, _LEAST_ITEMS = 8.0, 4.0
# What is believed before visits tell: own intervals cost so much less than the even one, as this many items say.
_PRIOR_ITEMS = 6.0
_PRIOR_COST = (1.0, 0.94, 0.9)
# On list pages the square of the delays counts beside them, so that the longest are no longer than at even intervals.
TAIL = 0.25


class Blend(NamedTuple):
    """What pages of one kind are to make of their own intervals.

    Attributes:
        even: seconds at scale 1: the interval with which all pages would be visited as often as with their own.
        power: 0 to 1, how far the own interval counts.
        level: by what the blended intervals are multiplied so that the visits stay as many.
        most: how many times as often as at the even interval a page is visited at most; infinite for documents.
        usual: items that a visit finds, at scale 1 and the even interval.
    """

    even: float
    power: float
    level: float
    most: float
    usual: float

    def ratio(self, interval: float, scale: float) -> float:
        """A page's own interval over the even one, within bounds."""
        return min(max(interval / (self.even * scale), 1.0 / self.most), _LONGEST)

    def most_items(self, scale: float) -> float:
        """Items of one visit that count, so that one page of very many does not say alone what is best for all."""
        return max(_LEAST_ITEMS, _MOST_ITEMS * self.usual * scale)

    def of(self, interval: float, scale: float) -> float:
        """The interval between a page's own and the even one."""
        blended: float = self.even * scale * self.level * self.ratio(interval, scale) ** self.power
        return blended


def note(sums: list[float], ratio: float, items: float, seconds: float, even: float = 0.0) -> None:
    """Counts a visit after ``seconds`` that found ``items``.

    Args:
        even: changes expected within an even interval, where a second one does no more harm (a stale copy cannot be
            more than stale): of those that wait u changes long, 1 in 1 + u/2 counts.
    """
    root = sqrt(ratio)
    sums[6] += seconds
    sums[7] += seconds / root
    sums[8] += seconds / ratio
    if items:
        none, half, full = (
            (items / (1.0 + even / 2), items * root / (1.0 + even * root / 2), items * ratio / (1.0 + even * ratio / 2))
            if even
            else (items, items * root, items * ratio)
        )
        sums[0] += none
        sums[1] += half
        sums[2] += full
        sums[3] += none
        sums[4] += half * root
        sums[5] += full * ratio


def blended(sums: list[float], *, lists: bool) -> Blend | None:
    """What the sums say; None before there is anything to say."""
    if sums[6] <= 0.0 or sums[9] <= 0.0:
        return None
    power = best_power(sums, tail=TAIL if lists else 0.0)
    even = sums[6] / sums[9]
    return Blend(even, power, _level(sums, power), _MOST_LISTS if lists else inf, even * sums[0] / sums[6])


def best_power(sums: list[float], *, prior: float = _PRIOR_ITEMS, tail: float = 0.0) -> float:
    """The power that costs least, 0 to 1: the lowest point of the parabola through the three.

    Args:
        prior: items that what is believed beforehand weighs.
        tail: how much the square of the delays counts beside them.
    """
    if sums[6] <= 0.0:
        return 1.0
    items, costs = sums[0] + prior, []
    for i, before in enumerate(_PRIOR_COST):
        visits = sums[6 + i] / sums[6]
        mean = (sums[i] * visits + prior * before) / items
        square = (sums[3 + i] * visits**2 + prior * before**2) / items
        costs.append(log(mean) + tail * log(square))
    none, half, full = costs
    bend = 2.0 * (none - 2.0 * half + full)
    if bend <= 1e-9:
        return 1.0 if full < none else 0.0
    return min(max((3.0 * none - 4.0 * half + full) / (2.0 * bend), 0.0), 1.0)


def _level(sums: list[float], power: float) -> float:
    """Mean of r^-power over the time: between the three by the parabola through their logarithms."""
    half, full = log(sums[7] / sums[6]), log(sums[8] / sums[6])
    return exp(power * full + power * (power - 1.0) * (2.0 * full - 4.0 * half))
