"""``scrapy archive reextract``: articles anew from their stored raw pages, without fetching."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from articlebot import extraction
from articlebot.actions import base
from articlebot.actions.archived import archive, selection
from articlebot.actions.output import Progress, table, to_json
from articlebot.archive import Archive, Kept, RawPage, Selection
from articlebot.archive.batch import edit_share
from articlebot.config import Change, Config
from articlebot.dedup import article_text, judge_change
from articlebot.items import Article, Withdrawal
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.page import Page
from articlebot.publishing import open_sinks
from articlebot.runtime import Runtime, clock
from articlebot.runtime.reader import dated

_GROUP = 50


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Extracts and compares."""
    config = command.config()
    counts: Counter[str] = Counter()
    shown: list[dict[str, Any]] = []
    again = _Again(config, JobBook.from_argument(opts.jobs, None) if opts.jobs else JobBook([]))
    sinks = open_sinks(config.publishing, config.general.data_dir, clock.now)
    with archive(config, sinks) as opened:
        group: dict[Article | Withdrawal, Kept] = {}
        for before, article, kept in again.differing(opened, selection(opened, opts), counts):
            if len(shown) < opts.limit:
                shown.append(_difference(before, article))
            group[article] = kept
            if opts.apply and len(group) >= _GROUP:
                opened.publish(list(group), clock.now(), group)
                group = {}
        if opts.apply:
            opened.publish(list(group), clock.now(), group)
    names = ("same", "different", "several_pages", "refused")
    result = {name: counts[name] for name in names} | {"applied": opts.apply}
    if opts.json:
        print(to_json({**result, "articles": shown}))
        return
    if shown:
        print(table(shown, ("edit_share", "title", "url")) + "\n")
    verb = "published" if opts.apply else "not published without --apply"
    print(f"{counts['different']:,} differ ({verb}), " + ", ".join(
        f"{counts[name]:,} {name.replace('_', ' ')}" for name in names if name != "different"
    ))  # fmt: skip


class _Again:
    """Extraction as a crawl would do it now."""

    def __init__(self, config: Config, book: JobBook) -> None:
        runtime = Runtime(config)
        self._learning, self._config, self._book = runtime.learning, runtime.config, book

    def differing(
        self, opened: Archive, selection: Selection, counts: Counter[str]
    ) -> Iterator[tuple[dict[str, Any], Article, Kept]]:
        """Archived rows of articles that come out otherwise, with these and what is kept of them."""
        with Progress("pages") as progress:
            for row, page in opened.with_raw_pages(selection):
                progress.step()
                if row["kind"] == "document" or row["withdrawn_at"] is not None:
                    continue
                job = self._book.get(row["job"])
                found = self._extract(row, page, job)
                if found.refused or not found.body:
                    counts["refused"] += 1
                elif found.next_pages:
                    counts["several_pages"] += 1
                else:
                    article, kept = _article(row, page, found, self._config.change)
                    outcome = "same" if article.content_hash == row["content_hash"] else "different"
                    counts[outcome] += 1
                    if outcome == "different":
                        yield row, article, kept

    def _extract(self, row: dict[str, Any], stored: RawPage, job: Job | None) -> extraction.Extracted:
        zone = job.stated_zone if job is not None else None
        page = Page.parse(stored.body, stored.url, stored.content_type, stored.fetched_at, zone)
        self._learning.open_now(row["site"])
        wrapper = self._learning.choose(row["site"], page, job.selectors if job is not None else None)
        bounds = self._config.extraction
        return extraction.extract(page, wrapper=wrapper, sure_from=bounds.sure_from, refuse_below=bounds.refuse_below)


def _article(row: dict[str, Any], page: RawPage, found: extraction.Extracted, change: Change) -> tuple[Article, Kept]:
    title = found.title or row["title"]
    verdict = judge_change(0, 0, article_text(title, found.body), change)
    published, published_at = dated(found), found.published_at
    if published_at is None:
        published, published_at = row["published_at"], row["published_at_epoch"]
    article = Article(
        url=row["url"], canonical_url=row["canonical_url"], page_key=row["page_key"], job=row["job"],
        site=row["site"], title=title, body=found.body, kind=row["kind"], fetched_at=page.fetched_at,
        authors=found.authors, published_at=published, published_at_epoch=published_at, modified_at=found.modified_at,
        language=found.language or row["language"], source=found.source or row["source"],
        images=tuple(asdict(one) for one in found.images), lead_image=found.lead_image or row["lead_image"],
        keywords=found.keywords or tuple(row["keywords"]), summary=row["summary"], parent_url=row["parent_url"],
        anchor=row["anchor"], extractor=found.origin.get("body", ""), confidence=found.confidence.get("body", 0.0),
        media=found.media, category=row["category"], categories=row["categories"], relevance=row["relevance"],
        cluster=row["cluster"], cluster_role=row["cluster_role"], content_hash=f"{verdict.content_hash:016x}",
    )  # fmt: skip
    return article, Kept(
        html=found.html, raw=page.body, raw_type=page.content_type, sinks=tuple(row["sinks"] or ()),
        fingerprint=verdict.fingerprint, fingerprint_version=verdict.fingerprint_version,
    )  # fmt: skip


def _difference(before: dict[str, Any], article: Article) -> dict[str, Any]:
    return {
        "url": article.url,
        "title": article.title,
        "title_before": before["title"],
        "edit_share": round(edit_share(before["body"], article.body), 3),
    }
