"""Which archived rows belong to which article, and what a crawler could have seen in its time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from articlebot.errors import RefusedError
from articlebot.urls import canonical_url
from articlebot_lab.newsroom.compare import nearest_version

Row = Mapping[str, Any]


@dataclass
class Found:
    """What the archive has of one article."""

    truth: Mapping[str, Any]
    rows: list[Row] = field(default_factory=list)
    withdrawals: list[Row] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)  # of truth, one for each row
    fits: list[float] = field(default_factory=list)

    @property
    def first_at(self) -> float | None:
        times = [
            at for row in self.rows if (at := epoch(row.get("archived_at", row.get("first_archived_at")))) is not None
        ]
        return min(times, default=None)

    def pages(self) -> dict[str, list[int]]:
        """The indexes of the rows of each page under which the article was archived."""
        pages: dict[str, list[int]] = defaultdict(list)
        for index, row in enumerate(self.rows):
            pages[str(row.get("page_key") or _address(row.get("url")))].append(index)
        return pages


@dataclass(frozen=True)
class Window:
    """The time in which the crawler could see things: from its first request to its last."""

    begins_at: float
    ends_at: float
    settled_at: float
    lasting: float


def epoch(value: Any) -> float | None:
    """Epoch seconds of a number or ISO 8601 text (UTC where it names no zone); None of anything else."""
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str) or not value:
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def crawl_window(truth: Mapping[str, Any], log: Sequence[Mapping[str, Any]], until: float | None) -> Window:
    """When a crawler was there: from the first request to ``until``, the last request where None."""
    begins_at = max(truth["started_at"], min((entry["at"] for entry in log), default=truth["started_at"]))
    if until is None:
        until = max((entry["at"] for entry in log), default=truth["asked_at"])
    ends_at = min(until, truth["ends_at"])
    settling = min(10.0, truth["ends_at"] - truth["settled_at"])
    return Window(begins_at, ends_at, min(truth["settled_at"], ends_at - settling), truth["max_interval"])


def _address(url: Any) -> str:
    try:
        return canonical_url(str(url)).partition("://")[2]
    except RefusedError:
        return str(url)


def owned(truth: Mapping[str, Any], rows: Iterable[Row]) -> Iterator[tuple[Row, Mapping[str, Any] | None]]:
    """Each row with the article that it is of, None where it is of none."""
    by_address = {_address(url): article for article in truth["articles"] for url in article["urls"]}
    for row in rows:
        yield row, by_address.get(_address(row.get("url"))) or by_address.get(_address(row.get("canonical_url")))


def match(truth: Mapping[str, Any], rows: Iterable[Row]) -> tuple[dict[str, Found], list[Row]]:
    """The rows of each article by its id, oldest first, and the rows that are no article of the newsroom's.

    Rows of the hostile host are left out: what of it should be archived is for its own test to say.
    """
    ignored = truth.get("hostile", {}).get("host")
    found: dict[str, Found] = {}
    strangers = []
    for row, article in owned(truth, rows):
        if article is None and not (ignored and ignored in _address(row.get("url"))):
            strangers.append(row)
        elif article is not None:
            found.setdefault(article["id"], Found(article)).rows.append(row)
    for item in found.values():
        # A withdrawal repeats the text of the version it ends; alone, it is all that is left of the article.
        item.withdrawals = [row for row in item.rows if row.get("change") == "withdrawn"]
        item.rows = [row for row in item.rows if row.get("change") != "withdrawn"] or item.withdrawals
        item.rows.sort(key=lambda row: (epoch(row.get("archived_at")) or 0.0, int(row.get("version") or 0)))
        for row in item.rows:
            version, fit = nearest_version(item.truth, row, epoch(row.get("archived_at")))
            item.versions.append(version)
            item.fits.append(fit)
    return found, strangers


def is_wanted(article: Mapping[str, Any], window: Window) -> bool:
    """Whether a crawler had to find an article: allowed, published in time, and there for long enough."""
    seen_from = max(article["visible_at"], window.begins_at)
    deleted_at = article["deleted_at"]
    stays = deleted_at is None or deleted_at - seen_from > window.lasting
    return stays and not article["disallowed"] and bool(article["visible_at"] <= window.settled_at)
