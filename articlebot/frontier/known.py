"""Links that need not be sent to Redis again."""

from __future__ import annotations


class KnownLinks:
    """Links that were admitted a short while ago, by their text: most links of a page stand on the page before it too.

    Two generations of dictionaries; a link that is asked for again stays.

    Attributes:
        cleared: how often all was forgotten. What was admitted before that may be lost, and is not to be added after.
    """

    def __init__(self, size: int) -> None:
        self.cleared = 0
        self._half = max(1, size // 2)
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}

    def knows(self, url: str, priority: int) -> bool:
        """Whether the link was admitted with at least this priority."""
        known = self._young.get(url)
        if known is None:
            known = self._old.get(url)
            if known is None:
                return False
            self.add(url, known)
        return known >= priority

    def add(self, url: str, priority: int) -> None:
        """Remembers a link."""
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[url] = priority

    def clear(self) -> None:
        """Forgets all."""
        self.cleared += 1
        self._young, self._old = {}, {}
