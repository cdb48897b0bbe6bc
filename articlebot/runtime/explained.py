"""Everything known of one page, and in a sentence why it stands where it stands."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, select

from articlebot.archive import schema
from articlebot.archive.engine import reading
from articlebot.archive.record import signed
from articlebot.frontier.crawl_log import Download
from articlebot.frontier.leases import LOST
from articlebot.frontier.lookup import Whereabouts, look_up
from articlebot.jobs.book import JobBook
from articlebot.jobs.looks import Found
from articlebot.jobs.visit import ENTRIES
from articlebot.recrawl import PageRecord
from articlebot.recrawl.signals import KINDS, NAMES
from articlebot.runtime.clauses import Clause, left_by, never, of_look, refused
from articlebot.runtime.runtime import Runtime
from articlebot.times import iso
from articlebot.urls import page_key, site, subdomain

_FETCHES = 5
# States keep times to 1/64 s; a visit that a signal moved by less was not moved.
_SOONER_S = 1.0
# What is read of the crawl logs, newest files first: a page that was never fetched is in none of them.
_LOOK_BACK = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What the stores know of a canonical URL.

    Attributes:
        place: of the frontier.
        record: its page state; None where it is not visited again.
        fetches: its last downloads in this machine's crawl logs, oldest first.
        robots: the last download of its host's robots.txt.
        versions: rows of its archived versions, oldest first.
        deliveries: what of them waits for a sink.
        reason: why its last visit gave no article; None where it gave one, or that is long ago.
        due_at: when it is due, epoch seconds, where signals of a change came; else None.
        removed_at: when retention removed its article, epoch seconds; None where it did not.
        look: what a look at its site found, where nothing but that may be known; None where there was none.
        is_forbidden: whether robots.txt of its host forbids it, looked up where nothing is known of the page itself.
    """

    url: str
    place: Whereabouts
    record: PageRecord | None
    fetches: list[Download]
    robots: Download | None
    versions: list[dict[str, Any]]
    deliveries: list[dict[str, Any]]
    removed_at: float | None = None
    reason: str | None = None
    due_at: float | None = None
    look: Found | None = None
    is_forbidden: bool = False

    @property
    def signals(self) -> list[str]:
        """What changed of what other pages say of it, since its last visit."""
        return [] if self.record is None else [NAMES[kind] for kind in KINDS if self.record.signals & kind]

    @property
    def is_sooner(self) -> bool:
        """Whether such a signal moved its next visit."""
        if self.record is None or self.due_at is None or not self.signals:
            return False
        return self.due_at < self.record.state.next_at - _SOONER_S

    @property
    def is_known(self) -> bool:
        """Whether any store has anything of it."""
        place = self.place
        known = (place.seen, place.waiting, place.quarantined, self.record, self.fetches, self.versions)
        return any((*known, self.removed_at))

    def why(self, now: float, book: JobBook | None = None) -> list[Clause]:
        """The sentence a person asks for, in clauses.

        Args:
            now: epoch seconds.
            book: the jobs that may want it; None where they are not known.
        """
        reasons = [] if self.kept_from is None else refused(self.kept_from)
        # Where the reason is known, a page that is done with has no other.
        standing = [] if reasons and self._is_done else [self._standing(book)]
        clauses = [*standing, *(self._slot(now) if self._is_queued else self._visits()), *reasons]
        if self.is_forbidden and (book is None or any(job.robots for job in book.owners(self.url))):
            clauses += refused("robots")
        elif self.look is not None and not (self.is_known or left_by(self.url, book)):
            clauses += of_look(self.url, self.look)
        if self.signals:
            clauses.append(Clause("its {signals} changed since its last visit", {"signals": ", ".join(self.signals)}))
        if self.is_sooner:
            clauses.append(Clause("that made its next visit sooner, because the site's signals have proved right"))
        if self.fetches:
            status = self.fetches[-1].status
            said = "the last download was answered with {status}" if status else "the last download had no answer"
            clauses.append(Clause(said, {"status": status}))
        return clauses

    @property
    def kept_from(self) -> str | None:
        """The word for what kept the last visit from giving an article, None where nothing did."""
        if self.versions and self.versions[-1].get("withdrawn_at") is None:
            return None
        # An entry page that has answered since keeps its reason for 30 days.
        has_answered = self.record is not None and self.record.state.fetches and not self.record.state.failures
        return None if self._is_entry and has_answered else self.reason

    @property
    def _is_done(self) -> bool:
        """Whether nothing but its refusal is to be told: it is not waited for, kept, nor visited for its links."""
        place = self.place
        kept = self.versions or self.removed_at is not None
        return not (place.waiting or place.quarantined or kept or self._is_entry)

    @property
    def _is_entry(self) -> bool:
        return self.record is not None and self.record.form in ENTRIES

    @property
    def _is_queued(self) -> bool:
        place = self.place
        return not place.quarantined and bool(place.waiting) and place.waiting[0].state == "queued"

    def _standing(self, book: JobBook | None) -> Clause:
        place, record = self.place, self.record
        if place.quarantined:
            tries = place.quarantined[0].history
            reason = tries[-1][2] if tries else "unknown"
            said = "In quarantine after {tries} tries, the last one failed with {reason}: see `scrapy frontier`"
            if (again_at := place.quarantined[0].again_at) is not None:
                died = sum(why.startswith(LOST) for _, _, why in tries)
                again = datetime.fromtimestamp(again_at, UTC)
                said = "In quarantine, because {died} workers died with it in hand; tried again at {again:%F %H:%M} UTC"
                return Clause(said, {"died": died, "again": again})
            return Clause(said, {"tries": len(tries), "reason": reason})
        for one in place.waiting:
            if one.state == "leased":
                return Clause("Being fetched by worker {worker} now", {"worker": one.worker})
            return Clause("Queued, with {before} requests of its slot before it", {"before": one.before})
        if self.versions:
            newest = self.versions[-1]
            said = "Published: version {version} is the newest ({event})"
            if newest.get("withdrawn_at") is not None:
                said = "Withdrawn: version {version} says so"
            return Clause(said, {"version": newest["version"], "event": newest["event"]})
        if self.removed_at is not None:
            return Clause(
                "Removed by retention: archived again only when its page has another text and states a later date"
            )
        if record is not None and record.form in ENTRIES:
            return Clause(
                "An entry page ({form}) of job {job}: visited for its links", {"form": record.form, "job": record.job}
            )
        if record is not None:
            said = "Known, and nothing of it was published in {fetches} visits"
            return Clause(said, {"fetches": record.state.fetches})
        return self._unkept(book)

    def _unkept(self, book: JobBook | None) -> Clause:
        """Of a page of which nothing but its address is kept, if that."""
        if self.place.seen:
            return left_by(self.url, book) or Clause(
                "Seen and done with, and not kept: no article was found on it, it failed for good, or it is another "
                "address of an article that is kept"
            )
        if self.fetches:
            said = "{at}: asked for as a further page of a list or by the look at its site; not an entry page of a job"
            return Clause(said, {"at": iso(self.fetches[-1].start)})
        return never(self.url, book, is_host_known=self.place.slot is not None)

    def _visits(self) -> list[Clause]:
        if not self.versions or self.record is not None or self.place.waiting or self.place.quarantined:
            return []
        if self.versions[-1].get("withdrawn_at") is not None:
            return [Clause("its page is gone for good, so it is visited no more")]
        return [Clause("it is visited no more: it was quiet for long, or its job has recrawl_articles = false")]

    def _slot(self, now: float) -> list[Clause]:
        slot, silence = self.place.slot, self.place.silence
        if silence is not None:
            said = "its host has not answered for {seconds:.0f} s ({fault}), and is asked again from time to time"
            return [Clause(said, {"seconds": max(0.0, now - silence.since), "fault": silence.fault})]
        if slot is None or (not slot.running and (slot.free_at is None or slot.free_at <= now)):
            return []
        if slot.running:
            return [Clause("one request of its slot is in flight")]
        rests = [Clause("its slot rests for {seconds:.1f} s more", {"seconds": (slot.free_at or now) - now})]
        if slot.back_off:
            rests.append(Clause("backing off by {seconds:.0f} s", {"seconds": slot.back_off}))
        if slot.gap:
            said = "its host refused pages that came faster than one in {seconds:.1f} s"
            rests.append(Clause(said, {"seconds": slot.gap}))
        return rests


async def explain(url: str, runtime: Runtime) -> Explained:
    """Asks every store.

    Args:
        url: canonical.
        runtime: the stores, its frontier open.

    Raises:
        RefusedError: the URL is no page's.
        StoreUnavailable: a store is away.
    """
    place = await look_up(runtime.frontier, url)
    [record] = await runtime.pages.get([page_key(url)])
    logs = runtime.config.general.data_dir / "logs"
    fetches, robots = await asyncio.to_thread(_downloads, logs, url)
    archived = await asyncio.to_thread(_archived, runtime.archive.engine, page_key(url))
    versions, deliveries, removed_at = archived
    reason = await runtime.reasons.get(page_key(url))
    due_at = None if record is None or not record.signals else await runtime.pages.due_at(record.key)
    is_unknown = not (place.seen or record is not None or versions)
    looks = await runtime.looks.all() if is_unknown else {}
    look = next((one for one in looks.values() if site(one.site) == site(url)), None)
    return Explained(
        url=url, place=place, record=record, fetches=fetches, robots=robots, versions=versions, deliveries=deliveries,
        removed_at=removed_at, reason=reason, due_at=due_at, look=look,
        is_forbidden=is_unknown and await runtime.usage.forbids(url),
    )  # fmt: skip


def _downloads(folder: Path, url: str) -> tuple[list[Download], Download | None]:
    scheme, _, _ = url.partition("://")
    robots_url = f"{scheme}://{subdomain(url)}/robots.txt"
    fetches: list[Download] = []
    robots: list[Download] = []
    left = _LOOK_BACK
    files = [(file.stat(), file) for file in folder.glob("crawl-*.jsonl")]
    for known, file in sorted(files, key=lambda pair: -pair[0].st_mtime):
        left -= known.st_size
        if left < 0 or (len(fetches) >= _FETCHES and robots):
            break
        data = file.read_bytes()
        fetches = _rows(data, url) + fetches
        robots = robots or _rows(data, robots_url)
    fetches.sort(key=lambda row: row.start)
    return fetches[-_FETCHES:], robots[-1] if robots else None


def _rows(data: bytes, url: str) -> list[Download]:
    """The rows of an address, found without reading each line."""
    rows, wanted = [], json.dumps(url, ensure_ascii=False).encode("utf-8", "surrogatepass")
    at = data.find(wanted)
    while at >= 0:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        with suppress(ValueError):  # cut short by a crash
            rows.append(Download.from_line(data[data.rfind(b"\n", 0, at) + 1 : end].decode()))
        at = data.find(wanted, end)
    return rows


def _archived(engine: Engine, key: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]], float | None]:
    article, version, box = schema.articles.c, schema.versions.c, schema.outbox.c
    versions = (
        select(
            version.id, version.version, version.event, version.archived_at, version.distance, version.older,
            article.job, article.kind, article.title, article.category, article.cluster, article.cluster_role,
            article.parent_url, article.withdrawn_at, article.extractor, article.confidence,
        )
        .join_from(schema.versions, schema.articles, article.id == version.article_id)
        .where(article.page_key == signed(key))
        .order_by(version.id)
    )  # fmt: skip
    with reading(engine) as connection:
        rows = [dict(row) for row in connection.execute(versions).mappings()]
        was: dict[str, Any] = {}
        for row in reversed(rows):
            was |= row.pop("older") or {}
            row.update((name, value) for name, value in was.items() if name in row)
        of = {row.pop("id"): row["version"] for row in rows}
        waiting = select(box.version_id, box.sink, box.state, box.attempts, box.next_at, box.error).where(
            box.version_id.in_(list(of))
        )
        found = [dict(row) for row in connection.execute(waiting).mappings()]
        gone = select(schema.removed.c.removed_at).where(schema.removed.c.page_key == signed(key))
        removed_at = connection.execute(gone).scalar()
    return rows, [{"version": of[row.pop("version_id")], **row} for row in found], removed_at
