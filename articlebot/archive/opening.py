"""The archive as the configuration asks for it."""

from __future__ import annotations

from pathlib import Path

from articlebot import config
from articlebot.archive.batch import Route
from articlebot.archive.raw import RawPages
from articlebot.archive.store import Archive, nowhere


def open_archive(
    database_url: str, archive: config.Archive, route: Route = nowhere, *, data_dir: Path | None = None
) -> Archive:
    """The archive; raises as ``Archive``.

    Args:
        route: names the sinks that what is published is enqueued for.
        data_dir: raw pages are kept in its folder ``raw``; absent: none are kept or read.
    """
    raw = None
    if data_dir is not None and archive.raw != "none":
        raw = RawPages(data_dir / "raw", int(archive.raw_max_mb * (1 << 20)))
    return Archive(database_url, raw=raw, route=route, keep_html=archive.keep_html, upgrade=archive.upgrade)
