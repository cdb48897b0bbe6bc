"""Compares what a crawler archived with what the newsroom knows: found, twice, missed, late, wrong.

A row of the archive is one version of one article, as ``scrapy export --json --versions`` prints it: ``url``,
``canonical_url``, ``page_key``, ``title``, ``body``, ``published_at``, ``author``, ``language``, ``cluster``,
``category``, ``version``, ``archived_at``. Times are epoch seconds or ISO 8601. Absent keys cost only the figures that
need them.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from articlebot_lab.newsroom.compare import quantile, same_title, share, shows_edit
from articlebot_lab.newsroom.matching import Found, Row, Window, crawl_window, epoch, is_wanted, match

_ARTICLES = ("article", "reprint", "quote", "report")
_LISTED = 40


def score(
    truth: Mapping[str, Any],
    archive_rows: Iterable[Row],
    log: Sequence[Mapping[str, Any]] = (),
    *,
    until: float | None = None,
) -> dict[str, Any]:
    """The comparison as one flat dictionary of figures and a few lists of examples.

    Args:
        truth: the newsroom's ``/truth.json``.
        archive_rows: one row for each archived version.
        log: the newsroom's ``/log.json``; gives the crawler's start and the figures of politeness.
        until: epoch seconds when the crawler stopped; the last request in the log, else the time of ``truth``.

    Shares are 0..1 and None where there was nothing to share. ``docs/how-to/newsroom.md`` says what each figure counts.
    """
    window = crawl_window(truth, log, until)
    found, strangers = match(truth, archive_rows)
    wanted = [article for article in truth["articles"] if is_wanted(article, window)]
    report: dict[str, Any] = {"articles_expected": sum(article["kind"] in _ARTICLES for article in wanted)}
    report |= _completeness(wanted, found)
    report["not_articles"] = len(strangers)
    report["not_articles_urls"] = [str(row.get("url")) for row in strangers[:_LISTED]]
    report |= _clusters(found)
    report |= _changes(wanted, found, window)
    report |= _deletions(found, window)
    report |= _delays(wanted, found, window)
    report |= _quality(found)
    report |= _politeness(truth, log)
    report["by_site"] = _by_site(wanted, found)
    return report


def _completeness(wanted: Sequence[Mapping[str, Any]], found: Mapping[str, Found]) -> dict[str, Any]:
    def found_share(*kinds: str) -> float | None:
        some = [article for article in wanted if article["kind"] in kinds]
        return share(sum(article["id"] in found for article in some), len(some))

    missed = [a["url"] for a in wanted if a["kind"] in _ARTICLES and a["id"] not in found]
    twice = sum(_twice(item) for item in found.values())
    return {
        "articles_found": sum(item.truth["kind"] in _ARTICLES for item in found.values()),
        "published_share": found_share(*_ARTICLES),
        "videos_share": found_share("video"),
        "documents_share": found_share("document"),
        "published_twice": twice,
        "disallowed_published": sum(bool(item.truth["disallowed"]) for item in found.values()),
        "missed": len(missed),
        "missed_urls": missed[:_LISTED],
    }


def _twice(item: Found) -> int:
    """Second pages of one article, and versions beyond those published: a text that was taken back to is a new one."""
    pages, truth = item.pages(), item.truth["versions"]
    twice = len(pages) - 1
    for rows in pages.values():
        texts = [(item.rows[row].get("title"), item.rows[row].get("body")) for row in rows]
        for text, count in Counter(texts).items():
            shown = truth[item.versions[rows[texts.index(text)]]]
            published = sum(
                version["title"] == shown["title"] and version["body"] == shown["body"] for version in truth
            )
            twice += max(0, count - max(1, published))
    return twice


def _clusters(found: Mapping[str, Found]) -> dict[str, Any]:
    clusters: dict[str, set[str]] = defaultdict(set)
    of: dict[str, str] = {}
    for key, item in found.items():
        cluster = item.rows[-1].get("cluster")
        if cluster:
            clusters[str(cluster)].add(key)
            of[key] = str(cluster)
    roots = {key: item.truth["reprint_of"] or key for key, item in found.items()}
    false = []
    for members in clusters.values():
        kept = Counter(roots[key] for key in sorted(members)).most_common(1)[0][0]
        false += [key for key in members if roots[key] != kept]
    families: dict[str, list[str]] = defaultdict(list)
    for key, root in roots.items():
        families[root].append(key)
    together = missed = 0
    for root, family in families.items():
        head = root if root in family else family[0]
        for key in family:
            if key != head:
                joined = any(of.get(key) == of[other] for other in family if other != key and other in of)
                together, missed = together + joined, missed + (not joined)
    return {
        "false_duplicates": len(false),
        "false_duplicate_urls": [found[key].truth["url"] for key in sorted(false)[:_LISTED]],
        "duplicates_found": together,
        "duplicates_missed": missed,
    }


def _changes(wanted: Sequence[Mapping[str, Any]], found: Mapping[str, Found], window: Window) -> dict[str, Any]:
    caught, missed, delays = 0, [], []
    kinds: Counter[tuple[str, bool]] = Counter()
    for article in wanted:
        item = found.get(article["id"])
        for index in range(1, len(article["versions"])):
            if not _edit_lasted(article, index, window):
                continue
            at = _caught_at(item, index) if item else None
            kinds[article["versions"][index]["kind"], at is not None] += 1
            if at is None:
                missed.append(f"{article['url']} version {index}")
            else:
                caught += 1
                delays.append(at - article["versions"][index]["at"])
    false = sum(
        item.versions[later] == item.versions[earlier]
        for item in found.values()
        for rows in item.pages().values()
        for earlier, later in itertools.pairwise(rows)
    )
    return {
        "changes_expected": caught + len(missed),
        "changes_caught": caught,
        "changes_caught_share": share(caught, caught + len(missed)),
        "changes_caught_by_kind": {
            kind: share(kinds[kind, True], kinds[kind, True] + kinds[kind, False])
            for kind in sorted({k for k, _ in kinds})
        },
        "changes_missed": missed[:_LISTED],
        "change_delay_p50_s": quantile(delays, 0.5),
        "change_delay_p95_s": quantile(delays, 0.95),
        "false_changes": false,
    }


def _edit_lasted(article: Mapping[str, Any], index: int, window: Window) -> bool:
    """Whether a version could be seen for longer than the longest interval, or until the end of a settled crawl."""
    versions = article["versions"]
    at = max(versions[index]["at"], window.begins_at)
    ends = [versions[index + 1]["at"]] if index + 1 < len(versions) else []
    ends += [article["deleted_at"]] if article["deleted_at"] is not None else []
    if ends and min(ends) < window.ends_at:
        return bool(min(ends) - at > window.lasting)
    return bool(at <= window.settled_at)


def _caught_at(item: Found, index: int) -> float | None:
    """When version ``index`` of an article was archived; None when it was not."""
    for row, version in zip(item.rows, item.versions, strict=True):
        if version == index and shows_edit(item.truth, index, row):
            at = epoch(row.get("archived_at"))
            return item.truth["versions"][index]["at"] if at is None else at
    return None


def _deletions(found: Mapping[str, Found], window: Window) -> dict[str, Any]:
    """Deleted articles are to be withdrawn, when they were archived before and the crawl went on for long enough."""
    expected = seen = false = 0
    for item in found.values():
        deleted_at = item.truth["deleted_at"]
        if deleted_at is None:
            false += bool(item.withdrawals)
        elif deleted_at + window.lasting < window.ends_at:
            expected, seen = expected + 1, seen + bool(item.withdrawals)
    return {
        "deletions_expected": expected,
        "deletions_seen_share": share(seen, expected),
        "false_withdrawals": false,
    }


def _delays(wanted: Sequence[Mapping[str, Any]], found: Mapping[str, Found], window: Window) -> dict[str, Any]:
    delays = []
    for article in wanted:
        first_at = found[article["id"]].first_at if article["id"] in found else None
        if first_at is not None and article["visible_at"] > window.begins_at:
            delays.append(first_at - article["visible_at"])
    return {
        "delays_measured": len(delays),
        "delay_p50_s": quantile(delays, 0.5),
        "delay_p95_s": quantile(delays, 0.95),
        "delay_max_s": quantile(delays, 1.0),
    }


def _quality(found: Mapping[str, Found]) -> dict[str, Any]:
    """How right the latest archived version of each article is."""
    items = [item for item in found.values() if item.truth["kind"] in _ARTICLES]
    counts: Counter[str] = Counter()
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        row, truth = item.rows[-1], item.truth
        counts["title"] += same_title(str(row.get("title") or ""), truth["versions"][item.versions[-1]]["title"])
        at = epoch(row.get("published_at"))
        counts["date"] += at is not None and abs(at - truth["published_at"]) <= truth["date_precision_s"]
        counts["author"] += truth["author"] in str(row.get("author") or "")
        counts["language"] += row.get("language") == truth["language"]
        if row.get("category"):
            labels[str(row["category"])][truth["category"]] += 1
    labelled = sum(counter.total() for counter in labels.values())
    return {
        "body_f1": round(sum(item.fits[-1] for item in items) / len(items), 4) if items else None,
        "title_share": share(counts["title"], len(items)),
        "date_share": share(counts["date"], len(items)),
        "author_share": share(counts["author"], len(items)),
        "language_share": share(counts["language"], len(items)),
        "category_given_share": share(labelled, len(items)),
        # Each archived class is read as the true class it holds most of, so that the names need not agree.
        "category_purity": share(sum(max(counter.values()) for counter in labels.values()), labelled),
    }


def _politeness(truth: Mapping[str, Any], log: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the requests say about the crawler; robots.txt itself may be fetched at any time."""
    sites = {host: site for site in truth["sites"] for host in site["hosts"]}
    statuses: Counter[int] = Counter()
    too_soon = forbidden = 0
    last: dict[str, float] = {}
    for entry in sorted(log, key=lambda entry: float(entry["at"])):
        site = sites.get(entry["host"])
        statuses[entry["status"]] += 1
        if site is None or entry["path"] == "/robots.txt":
            continue
        forbidden += bool(site["disallow"]) and entry["path"].startswith(site["disallow"])
        gap = entry["at"] - last.get(entry["host"], 0.0)
        # Requests leave a crawler evenly and arrive less so: a tenth is allowed.
        too_soon += site["crawl_delay"] is not None and gap < 0.9 * site["crawl_delay"]
        last[entry["host"]] = entry["at"]
    return {
        "pages_fetched": sum(statuses.values()),
        "not_modified": statuses[304],
        "fetched_by_status": {str(status): count for status, count in sorted(statuses.items())},
        "disallowed_fetched": forbidden,
        "crawl_delay_broken": too_soon,
    }


def _by_site(wanted: Sequence[Mapping[str, Any]], found: Mapping[str, Found]) -> dict[str, dict[str, Any]]:
    sites: dict[str, dict[str, Any]] = {}
    for article in wanted:
        if article["kind"] in _ARTICLES:
            entry = sites.setdefault(article["site"], {"expected": 0, "found": 0})
            entry["expected"] += 1
            entry["found"] += article["id"] in found
    for key, entry in sites.items():
        fits = [
            item.fits[-1] for item in found.values() if item.truth["site"] == key and item.truth["kind"] in _ARTICLES
        ]
        entry["body_f1"] = round(sum(fits) / len(fits), 4) if fits else None
    return sites
