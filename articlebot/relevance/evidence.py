"""What is known of a page before it is fetched, and the named rules that make a priority of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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

SHARK_DECAY = 0.5  # Hersovici et al. 1998, their delta
SHARK_ANCHOR = 0.8  # gamma: the neighbourhood against what is inherited
SHARK_LINK = 0.8  # beta: the anchor against its context


def breadth(_: Evidence) -> float:
    """First found, first fetched."""
    return 0.0


def page(evidence: Evidence) -> float:
    """The source's relevance."""
    return evidence.page


def anchor(evidence: Evidence) -> float:
    """The link's own words."""
    return max(evidence.anchor, 0.5 * evidence.context)


def design(evidence: Evidence, m1: float = 0.5, m2: float = 0.5) -> float:
    """Design B: p = m1 * cos + m2 * Hub; m1 + m2 = 1."""
    return m1 * evidence.page + m2 * evidence.hub


def shark(evidence: Evidence) -> float:
    """Shark search (Hersovici et al. 1998): anchor and context, and what relevant ancestors bequeath."""
    neighbourhood = SHARK_LINK * evidence.anchor + (1 - SHARK_LINK) * (1.0 if evidence.anchor > 0 else evidence.context)
    return SHARK_ANCHOR * neighbourhood + (1 - SHARK_ANCHOR) * evidence.inherited


def bequest(relevance: float, inherited: float) -> float:
    """What a page's links inherit in shark search: its relevance, or its own inheritance where it has none."""
    return SHARK_DECAY * (relevance if relevance > 0 else inherited)


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
    "blend": blend, "breadth": breadth, "page": page, "design": design, "anchor": anchor, "shark": shark,
}  # fmt: skip


def at_least_source(priority: float, source: float) -> float:
    """The design's first link assumption: a target is at least as good as its source."""
    return max(priority, source)


def equal_in_query(priorities: Sequence[float]) -> list[float]:
    """The design's second link assumption: pages found by one query rank equal, at the best of them."""
    return [max(priorities)] * len(priorities) if priorities else []
