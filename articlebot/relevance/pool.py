"""The pages known and not yet fetched, best first: insert, extract-max, increase-key (design B)."""

from __future__ import annotations

import heapq

_MOST = 200_000


class Pool:
    """A max-priority queue of addresses. A priority only rises; equal ones come out in the order they came in.

    Args:
        most: addresses kept; beyond it the worse half is dropped.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._heap: list[tuple[float, int, str]] = []
        self._best: dict[str, float] = {}
        self._arrivals = 0
        self._most = most

    def __len__(self) -> int:
        return len(self._best)

    def offer(self, url: str, priority: float) -> None:
        """Inserts an address, or raises its priority where it is known."""
        if priority <= self._best.get(url, float("-inf")):
            return
        self._best[url] = priority
        self._arrivals += 1
        heapq.heappush(self._heap, (-priority, self._arrivals, url))
        if len(self._best) > self._most or len(self._heap) > 4 * self._most:
            self._shrink()

    def take(self) -> str | None:
        """Takes the best address out, None where there is none."""
        while self._heap:
            negative, _, url = heapq.heappop(self._heap)
            if self._best.get(url) == -negative:
                del self._best[url]
                return url
        return None

    def _shrink(self) -> None:
        current = [entry for entry in self._heap if self._best.get(entry[2]) == -entry[0]]
        self._heap = heapq.nsmallest(min(len(current), self._most // 2), current)
        self._best = {url: -negative for negative, _, url in self._heap}
