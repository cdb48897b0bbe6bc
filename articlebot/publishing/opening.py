"""The archive and the sinks as the configuration asks for them."""

from __future__ import annotations

from pathlib import Path

from articlebot import config
from articlebot.archive import Archive, RawPages, nowhere
from articlebot.publishing.outbox import Outbox, Retry
from articlebot.publishing.specs import Sinks


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
    route = sinks.routes if sinks else nowhere
    return Archive(database_url, raw=raw, route=route, keep_html=archive.keep_html, upgrade=archive.upgrade)


def open_outbox(archive: Archive, publishing: config.Publishing) -> Outbox:
    """The outbox of an archive."""
    return Outbox(archive.engine, batch=publishing.batch, retry=Retry(attempts=publishing.attempts))
