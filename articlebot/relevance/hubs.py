"""How good a page is as a source of links, from what its links turned out to be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Tally:
    """What the followed links of one page (or to one site) turned out to be."""

    fetched: int = 0
    relevant: float = 0.0

    def add(self, relevance: float) -> None:
        """Counts one target; its relevance is a share of 1."""
        self.fetched += 1
        self.relevant += relevance

    def rate(self, prior: float, weight: float) -> float:
        """Share of relevant targets, drawn to a prior that counts as `weight` targets."""
        return (self.relevant + prior * weight) / (self.fetched + weight)


class HubScores:
    """The design's hub score: Hub(u) = CL(u) / Cmax.

    CL(u) is the number of relevant pages that u links to, Cmax the greatest CL of any page; so a score lies in [0, 1],
    and the best hub known has 1.
    """

    def __init__(self) -> None:
        self._links: dict[str, int] = {}
        self._most = 0

    def relevant_target(self, url: str) -> None:
        """One more page that `url` links to is relevant."""
        count = self._links[url] = self._links.get(url, 0) + 1
        self._most = max(self._most, count)

    def score(self, url: str) -> float:
        """Hub(u) in [0, 1]; 0 as long as no relevant page is known."""
        return self._links.get(url, 0) / self._most if self._most else 0.0
