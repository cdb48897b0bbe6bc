"""``scrapy explain``: everything known of one URL, and why it was fetched, extracted and published, or was not."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import closing
from dataclasses import asdict
from typing import Any

from articlebot.actions import base
from articlebot.actions.output import printable
from articlebot.extraction.wrapper.store import WrapperStore
from articlebot.jobs.book import JobBook, is_article
from articlebot.recrawl import PageRecord
from articlebot.runtime import Runtime
from articlebot.runtime.explained import explain
from articlebot.runtime.followed import followed_last
from articlebot.times import duration, iso
from articlebot.twins.parameters import without
from articlebot.urls import canonical_url, page_key, site, typed_url


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Prints what is known."""
    url = typed_url(args[0])
    book = JobBook.from_argument(opts.jobs, None) if opts.jobs else None
    known = command.ask(lambda runtime: explained(url, runtime, book))
    command.show(known, lambda: _text(known), opts)
    command.exitcode = int(known["nothing_known"])


async def explained(url: str, runtime: Runtime, book: JobBook | None) -> dict[str, Any]:
    """What is known of the page at a canonical address, under the scheme that the crawl knows.

    The jobs that were followed last stand for those of no file.
    """
    await runtime.frontier.open()
    known, now = await explain(url, runtime), runtime.now()
    # A page is the same under http and https: what is told of its address is told of the one that the crawl has.
    if known.record is not None and known.record.url != url:
        url = known.record.url
        known = await explain(url, runtime)
    given = book
    if book is None:
        followed = await followed_last(runtime)
        book = followed if followed.stated else None
    place, record, robots, versions = known.place, known.record, known.robots, known.versions
    due_at = None if record is None or place.waiting else await runtime.pages.due_at(record.key)
    paused = record is not None and record.job in await runtime.pauses.all()
    aside = record is not None and due_at is None and not place.waiting
    next_at = None if record is None or paused or aside else due_at or record.state.next_at
    why = "; ".join(map(str, known.why(now, book))) + "."
    why = why[:1].upper() + why[1:]
    if record is not None and (paused or aside):
        said = "paused by `scrapy jobs pause`" if paused else "not followed now"
        why += f" Its job {record.job} is {said}: it is not visited."
    elif record is not None and given is not None and record.job not in given.every:
        why += f" No file has its job {record.job}: a crawl of these files does not visit it, nor takes it over."
    idle = await runtime.twins.idle(site(url))
    if (short := without(url, idle)) != url:
        why += f" Links to it are followed as {short}: the parameters left out change nothing on its site."
    return {
        "url": url,
        "page_key": f"{page_key(url):016x}",
        "site": site(url),
        "why": why,
        "idle_parameters": idle,
        "interval_s": None if record is None or next_at is None else _interval(record),
        "next_visit": next_at,
        "job": record.job if record is not None else versions[-1]["job"] if versions else None,
        "jobs": None if book is None else _jobs(book, url, now),
        "seen": place.seen,
        "requests": [asdict(one) for one in place.waiting],
        "quarantine": [asdict(one) for one in place.quarantined],
        "slot": None if place.slot is None else asdict(place.slot),
        "robots": None if robots is None else {"at": robots.start, "status": robots.status, "bytes": robots.size},
        "fetches": [
            {"at": row.start, "status": row.status, "bytes": row.size, "worker": row.worker} for row in known.fetches
        ],
        "recrawl": None if record is None else _recrawl(record, next_at, runtime.config.recrawl.policy, now),
        "signals": known.signals,
        "sooner_by_signal": known.is_sooner,
        "wrapper": await asyncio.to_thread(_wrapper, runtime, site(url)),
        "versions": versions,
        "deliveries": known.deliveries,
        "removed_at": known.removed_at,
        "reason": known.kept_from,
        "host_silent_since": None if place.silence is None else place.silence.since,
        "nothing_known": not known.is_known,
    }


def _interval(record: PageRecord) -> float | None:
    """Seconds between the last visit with an answer and the next one, as the policy laid it out."""
    state = record.state
    if state.fetches <= state.failures:
        return None
    return round(state.interval if state.failures else state.next_at - state.last_at, 3)


def _recrawl(record: PageRecord, next_at: float | None, policy: str, now: float) -> dict[str, Any]:
    """Of a visit that a signal has moved, the reason is that of the time before.

    Args:
        record: what is known of the page.
        next_at: when it is visited next; None: it is not.
        policy: the name of what laid the visits out.
        now: epoch seconds.
    """
    state = record.state
    if not state.fetches:
        reason = "a seed that was not visited yet is due at once"
    elif state.failures:
        reason = f"backing off after {state.failures} failures in a row"
    else:
        reason = (
            f"policy {policy}: interval {state.next_at - state.last_at:,.0f} s, its own {state.interval:,.0f} s, "
            f"from {state.x:.2f} changes in {state.t:,.0f} s"
        )
    return {
        "kind": state.kind.name.lower(), "form": record.form, "fetches": state.fetches, "failures": state.failures,
        "first_at": state.first_at, "last_at": state.last_at, "changed_at": state.changed_at,
        "next_at": next_at, "due_in_s": None if next_at is None else round(next_at - now, 1), "reason": reason,
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


def _wrapper(runtime: Runtime, name: str) -> dict[str, Any] | None:
    with closing(runtime.shelf()) as shelf:
        store = WrapperStore(shelf, runtime.config.wrappers.folder)
        wrappers = store.rules(name)
        if not wrappers:
            return None
        drift = store.drift(name)
        return {
            "version": store.current(name), "templates": len(wrappers), "fit": round(drift.fit, 3),
            "doubted_at": drift.doubted_at,
        }  # fmt: skip


def _text(known: dict[str, Any]) -> str:
    lines = [known["url"], known["why"], ""]
    for name, value in known.items():
        if name in ("url", "why", "nothing_known") or value in (None, []) or (name == "sooner_by_signal" and not value):
            continue
        rows = value if isinstance(value, list) else [value]
        label = _label(name)
        lines += [f"{label if i == 0 else '':<11} {_line(_time(name, row))}" for i, row in enumerate(rows)]
    return "\n".join(lines)


def _line(row: Any) -> str:
    if not isinstance(row, dict):
        return _plain(row)
    told = ((name, _time(name, value)) for name, value in row.items() if value not in (None, "", (), []))
    return ", ".join(f"{_label(name)} {_plain(value)}" for name, value in told)


def _label(name: str) -> str:
    return name.removesuffix("_at").removesuffix("_s").replace("_", " ")


def _plain(value: Any) -> str:
    return "yes" if value is True else "no" if value is False else printable(str(value))


def _time(name: str, value: Any) -> Any:
    if (name in ("at", "next_visit") or name.endswith("_at")) and isinstance(value, int | float):
        return "-" if value <= 0 else iso(value)
    if name.endswith("_s") and isinstance(value, int | float):
        return duration(value)
    return value
