"""The memory of a focused crawl: which pages link where, and what each page not yet fetched is worth."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, Self
from urllib.parse import urlsplit

from articlebot.items import Link
from articlebot.relevance.evidence import RULES, Evidence, HubScores, Tally, bequest, design
from articlebot.relevance.judge import Judge
from articlebot.relevance.vectors import terms
from articlebot.urls import subdomain

Assumption = Literal["at_least_source", "equal_in_query"]
# This and _ANCHOR_WEIGHT were set on the webs 0 to 9 of ``benchmarks.focused``.
_PRIOR_WEIGHT = 4.0
# An anchor that stands on this many pages for different targets ("more", "home") describes none of them.
_COMMON_ANCHOR = 3
_MAX_SOURCES = 50
_ANCHOR_WEIGHT = 0.5


def _bucket(relevance: float) -> int:
    return 0 if relevance < 0.3 else 1 if relevance < 0.8 else 2


def _logit(chance: float) -> float:
    chance = min(0.99, max(0.01, chance))
    return math.log(chance / (1 - chance))


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a page that was fetched.

    Attributes:
        share: its relevance as a share of a page plainly on the topic, 0 to 1.
        outcome: what following a link to it was worth, 0 to 1.
        links: target, cosine of the anchor and of its context with the topic, and whether the anchor says anything.
    """

    url: str
    share: float
    outcome: float
    links: tuple[tuple[str, float, float, bool], ...] = ()

    def to_json(self) -> str:
        """As it goes to other workers; cosines rounded to four places."""
        links = [(url, round(anchor, 4), round(context, 4), int(said)) for url, anchor, context, said in self.links]
        return json.dumps([self.url, round(self.share, 4), round(self.outcome, 4), links], separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The reverse of `to_json`."""
        url, share, outcome, links = json.loads(text)
        return cls(url, share, outcome, tuple((to, anchor, context, bool(said)) for to, anchor, context, said in links))


@dataclass(slots=True)
class _Source:
    relevance: float
    targets: tuple[str, ...] = ()
    equal: float = 0.0
    anchors: Tally = field(default_factory=Tally)
    tally: Tally = field(default_factory=Tally)


@dataclass(slots=True)
class _Target:
    links: list[tuple[str, float, float, bool]] = field(default_factory=list)  # source, anchor, context, described
    inherited: float = 0.0


class Focus:
    """Scores the links of a focused crawl, and scores them again when better evidence comes.

    Args:
        judge: the relevance of texts.
        rule: one of `evidence.RULES` by name.
        m1: weight of the cosine in the design's rule; the hub score has 1 - m1.
        hub: what a page's links are counted by, "fetched": their targets were relevant, "found": their words are on the
            topic, as the design counts.
        assumptions: those of the design that hold. "at_least_source": a target is at least as good as its source;
            "equal_in_query": pages found by one query (the links of a page whose address has one) rank equal, at the
            best of them.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        rule: str = "blend",
        m1: float = 0.5,
        hub: Literal["fetched", "found"] = "fetched",
        assumptions: Sequence[Assumption] = (),
    ) -> None:
        self.judge = judge
        self._rule = partial(design, m1=m1) if rule == "design" else RULES[rule]
        self._assumptions = frozenset(assumptions)
        self._hubs, self._by_found = HubScores(), hub == "found"
        self._sources: dict[str, _Source] = {}
        self._targets: dict[str, _Target] = {}
        self._sites: dict[str, Tally] = {}
        self._anchors: dict[str, set[str]] = {}
        self._fetched: Counter[str] = Counter()
        self._overall = Tally()
        self._by_relevance = [Tally(), Tally(), Tally()]

    def look(self, url: str, title: str, body: str, links: Iterable[Link]) -> tuple[float, Seen]:
        """Relevance of a page that was fetched, and what is to be taken in of it, here and by other workers."""
        relevance = self.judge.relevance(title, body)
        share = self.judge.share(relevance)
        outcome = 1.0 if relevance >= self.judge.threshold else 0.5 * share
        self.judge.learn(title, body, relevance)
        found = tuple(
            (link.url, *self._words(link)) for link in links if not self._fetched[link.url] and link.url != url
        )
        return relevance, Seen(url, share, outcome, found)

    def take_in(self, seen: Seen) -> list[str]:
        """Takes into account what was seen of a page; the pages whose priority may have changed."""
        changed = self._settle(seen.url, seen.outcome)
        if self._by_found and seen.url not in self._sources:
            self._hubs.add(seen.url, self.topical(seen))
        target = self._targets.pop(seen.url, None)
        inherited = bequest(seen.share, target.inherited if target else 0.0)
        found = self._linked(seen, inherited)
        described = Tally()
        for other in found:
            _, anchor, _, is_described = self._targets[other].links[-1]
            if is_described:
                described.add(min(1.0, 2.0 * self.judge.share(anchor)))
        source = self._sources[seen.url] = _Source(seen.share, tuple(found), anchors=described)
        if "equal_in_query" in self._assumptions and urlsplit(seen.url).query:
            source.equal = max(map(self.priority, found), default=0.0)
        return list(dict.fromkeys((*found, *changed)))

    def topical(self, seen: Seen) -> int:
        """How many of a page's links lead to the topic, by their words."""
        return sum(1 for _, anchor, _, _ in seen.links if anchor >= self.judge.threshold)

    def priority(self, url: str) -> float:
        """What a page is worth, in [0, 1]."""
        evidence = self.evidence(url)
        value = self._rule(evidence)
        if "equal_in_query" in self._assumptions and (target := self._targets.get(url)):
            value = max(value, *(self._sources[name].equal for name, *_ in target.links if name in self._sources), 0.0)
        return max(value, evidence.page) if "at_least_source" in self._assumptions else value

    def evidence(self, url: str) -> Evidence:
        """What is known of a page that has not been fetched."""
        target = self._targets.get(url)
        prior = self._overall.rate(0.2, _PRIOR_WEIGHT)
        site_rate = self._sites.get(subdomain(url), Tally()).rate(prior, _PRIOR_WEIGHT)
        if target is None or not target.links:
            return Evidence(site=site_rate, source=prior, links=0)
        known = [(self._sources[name], name) for name, *_ in target.links if name in self._sources]
        described = [link for link in target.links if link[3]]
        rates = [self._chance(source, prior) for source, _ in known]
        return Evidence(
            page=max((source.relevance for source, _ in known), default=0.0),
            anchor=self.judge.share(max((anchor for _, anchor, _, _ in described), default=0.0)),
            context=self.judge.share(max((context for _, _, context, _ in target.links), default=0.0)),
            described=len(described) / len(target.links),
            inherited=target.inherited,
            hub=max((self._hubs.score(name) for _, name in known), default=0.0),
            source=max(rates, default=prior),
            accumulated=sum(_logit(rate) - _logit(prior) for rate in rates),
            site=site_rate,
            relevant_links=sum(source.relevance for source, _ in known),
            links=len(target.links),
        )

    def _chance(self, source: _Source, prior: float) -> float:
        """The chance that a link of a page leads to the topic: its followed links say most, then its other anchors."""
        alike = self._by_relevance[_bucket(source.relevance)].rate(prior, _PRIOR_WEIGHT)
        fetched, anchors = source.tally, source.anchors
        weight = _PRIOR_WEIGHT + _ANCHOR_WEIGHT * anchors.fetched + fetched.fetched
        return (alike * _PRIOR_WEIGHT + _ANCHOR_WEIGHT * anchors.relevant + fetched.relevant) / weight

    def _settle(self, url: str, outcome: float) -> list[str]:
        """Credits the pages that link to a fetched page; returns what else they link to."""
        if self._fetched[url]:
            return []
        self._fetched[url] += 1
        self._overall.add(outcome)
        self._sites.setdefault(subdomain(url), Tally()).add(outcome)
        changed: list[str] = []
        target = self._targets.get(url)
        for name, *_ in target.links if target else ():
            source = self._sources.get(name)
            if source is None:
                continue
            source.tally.add(outcome)
            self._by_relevance[_bucket(source.relevance)].add(outcome)
            if outcome >= 1.0 and not self._by_found:
                self._hubs.add(name)
            changed.extend(other for other in source.targets if not self._fetched[other])
        return changed

    def _linked(self, seen: Seen, inherited: float) -> list[str]:
        found: list[str] = []
        for url, anchor, context, described in seen.links:
            if self._fetched[url]:
                continue
            target = self._targets.setdefault(url, _Target())
            if len(target.links) >= _MAX_SOURCES or any(name == seen.url for name, *_ in target.links):
                continue
            target.links.append((seen.url, anchor, context, described))
            target.inherited = max(target.inherited, inherited)
            found.append(url)
        return found

    def _words(self, link: Link) -> tuple[float, float, bool]:
        text = link.text.strip()
        used = self._anchors.setdefault(text, set())
        if len(used) < _COMMON_ANCHOR:
            used.add(link.url)
        described = bool(terms(text)) and len(used) < _COMMON_ANCHOR
        anchor = self.judge.of_text(text) if described else 0.0
        return anchor, self.judge.of_text(link.context) if link.context else 0.0, described
