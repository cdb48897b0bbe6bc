"""Which cluster each article has in the end, from the placements that followed one another."""

from __future__ import annotations

from articlebot.dedup.near_duplicates import Placement


class Assignments:
    """Follows the clusters of articles through joins and splits."""

    def __init__(self) -> None:
        self._of: dict[int, str] = {}
        self._into: dict[str, str] = {}

    def note(self, key: int, placement: Placement) -> None:
        """Takes in what placing an article has done to it and to others."""
        for name in placement.merged:
            self._into[name] = placement.cluster
        self._of[key] = placement.cluster
        for other, name in placement.moved.items():
            self._into.pop(name, None)  # a name that comes back stands for itself again
            self._of[other] = name

    def cluster(self, key: int) -> str:
        """An article's cluster now.

        Raises:
            KeyError: it was never placed.
        """
        name = self._of[key]
        while name in self._into:
            name = self._into[name]
        return name
