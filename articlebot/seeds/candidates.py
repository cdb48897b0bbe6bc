"""Candidates: sites and list pages that were found, what is known of them, and whether they become jobs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from articlebot.diagnosis.findings import AWAY, PATIENCE
from articlebot.errors import StateError

VERSION = 1
MOST_KNOWN = 400
# Pages read at a look.
SAMPLE = 4
# Pages that a probation may cost: twelve of the first look, and seven looks more.
BUDGET = 40
# Relevant articles that have to be read before a candidate becomes a job, and for each page fetched: of the whole
# budget, as many as one look reads.
LEAST_ARTICLES, LEAST_YIELD = 3, 0.1
State = Literal["waiting", "probation", "promoted", "dropped"]
Kind = Literal["site", "list"]


@dataclass(frozen=True, slots=True)
class Offer:
    """One reason to look at a candidate.

    Attributes:
        key: the registered domain of a site, the address of a list page.
        url: where a look begins.
        source: who names it; several offers of one source count once, at their best.
        weight: how much this source speaks for it, 0 to 1.
        found_on: the page with the link, "" where there is none.
        text: words of the link.
    """

    key: str
    url: str
    source: str
    weight: float
    kind: Kind = "site"
    found_on: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry page of a candidate, with the number of articles that it named at the last look."""

    form: Literal["list", "feed", "sitemap"]
    url: str
    articles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What is known of one candidate.

    Attributes:
        sources: weight by who names it, at most 32.
        looks: how often it was looked at.
        fetched: pages that this cost.
        read: pages read as articles; ``articles`` of them were, ``relevant`` of these belong to the topic.
        new: articles that entry pages named and had not named at the look before.
        known: page keys of named articles, as hexadecimal digits; the newest 400.
        barren: shapes that less than half of the named addresses have and that were no articles, adverts most often;
            such pages are not looked at again.
        first_at, looked_at: epoch seconds.
        reason: why it is in its state.
    """

    key: str
    url: str
    kind: Kind = "site"
    found_on: str = ""
    text: str = ""
    sources: dict[str, float] = field(default_factory=dict)
    first_at: float = 0.0
    looked_at: float | None = None
    looks: int = 0
    fetched: int = 0
    read: int = 0
    articles: int = 0
    relevant: int = 0
    new: int = 0
    entries: tuple[Entry, ...] = ()
    known: tuple[str, ...] = ()
    barren: tuple[str, ...] = ()
    language: str | None = None
    problems: dict[str, int] = field(default_factory=dict)
    reason: str = ""

    @property
    def rate(self) -> float:
        """The yield: relevant articles read for each page fetched."""
        return self.relevant / self.fetched if self.fetched else 0.0

    def because(self, reason: str) -> Candidate:
        """The record with the reason for its state."""
        return replace(self, reason=reason)

    def dump(self) -> str:
        """The record as it is stored; empty lists are left out, which Lua would write as objects."""
        row = {name: value for name, value in asdict(self).items() if value not in ((), {}, "", None)}
        row |= {"v": VERSION, "entries": [[e.form, e.url, e.articles] for e in self.entries]}
        if not self.entries:
            del row["entries"]
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))

    def shown(self) -> dict[str, Any]:
        """The record for people and programs."""
        row = {name: value for name, value in asdict(self).items() if name not in ("known", "barren")}
        return {**row, "yield": round(self.rate, 3), "sources": len(self.sources), "named_by": sorted(self.sources)}


def load(text: bytes | str) -> Candidate:
    """The record as it was stored.

    Raises:
        StateError: damaged, or of another version.
    """
    try:
        row = json.loads(text)
        if row.pop("v") != VERSION:
            raise StateError("a candidate's record is of another version")
        row["entries"] = tuple(Entry(*one) for one in row.get("entries", ()))
        row |= {name: tuple(row.get(name, ())) for name in ("known", "barren")}
        return Candidate(**row)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StateError(f"a candidate's record cannot be read: {type(error).__name__}") from None


@dataclass(frozen=True, slots=True)
class Look:
    """What one look found.

    Attributes:
        known: page keys of the articles that the entry pages name now.
        barren: shapes that less than half of the named addresses have and that were no articles.
    """

    fetched: int = 0
    read: int = 0
    articles: int = 0
    relevant: int = 0
    entries: tuple[Entry, ...] = ()
    known: tuple[str, ...] = ()
    language: str | None = None
    problems: dict[str, int] = field(default_factory=dict)
    barren: tuple[str, ...] = ()


def looked(candidate: Candidate, look: Look, now: float) -> Candidate:
    """The record after a look."""
    before = set(candidate.known)
    fresh = [key for key in look.known if key not in before]
    return replace(
        candidate,
        looks=candidate.looks + 1,
        looked_at=now,
        fetched=candidate.fetched + look.fetched,
        read=candidate.read + look.read,
        articles=candidate.articles + look.articles,
        relevant=candidate.relevant + look.relevant,
        new=candidate.new + (len(fresh) if candidate.looks else 0),
        entries=look.entries or candidate.entries,
        known=(*fresh, *candidate.known)[:MOST_KNOWN],
        barren=(*candidate.barren, *look.barren),
        language=candidate.language or look.language,
        problems=look.problems,
    )


def decide(candidate: Candidate) -> tuple[State, str]:
    """Whether a candidate that was looked at becomes a job, is dropped, or stays on probation; and why."""
    c = candidate
    counted = f"{c.relevant} of {c.read} pages read are articles that belong, {c.new} new in {c.looks} looks"
    told = f"{counted}, yield {c.rate:.2f} of {c.fetched} pages"
    if not c.entries:
        problems = ", ".join(f"{name} {number}" for name, number in sorted(c.problems.items()))
        waits = c.looks < PATIENCE and not AWAY.isdisjoint(c.problems)
        return "probation" if waits else "dropped", f"no list page, feed or sitemap ({problems or 'nothing linked'})"
    if c.read >= SAMPLE and 2 * c.articles < c.read:
        return "dropped", f"{c.articles} of {c.read} pages read are articles"
    if c.articles >= 2 * SAMPLE and not c.relevant:
        return "dropped", f"off the topic: none of {c.articles} articles"
    if c.new and c.relevant >= LEAST_ARTICLES and c.rate >= LEAST_YIELD:
        return "promoted", told
    if c.fetched >= BUDGET:
        return "dropped", f"the budget is spent: {told}"
    return "probation", told
