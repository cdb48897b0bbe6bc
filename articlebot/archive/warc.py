"""The pages in WARC files, of articlebot's own archive or of any other crawler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from articlebot.archive.raw import RawPage

_HTML = ("text/html", "application/xhtml+xml")


class WarcFiles:
    """The HTML pages of files, in their order: records ``resource``, and ``response`` with HTTP status 200.

    Args:
        paths: the files, compressed or not.
        bad: takes what is wrong with a file; what follows in it is left out.
    """

    def __init__(self, paths: list[Path], bad: Callable[[str], None]) -> None:
        self._paths, self._bad = paths, bad
        self._bytes = sum(path.stat().st_size for path in paths)
        self._before = self._read = 0

    def share(self) -> float:
        """How much has been read, 0 to 1."""
        return (self._before + self._read) / max(1, self._bytes)

    def __iter__(self) -> Iterator[RawPage]:
        for path in self._paths:
            with path.open("rb") as file:
                records = ArchiveIterator(file)
                try:
                    for record in records:
                        self._read = records.offset
                        if (page := _page(record)) is not None:
                            yield page
                except Exception as error:  # warcio raises whatever gzip and its parser do
                    self._bad(f"{path}: damaged after byte {self._read}: {error}")
            self._before, self._read = self._before + path.stat().st_size, 0


def _page(record: Any) -> RawPage | None:
    url = record.rec_headers.get_header("WARC-Target-URI")
    if record.rec_type == "resource":
        content_type = record.rec_headers.get_header("Content-Type")
    elif record.rec_type == "response" and record.http_headers and record.http_headers.get_statuscode() == "200":
        content_type = record.http_headers.get_header("Content-Type")
    else:
        return None
    if not url or (content_type and content_type.partition(";")[0].strip().lower() not in _HTML):
        return None
    return RawPage(url, record.content_stream().read(), content_type, _fetched_at(record))


def _fetched_at(record: Any) -> float:
    try:
        return datetime.fromisoformat(record.rec_headers.get_header("WARC-Date")).timestamp()
    except (TypeError, ValueError):
        return 0.0
