"""The archive and the sinks as the configuration asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from articlebot import config
from articlebot.archive import Archive, RawPages, nowhere
from articlebot.publishing.outbox import Outbox, Retry
from articlebot.publishing.specs import Sinks, build


def open_archive(
    database_url: str, archive: config.Archive, sinks: Sinks | None = None, *, data_dir: Path | None = None
) -> Archive:
    """The archive; raises as ``Archive``.

    Args:
        sinks: what is published is enqueued for them; absent: for none.
        data_dir: raw pages are kept in its folder ``raw``; absent: none are kept or read.
    """
    raw = None
    if data_dir is not None and archive.raw != "none":
        raw = RawPages(data_dir / "raw", int(archive.raw_max_mb * (1 << 20)))
    return Archive(
        database_url, raw=raw, route=sinks.routes if sinks else nowhere, corrected_below=archive.corrected_below,
        keep_html=archive.keep_html, synchronous=archive.synchronous, upgrade=archive.upgrade,
    )  # fmt: skip


def open_sinks(
    publishing: config.Publishing, data_dir: Path, now: Callable[[], float],
    job_sinks: Mapping[str, Sequence[str]] | None = None,
) -> Sinks:  # fmt: skip
    """The sinks of the configuration; see ``specs.build``."""
    return build(publishing.sinks, data_dir, now, job_sinks)


def open_outbox(archive: Archive, publishing: config.Publishing) -> Outbox:
    """The outbox of an archive."""
    retry = Retry(first_s=publishing.retry_first_s, cap_s=publishing.retry_cap_s, attempts=publishing.attempts)
    return Outbox(archive.engine, batch=publishing.batch, retry=retry)
