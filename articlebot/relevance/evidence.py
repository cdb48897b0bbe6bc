"""What is known of a page before it is fetched, and the named rules that make a priority of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the pages linking to a page tell of it. All values lie in [0, 1] but the counts.

    Attributes:
        page: relevance of the best source.
        anchor: cosine of the best anchor text with the topic.
        context: cosine of the best text around a link with the topic.
        described: share of its links whose anchor has words beyond those that many links have.
        inherited: the best source's own inherited score (shark search).
        hub: the design's hub score of the best source.
        source: chance of a link of the best source: from what its followed links and its anchors say.
        accumulated: log-odds of all sources' chances against the crawl's, added up.
        site: share of the pages fetched from its site that were relevant.
        relevant_links: relevant sources, weighed by how many of their links are.
        links: sources in all.
    """

    page: float = 0.0
    anchor: float = 0.0
    context: float = 0.0
    described: float = 0.0
    inherited: float = 0.0
    hub: float = 0.0
    source: float = 0.0
    accumulated: float = 0.0
    site: float = 0.0
    relevant_links: float = 0.0
    links: int = 1


Rule = Callable[[Evidence], float]

# Shark search's delta, gamma and beta (Hersovici et al. 1998): what is passed on, the neighbourhood against what is
# inherited, the anchor against its context.
SHARK_DECAY, SHARK_ANCHOR, SHARK_LINK = 0.5, 0.8, 0.8


def design(evidence: Evidence, m1: float = 0.5) -> float:
    """Design B: p = m1 * cos + m2 * Hub; m1 + m2 = 1."""
    return m1 * evidence.page + (1 - m1) * evidence.hub


def shark(evidence: Evidence) -> float:
    """Shark search: anchor and context, and what relevant ancestors bequeath."""
    neighbourhood = SHARK_LINK * evidence.anchor + (1 - SHARK_LINK) * (1.0 if evidence.anchor > 0 else evidence.context)
    return SHARK_ANCHOR * neighbourhood + (1 - SHARK_ANCHOR) * evidence.inherited


def bequest(relevance: float, inherited: float) -> float:
    """What a page's links inherit in shark search: its relevance, or its own inheritance where it has none."""
    return SHARK_DECAY * (relevance if relevance > 0 else inherited)


# Set on the webs 0 to 9 of ``benchmarks.focused``; the figures of docs/benchmarks.md are of ten others.
WEIGHTS: Mapping[str, float] = {
    "page": 0.8, "anchor": 1.8, "context": 0.7, "undescribed": 0.55, "source": 1.5, "accumulated": 0.6, "site": 1.2,
    "relevant_links": 0.3, "bias": -2.6,
}  # fmt: skip


def blend(evidence: Evidence) -> float:
    """The chance that a page is relevant: a logistic sum of all evidence; the default.

    The weights are fixed. Learning them during the crawl was tried and made the harvest worse (.55 against .58 over
    ten webs): a crawl sees the outcomes of those links only that it followed.
    """
    weighed = {
        "page": evidence.page,
        "anchor": math.sqrt(evidence.anchor),
        "context": math.sqrt(evidence.context),
        "undescribed": 1.0 - evidence.described,
        "source": evidence.source,
        "accumulated": max(-2.0, min(4.0, evidence.accumulated)),
        "site": evidence.site,
        "relevant_links": math.log1p(evidence.relevant_links),
        "bias": 1.0,
    }
    total = math.fsum(WEIGHTS[name] * value for name, value in weighed.items())
    return 1.0 / (1.0 + math.exp(-total))


RULES: Mapping[str, Rule] = {
    "blend": blend,
    "design": design,
    "shark": shark,
    "page": lambda evidence: evidence.page,
    "anchor": lambda evidence: max(evidence.anchor, 0.5 * evidence.context),
    "breadth": lambda _: 0.0,  # first found, first fetched
}


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

    CL(u) is the number of relevant pages that u links to, or of its links that were found to speak of the topic; Cmax
    is the greatest CL of any page. So a score lies in [0, 1], and the best hub known has 1.
    """

    def __init__(self) -> None:
        self._links: dict[str, int] = {}
        self._most = 0

    def add(self, url: str, links: int = 1) -> None:
        """So many more of a page's links lead to the topic."""
        count = self._links[url] = self._links.get(url, 0) + links
        self._most = max(self._most, count)

    def score(self, url: str) -> float:
        """Hub(u) in [0, 1]; 0 as long as no relevant page is known."""
        return self._links.get(url, 0) / self._most if self._most else 0.0
