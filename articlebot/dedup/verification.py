"""When two texts are near-duplicates, and which members of a cluster still hang together: pure decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from articlebot.config import Dedup
from articlebot.dedup.index import Numbers
from articlebot.dedup.minwise import Marks
from articlebot.dedup.sketch import Kind, Overlaps

# Two texts with so much in common share nine of the ten items by which they are found, in the mean.
_TWIN = 0.9


@dataclass(frozen=True, slots=True)
class Sites:
    """What is known of the sites of pairs: they are the same, they are different; neither where one is unknown."""

    same: Marks
    different: Marks

    @classmethod
    def of(cls, one: Numbers, other: Numbers) -> Sites:
        """From the sites' numbers, 0 for an unknown one."""
        known, equal = (one > 0) & (other > 0), one == other
        return cls(known & equal, known & ~equal)

    def at(self, pairs: Numbers) -> Sites:
        """Those of some of the pairs."""
        return Sites(self.same[pairs], self.different[pairs])


def are_duplicates(kind: Kind, overlaps: Overlaps, sites: Sites, params: Dedup) -> Marks:
    """Whether overlaps make pairs of texts of a kind near-duplicates: the same whichever of the two came first.

    An excerpt or a version with an added paragraph has nearly all of the words of the smaller text (containment), but a
    text that merely quotes another whole, or a digest of several, shares little of the larger one. An edited version
    shares fewer words, and they stand apart: what two texts have in one piece may be the boilerplate of a site.
    Judgments, weather reports and the like share their words, not the runs of them. Two pages of one site share its
    templates; they must agree in nearly everything. A template filled in anew has other numbers; those of a reprint are
    in its original.
    """
    if kind == "simhash":
        near: Marks = overlaps.jaccard >= 1 - int(params.method[7:]) / 64
        return near
    if kind == "short":
        alike: Marks = (overlaps.jaccard >= params.short_jaccard) & (overlaps.numbers == 1.0)
        return alike
    apart = overlaps.together < params.together
    alike = (overlaps.words >= params.words) | (overlaps.words >= params.edited_words) & (apart | sites.different)
    alike &= overlaps.words_larger >= params.words_larger
    alike &= overlaps.larger >= np.where(overlaps.containment < params.whole, params.edited_larger, params.larger)
    alike &= ~sites.same | (np.minimum(overlaps.containment, overlaps.words) >= params.same_source)
    return alike & (overlaps.numbers >= params.numbers)


def are_twins(kind: Kind, overlaps: Overlaps) -> Marks:
    """Whether whatever finds the one text finds the other as well, so that one of them need not be in the index."""
    twins: Marks = overlaps.jaccard >= (1.0 if kind != "words" else _TWIN)
    return twins


def components(linked: Marks) -> list[list[int]]:
    """The connected groups of texts, each ascending, in the order of their first; ``linked`` is a square table."""
    waiting, groups = list(range(len(linked))), []
    while waiting:
        group = [waiting.pop(0)]
        for member in group:  # grows while it is walked
            near = [other for other in waiting if linked[member, other] or linked[other, member]]
            group.extend(near)
            waiting = [other for other in waiting if other not in near]
        groups.append(sorted(group))
    return groups


def keep_first(groups: Sequence[list[int]], anchor: int) -> list[list[int]]:
    """The groups with the one that holds ``anchor`` first; unchanged where none does."""
    return sorted(groups, key=lambda group: anchor not in group)
