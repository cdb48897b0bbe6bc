"""``scrapy explain``: everything known of one URL, and why it was fetched, extracted and published, or was not."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import deque
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from redis.exceptions import RedisError
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from sqlalchemy import select

from articlebot.archive import schema
from articlebot.archive.engine import reading
from articlebot.commands._output import to_json
from articlebot.errors import ArticlebotError
from articlebot.extraction.wrapper import WrapperStore
from articlebot.frontier.build import frontier_of
from articlebot.frontier.crawl_log import Download
from articlebot.frontier.lookup import Whereabouts, look_up
from articlebot.jobs.book import JobBook, is_article
from articlebot.recrawl import PageRecord
from articlebot.runtime import Runtime
from articlebot.urls import canonical_url, page_key, site, subdomain

_FETCHES = 5


class Command(ScrapyCommand):
    """Explains one URL."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "URL [--jobs FILE] [--json]"

    def short_desc(self) -> str:
        return "Tell everything known of one URL, and why"

    def long_desc(self) -> str:
        return (
            "Prints what every part knows of a page: its job, whether it was ever seen, queue, lease and slot, the "
            "last downloads and robots.txt answers of the crawl log, recrawl state and next visit with the reason, "
            "validators, its site's wrapper, archived versions with their distance, class and cluster, and "
            "deliveries that wait; first of all, in a sentence, why it stands where it stands. With --jobs also "
            "which job of those files would take it. Exit code 1 where nothing at all is known."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--jobs", metavar="FILE", help="job files, separated by commas, that may want the page")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("expected one URL", print_help=False)
        assert self.settings is not None
        try:
            url = canonical_url(args[0])
            book = JobBook.from_argument(opts.jobs, None) if opts.jobs else None
            known = asyncio.run(_explain(url, Runtime.from_settings(self.settings), book))
        except (ArticlebotError, RedisError) as error:
            raise UsageError(str(error), print_help=False) from None
        print(to_json(known) if opts.json else _text(known))
        self.exitcode = int(known["nothing_known"])


async def _explain(url: str, runtime: Runtime, book: JobBook | None) -> dict[str, Any]:
    frontier = frontier_of(runtime.config, runtime.redis_url)
    try:
        await frontier.open()
        place = await look_up(frontier, url)
        (record,) = await runtime.pages.get([page_key(url)])
        now = runtime.now()
        fetches, robots = _downloads(runtime.config.general.data_dir / "logs", url)
        versions, deliveries = _archived(runtime, page_key(url))
        known = {
            "url": url,
            "page_key": f"{page_key(url):016x}",
            "site": site(url),
            "why": _why(place, record, fetches, versions, now),
            "job": record.job if record is not None else versions[-1]["job"] if versions else None,
            "jobs": None if book is None else _jobs(book, url, now),
            "seen": place.seen,
            "requests": [asdict(one) for one in place.waiting],
            "quarantine": [asdict(one) for one in place.quarantined],
            "slot": None if place.slot is None else asdict(place.slot),
            "robots": robots,
            "fetches": fetches,
            "recrawl": None if record is None else _recrawl(record, runtime.config.recrawl.policy, now),
            "wrapper": _wrapper(runtime, site(url)),
            "versions": versions,
            "deliveries": deliveries,
        }
    finally:
        await frontier.close()
        await runtime.close()
    stored = (place.seen, place.waiting, place.quarantined, record, fetches, versions)
    return {**known, "nothing_known": not any(stored)}


def _why(
    place: Whereabouts, record: PageRecord | None, fetches: list[dict[str, Any]], versions: list[dict[str, Any]],
    now: float,
) -> str:  # fmt: skip
    """The sentence a person asks for."""
    last = f"; the last download was answered with {fetches[-1]['status'] or 'nothing'}" if fetches else ""
    if place.quarantined:
        tries = place.quarantined[0].history
        reason = tries[-1][2] if tries else "unknown"
        return (
            f"In quarantine after {len(tries)} tries, the last one failed with {reason}: see `scrapy frontier`{last}."
        )
    for one in place.waiting:
        if one.state == "leased":
            return f"Being fetched by worker {one.worker} now{last}."
        return f"Queued, with {one.before} requests of its slot before it{_slot_says(place, now)}{last}."
    if versions:
        count, newest = len(versions), versions[-1]
        said = f"Published: {count} version{'s' * (count > 1)}, the newest is {newest['event']}"
        return said + (", withdrawn since" if newest["withdrawn_at"] else "") + last + "."
    if record is not None and record.form in ("list", "feed", "sitemap"):
        return f"An entry page ({record.form}) of job {record.job}: visited for its links{last}."
    if record is not None:
        return f"Known, and nothing of it was published in {record.state.fetches} visits{last}."
    if place.seen:
        return (
            "Seen and done with, and not kept: no article was found on it, it failed for good, or it is another "
            f"address of an article that is kept{last}."
        )
    return f"Never admitted: no page that was visited has linked to it, or no job wants it (see --jobs){last}."


def _slot_says(place: Whereabouts, now: float) -> str:
    slot = place.slot
    if slot is None or (not slot.running and (slot.free_at is None or slot.free_at <= now)):
        return ""
    if slot.running:
        return ", of which one is in flight"
    backing = f" (backing off by {slot.back_off:.0f} s)" if slot.back_off else ""
    return f", which rests for {(slot.free_at or now) - now:.1f} s more{backing}"


def _recrawl(record: PageRecord, policy: str, now: float) -> dict[str, Any]:
    state = record.state
    if not state.fetches:
        reason = "a seed that was not visited yet is due at once"
    elif state.failures:
        reason = f"backing off after {state.failures} failures in a row"
    else:
        reason = f"policy {policy}: interval {state.interval:,.0f} s from {state.x:.2f} changes in {state.t:,.0f} s"
    return {
        "kind": state.kind.name.lower(), "form": record.form, "fetches": state.fetches, "failures": state.failures,
        "first_at": state.first_at, "last_at": state.last_at, "changed_at": state.changed_at,
        "next_at": state.next_at, "due_in_s": round(state.next_at - now, 1), "reason": reason,
        "content_hash": f"{state.content_hash:016x}" if state.content_hash else None,
        "etag": record.validators.etag, "last_modified": record.validators.last_modified,
        "length": record.validators.length,
    }  # fmt: skip


def _jobs(book: JobBook, url: str, now: float) -> list[dict[str, Any]]:
    """What each job that could have the page says of it."""
    return [
        {
            "job": job.name,
            "entry_page": any(canonical_url(entry) == url for entry, _ in job.entry_urls),
            "may_follow": book.takes(job, url),
            "article_pattern": is_article(job, url),
            "window_open": job.opens(now),
        }
        for job in book.owners(url)
    ]


def _downloads(folder: Path, url: str) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The newest downloads of a page in the crawl log of this machine, and of its host's robots.txt."""
    fetches: deque[Download] = deque(maxlen=_FETCHES)
    robots: Download | None = None
    wanted, other = json.dumps(url).encode(), f'"h":{json.dumps(subdomain(url))}'.encode()
    for file in sorted(folder.glob("crawl-*.jsonl"), key=lambda path: path.stat().st_mtime):
        with file.open("rb") as lines:
            for line in lines:
                if wanted not in line and not (b'"k":"robots"' in line and other in line):
                    continue
                try:
                    row = Download.from_line(line.decode())
                except ValueError:
                    continue  # cut short by a crash
                if row.kind == "robots":
                    robots = row
                else:
                    fetches.append(row)
    told = [{"at": row.start, "status": row.status, "bytes": row.size, "worker": row.worker} for row in fetches]
    return told, None if robots is None else {"at": robots.start, "status": robots.status, "bytes": robots.size}


def _wrapper(runtime: Runtime, name: str) -> dict[str, Any] | None:
    store = WrapperStore(runtime.config.general.data_dir, runtime.config.wrappers.folder)
    wrappers = store.load(name)
    if not wrappers:
        return None
    drift = store.drift(name)
    return {
        "version": store.current(name), "templates": len(wrappers), "fit": round(drift.fit, 3),
        "doubted_at": drift.doubted_at,
    }  # fmt: skip


def _archived(runtime: Runtime, key: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Versions, oldest first, and what of them waits for a sink."""
    signed = int.from_bytes(key.to_bytes(8, "big"), "big", signed=True)
    article, version, box = schema.articles.c, schema.versions.c, schema.outbox.c
    versions = (
        select(
            version.id, version.version, version.event, version.archived_at, version.distance, article.job,
            article.kind, article.title, article.category, article.cluster, article.cluster_role,
            article.withdrawn_at, article.extractor, article.confidence,
        )
        .join_from(schema.versions, schema.articles, article.id == version.article_id)
        .where(article.page_key == signed)
        .order_by(version.id)
    )  # fmt: skip
    with reading(runtime.archive.engine) as connection:
        rows = [dict(row) for row in connection.execute(versions).mappings()]
        of = {row.pop("id"): row["version"] for row in rows}
        waiting = select(box.version_id, box.sink, box.state, box.attempts, box.next_at, box.error).where(
            box.version_id.in_(list(of))
        )
        found = [dict(row) for row in connection.execute(waiting).mappings()]
    return rows, [{"version": of[row.pop("version_id")], **row} for row in found]


def _text(known: dict[str, Any]) -> str:
    lines = [known["url"], known["why"], ""]
    for name, value in known.items():
        if name in ("url", "why", "nothing_known") or (name == "jobs" and value is None):
            continue
        rows = value if isinstance(value, list) else [value]
        label = name.replace("_", " ")
        lines += [f"{label if i == 0 else '':<11} {_line(row)}" for i, row in enumerate(rows or [None])]
    return "\n".join(lines)


def _line(row: Any) -> str:
    if not isinstance(row, dict):
        return "-" if row is None else "yes" if row is True else "no" if row is False else _plain(str(row))
    told = ((name, _time(name, value)) for name, value in row.items() if value not in (None, "", (), []))
    return ", ".join(f"{name.removesuffix('_at').replace('_', ' ')} {_plain(str(value))}" for name, value in told)


def _time(name: str, value: Any) -> Any:
    if (name == "at" or name.endswith("_at")) and isinstance(value, int | float):
        return "-" if value <= 0 else datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds")
    return value


def _plain(text: str) -> str:
    """Without what could steer a terminal."""
    return "".join(ch if ch.isprintable() else " " for ch in text)
