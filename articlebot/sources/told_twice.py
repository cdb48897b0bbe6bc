"""Lists of one program's data that name the same articles by different addresses."""

from __future__ import annotations

from collections.abc import Sequence

from articlebot.sources.data import Item

# Articles of a list that another names at other addresses, at least and as a share.
_LEAST, _MOSTLY = 5, 0.8


def told_once(items: Sequence[Item]) -> list[Item]:
    """The items without those of lists that name by other addresses what another list does.

    A program has its menu, its pages and what else they may be called by; what the last leads to may be shown by the
    program alone. The list that says when its articles were published is the one that it shows, else the first.
    """
    lists: dict[str, list[Item]] = {}
    for item in items:
        lists.setdefault(item.place, []).append(item)
    if len(lists) < 2:
        return [*items]
    at: dict[str, str] = {}
    left: set[str] = set()
    for place, members in sorted(lists.items(), key=lambda one: -sum(item.published_at is not None for item in one[1])):
        twins = sum(bool(item.url) and at.get(item.title, item.url) != item.url for item in members)
        if twins >= _LEAST and twins >= _MOSTLY * len(members):
            left.add(place)
            continue
        for item in members:
            at.setdefault(item.title, item.url)
    return [item for item in items if item.place not in left]
