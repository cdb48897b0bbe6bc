"""Which e-papers list all articles of a day on each of the day's sheets, so that one sheet a day is enough."""

from __future__ import annotations

from articlebot.sources.dated import Dated

# Links that a sheet lists, at least, or two sheets may be alike by chance.
_FEW_LINKS = 4


class Sheets:
    """Learns it for each job, from two sheets of a day that list the same."""

    def __init__(self) -> None:
        # Of a job the sheet read last, the end of its day and what it lists.
        self._last: dict[str, tuple[str, tuple[int, int, int], frozenset[int]]] = {}
        self._whole: set[str] = set()

    def note(self, job: str, own: Dated, listed: frozenset[int]) -> None:
        """A sheet was read, with the keys of the articles that it lists."""
        url, ends, before = self._last.get(job, ("", own.ends, frozenset()))
        if url != own.url and ends == own.ends and listed == before and len(listed) >= _FEW_LINKS:
            self._whole.add(job)
        self._last[job] = own.url, own.ends, listed

    def needed(self, job: str, archives: list[Dated], own: Dated | None) -> list[Dated]:
        """Those of a job's archives, the newest first, that are to be read: where sheets list their days, one a day."""
        if job not in self._whole:
            return archives
        days = {one.ends: one for one in reversed(archives) if own is None or one.ends != own.ends}
        return [one for one in archives if one.rank >= 0 or days.get(one.ends) == one]
