"""``scrapy archive reextract``: articles anew from their stored raw pages, or from the pages in WARC files."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.again import Again, Asked
from articlebot.actions.archived import archive, selection
from articlebot.actions.engaged import engaged
from articlebot.actions.extract_rows import line
from articlebot.actions.output import Progress, printable, say, table, to_json
from articlebot.archive import Archive, Kept, RawPage, Selection, diff
from articlebot.archive.diff import edit_share
from articlebot.archive.warc import WarcFiles
from articlebot.config import Change
from articlebot.dedup import article_text, judge_change
from articlebot.extraction.model import Extracted, dated
from articlebot.files import draft_of
from articlebot.items import Article, Withdrawal
from articlebot.jobs.book import JobBook
from articlebot.publishing.specs import open_sinks
from articlebot.runtime import clock
from articlebot.times import iso
from articlebot.typed import as_typed
from articlebot.urls import site as site_of

_GROUP = 50
# Of what differs so many stretches are shown, and so many characters of each.
_PIECES, _MOST_SHOWN = 3, 60


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Extracts and compares."""
    if opts.warc:
        _from_warc(command, opts)
        return
    if opts.out:
        raise UsageError("--out belongs to --warc", print_help=False)
    config = command.config()
    counts: Counter[str] = Counter()
    shown: list[dict[str, Any]] = []
    again = Again(config, JobBook.from_argument(opts.jobs, None) if opts.jobs else JobBook([]))
    sinks = open_sinks(config.publishing.sinks, config.general.data_dir, clock.now)
    with archive(config, sinks.routes) as opened, closing(again):
        group: dict[Article | Withdrawal, Kept] = {}
        for before, article, kept in _differing(again, opened, opts, counts):
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
        print(table(shown, ("edit_share", "title", "url", "change")) + "\n")
    waits = "published; sinks get them with the next crawl, or scrapy outbox deliver"
    verb = waits if opts.apply else "not published without --apply"
    if not counts.total():
        say("no article that is chosen has its page here: ARTICLEBOT_ARCHIVE_RAW=all keeps those of articles to come")
    print(as_typed(f"{counts['different']:,} differ ({verb}), ") + ", ".join(
        f"{counts[name]:,} {name.replace('_', ' ')}" for name in names if name != "different"
    ))  # fmt: skip


def _differing(
    again: Again, opened: Archive, opts: argparse.Namespace, counts: Counter[str]
) -> Iterator[tuple[dict[str, Any], Article, Kept]]:
    """Archived rows of articles that come out otherwise, with these and what is kept of them."""
    chosen = selection(opened, opts)
    asked = _Asked(opened, chosen)
    with engaged(opts, again.config, "reextract", Progress("pages", asked.share)) as run:
        for rows, found in again.read(asked, run):
            for (row, page), extracted in zip(rows, found, strict=True):
                if extracted.refused or not extracted.body:
                    counts["refused"] += 1
                elif extracted.next_pages:
                    counts["several_pages"] += 1
                else:
                    article, kept = _article(row, page, extracted, again.config.change)
                    outcome = "same" if article.content_hash == row["content_hash"] else "different"
                    counts[outcome] += 1
                    if outcome == "different":
                        yield row, article, kept


class _Asked:
    """The archived rows whose page can be read again, with that page, and how many of the selected have been read."""

    def __init__(self, opened: Archive, chosen: Selection) -> None:
        self._opened, self._chosen = opened, chosen
        self._number, self._read = opened.number(chosen), 0

    def share(self) -> float:
        return self._read / max(1, self._number)

    def __iter__(self) -> Iterator[tuple[dict[str, Any], RawPage]]:
        for row, page in self._opened.with_raw_pages(self._chosen):
            self._read += 1
            if row["kind"] != "document" and row["withdrawn_at"] is None:
                yield row, page


def _article(row: dict[str, Any], page: RawPage, found: Extracted, change: Change) -> tuple[Article, Kept]:
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
        "change": _change(before["body"], article.body),
    }


def _change(before: str, after: str) -> str:
    """The first stretches that differ, on one line."""
    marks = {"delete": "[-{}-]", "insert": "{{+{}+}}"}
    told = [
        marks[piece.op].format(printable(piece.text.strip())[:_MOST_SHOWN])
        for piece in diff(before, after)
        if piece.op in marks and piece.text.strip()
    ]
    return " ".join(told[:_PIECES]) + (" …" if len(told) > _PIECES else "")


def _from_warc(command: base.Command, opts: argparse.Namespace) -> None:
    """Writes a line for each page."""
    for name in ("apply", "since", "site", "job", "jobs"):
        if getattr(opts, name):
            raise UsageError(f"--{name} belongs to the archive, not to --warc", print_help=False)
    paths = [Path(one) for one in opts.warc]
    for path in paths:
        if not path.is_file():
            raise UsageError(f"--warc {path}: no such file", print_help=False)
    with draft_of(Path(opts.out)) if opts.out else nullcontext() as draft:
        figures = _read_warc(command, opts, paths, draft)
    text = f"{figures['pages']:,} pages read, {figures['refused']:,} of them refused"
    if not figures["pages"]:
        text = f"no HTML page is in {', '.join(opts.warc)}; a WARC file is expected"
    base.last_line(command, "reextract", text, errors=figures["damaged"] > 0 or not figures["pages"])


def _read_warc(
    command: base.Command, opts: argparse.Namespace, paths: list[Path], draft: Path | None
) -> dict[str, int]:
    figures = {"pages": 0, "refused": 0, "damaged": 0}

    def bad(what: str) -> None:
        figures["damaged"] += 1
        print(what, file=sys.stderr)

    warc, again = WarcFiles(paths, bad), Again(command.config(), JobBook([]))
    progress = Progress("pages", warc.share)
    with (
        closing(again),
        engaged(opts, again.config, "reextract-warc", progress) as work,
        draft.open("w", encoding="utf-8") if draft else nullcontext(sys.stdout) as out,
    ):
        for rows, found in again.read(_of_warc(warc), work):
            for (row, page), extracted in zip(rows, found, strict=True):
                figures["pages"] += 1
                figures["refused"] += extracted.refused is not None
                head = {"url": page.url, "site": row["site"], "fetched_at": iso(page.fetched_at)}
                print(json.dumps({**head, **line(page.url, extracted)}, ensure_ascii=False), file=out)
    return figures


def _of_warc(warc: WarcFiles) -> Iterator[Asked]:
    for page in warc:
        try:
            yield {"site": site_of(page.url), "job": ""}, page
        except ValueError:  # no address
            continue
