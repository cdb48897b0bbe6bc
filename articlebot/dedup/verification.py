"""When two texts are near-duplicates, and which members of a cluster still hang together: pure decisions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from articlebot.config import Dedup
from articlebot.dedup.sketch import Kind, Marks, Overlaps

# Two texts with so much in common share nine of the ten items by which they are found, in the mean.
_TWIN = 0.9
# A digest of three equal stories has a third in common with each.
_CONNECTS = 0.38


def are_duplicates(kind: Kind, overlaps: Overlaps, same_source: Marks, params: Dedup) -> Marks:
    """Whether overlaps make pairs of texts of a kind near-duplicates.

    An excerpt or a version with an added paragraph shares nearly all of the smaller text (containment), but a text that
    merely quotes another whole shares little of both (Jaccard). Two pages of one site share its templates; they must
    agree in nearly everything. A template filled in anew has other numbers; those of a reprint are in its original.
    """
    if kind == "simhash":
        near: Marks = overlaps.jaccard >= 1 - int(params.method[7:]) / 64
        return near
    if kind == "short":
        alike: Marks = (overlaps.jaccard >= params.short_jaccard) & (overlaps.numbers == 1.0)
        return alike
    least = np.where(same_source, max(params.containment, params.same_source), params.containment)
    alike = (overlaps.containment >= least) & (overlaps.jaccard >= params.jaccard)
    return alike & (overlaps.numbers >= params.numbers)


def are_twins(kind: Kind, overlaps: Overlaps) -> Marks:
    """Whether whatever finds the one text finds the other as well, so that one of them need not be in the index."""
    twins: Marks = overlaps.jaccard >= (1.0 if kind != "words" else _TWIN)
    return twins


def connecting(jaccards: Sequence[float]) -> list[int]:
    """Those matches of an article whose clusters it joins.

    A page that holds several whole articles matches each of them and connects none: it joins the cluster of the
    nearest, and others only where it shares over a third with them.
    """
    nearest = max(range(len(jaccards)), key=jaccards.__getitem__, default=None)
    return [n for n, jaccard in enumerate(jaccards) if n == nearest or jaccard >= _CONNECTS]


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
