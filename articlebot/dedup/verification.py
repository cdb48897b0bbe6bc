"""When two texts are near-duplicates, and which members of a cluster still hang together: pure decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from articlebot.config import Dedup
from articlebot.dedup.sketch import NOTHING, Kind, Overlap

_TWIN = 0.9
_CONNECTS = 0.38


def is_duplicate(kind: Kind, overlap: Overlap, same_source: bool, params: Dedup) -> bool:
    """Whether an overlap makes two texts near-duplicates.

    An excerpt or a version with an added paragraph shares nearly all of the smaller text (containment), but a text that
    merely quotes another whole shares little of both (Jaccard). Two pages of one site share its templates; they must
    agree in nearly everything. A template filled in anew has other numbers; those of a reprint are in its original.
    """
    if kind == "simhash":
        return True  # the index has measured the distance, and the rule asks for no more
    if kind == "short":
        return overlap.jaccard >= params.short_jaccard and overlap.numbers == 1.0
    if overlap.numbers < params.numbers:
        return False
    least = max(params.containment, params.same_source) if same_source else params.containment
    return overlap.containment >= least and overlap.jaccard >= params.jaccard


def is_twin(kind: Kind, overlap: Overlap) -> bool:
    """Whether whatever finds the one text finds the other as well, so that one of them need not be in the index."""
    return overlap.jaccard >= (1.0 if kind != "words" else _TWIN)


def joined(matches: Sequence[tuple[int, Overlap]]) -> set[int]:
    """The clusters that an article joins, of those it matches with.

    A page that holds several whole articles matches each of them and connects none: it joins the nearest cluster, and
    others only where it shares over a third with them.
    """
    nearest = max(matches, key=lambda match: match[1].jaccard, default=(0, NOTHING))[0]
    return {nearest, *(cluster for cluster, overlap in matches if overlap.jaccard >= _CONNECTS)}


def components(count: int, linked: Callable[[int, int], bool]) -> list[list[int]]:
    """The connected groups of 0 .. count-1, each ascending, in the order of their first."""
    waiting, groups = list(range(count)), []
    while waiting:
        group = [waiting.pop(0)]
        for member in group:  # grows while it is walked
            near = [other for other in waiting if linked(member, other)]
            group.extend(near)
            waiting = [other for other in waiting if other not in near]
        groups.append(sorted(group))
    return groups


def keep_first(groups: Sequence[list[int]], anchor: int) -> list[list[int]]:
    """The groups with the one that holds ``anchor`` first; unchanged where none does."""
    return sorted(groups, key=lambda group: anchor not in group)
