"""Compares what a crawl published with what a site of the town has."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from articlebot_lab.town.model import Site, Story
from articlebot_lab.town.server import Hit

Row = Mapping[str, Any]
# What issue readers are promised with nothing but the address.
TARGETS = {"found": 0.95, "twice": 0, "strangers": 0.01, "date": 0.98, "requests_each": 1.3, "disallowed": 0}


def score(site: Site, rows: Sequence[Row], hits: Sequence[Hit], home: set[int]) -> dict[str, Any]:
    """The figures of one site.

    Args:
        rows: what ``scrapy export --json`` printed.
        hits: the requests that came to the site.
        home: the numbers of the stories that the home page linked before the crawl.
    """
    by_story: dict[int, list[Row]] = defaultdict(list)
    strangers = []
    for row in rows:
        story = site.story_of(row["url"]) or site.story_of(str(row.get("canonical_url") or ""))
        if story is None or story.wanted == "no":
            strangers.append(f"{row['url']} ({story.why if story else 'no article'})")
        else:
            by_story[story.number].append(row)
    wanted = [story for story in site.stories if story.wanted == "yes"]
    found = [story for story in wanted if story.number in by_story]
    away = [story for story in wanted if story.number not in home]
    pairs = [(story, by_story[story.number][0]) for story in found]
    targets = [hit.target for hit in hits]
    return {
        "site": site.name,
        "build": site.build,
        "articles": len(wanted),
        "found": len(found),
        "away": len(away),
        "away_found": sum(story.number in by_story for story in away),
        "twice": sum(len({row["page_key"] for row in mine}) - 1 for mine in by_story.values()),
        "published": len(rows),
        "strangers": len(strangers),
        "title": _share(_same(story.title, row["title"]) for story, row in pairs),
        "body": _share(f1(story.body, row["body"]) >= 0.95 for story, row in pairs),
        "date": _share(_minute(row["published_at"]) == story.at.timestamp() // 60 for story, row in pairs),
        "requests": len(hits),
        "pages": _pages(site, hits, found),
        "disallowed": sum(map(site.is_disallowed, targets)),
        "refused": dict(Counter(str(hit.status) for hit in hits if hit.status in (429, 503))),
        "missed_urls": [site.url(story) for story in wanted if story.number not in by_story][:10],
        "stranger_urls": strangers[:10],
        "twice_urls": [[row["url"] for row in mine] for mine in by_story.values() if len(mine) > 1][:5],
        "most_asked": Counter(targets).most_common(3),
    }


def _pages(site: Site, hits: Sequence[Hit], found: Iterable[Story]) -> int:
    """Requests that could not be spared: the pages of what was found, and once what only a look tells apart."""
    looked = {story for hit in hits if (story := site.story_of(f"http://{hit.host}{hit.target}"))}
    return sum(map(site.pages_of, found)) + sum(story.wanted != "yes" for story in looked)


def total(scores: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of all sites together; shares of titles, bodies and dates are of all articles found."""
    added = (
        "articles", "found", "away", "away_found", "twice", "published", "strangers", "requests", "pages", "disallowed",
    )  # fmt: skip
    summed = {name: sum(one[name] for one in scores) for name in added}
    weighed = {
        name: sum((one[name] or 0.0) * one["found"] for one in scores) / summed["found"] if summed["found"] else None
        for name in ("title", "body", "date")
    }
    reached = sum(one["found"] >= TARGETS["found"] * one["articles"] for one in scores)
    return {**summed, **weighed, "sites": len(scores), "sites_reached": reached}


def reached(one: Mapping[str, Any]) -> bool:
    """Whether a site's figures are what is to be reached."""
    return bool(
        one["found"] >= TARGETS["found"] * one["articles"]
        and one["twice"] <= TARGETS["twice"]
        and one["strangers"] <= TARGETS["strangers"] * one["published"]
        and (one["date"] or 0.0) >= TARGETS["date"]
        and one["requests"] <= TARGETS["requests_each"] * one["pages"]
        and one["disallowed"] <= TARGETS["disallowed"]
    )


def f1(truth: str, text: str) -> float:
    """How much two texts share: F1 of their runs of four characters, spaces apart; 1 is the same."""
    a, b = _grams(truth), _grams(text)
    both = sum((a & b).values())
    return 2 * both / (sum(a.values()) + sum(b.values())) if both else 0.0


def _grams(text: str) -> Counter[str]:
    dense = "".join(text.split())
    return Counter(dense[at : at + 4] for at in range(max(1, len(dense) - 3)))


def _same(truth: str, text: str) -> bool:
    return " ".join(truth.split()) == " ".join(text.split())


def _minute(stated: str | None) -> float | None:
    if not stated:
        return None
    try:
        at = dt.datetime.fromisoformat(stated)
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=dt.UTC)).timestamp() // 60


def _share(rights: Iterable[bool]) -> float | None:
    known = list(rights)
    return sum(known) / len(known) if known else None
