"""Raw pages: what a version was extracted from, as compressed records in WARC files beside the database.

Each file is a valid WARC (1.1, one gzip member a record), which any archive tool reads; the database knows file, offset
and length of each version's record. Files are local to the machine that fetched.
"""

from __future__ import annotations

import io
import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, delete, insert, select

from articlebot.archive import schema
from articlebot.archive.engine import chunks
from articlebot.errors import StateError
from articlebot.times import iso

# An eighth of the gigabyte that the standard advises: files are removed whole, so that large ones waste space.
_FILE_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class RawPage:
    """One fetched page, with its Content-Type (None where there was none), and when it came (epoch seconds)."""

    url: str
    body: bytes
    content_type: str | None
    fetched_at: float

    @property
    def stated_type(self) -> str:
        """The Content-Type to write; markup that came without one would be offered as a download, not shown."""
        is_markup = self.body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        return self.content_type or ("text/html" if is_markup else "application/octet-stream")


class RawPages:
    """A folder of WARC files, of which the oldest are removed beyond ``max_bytes`` of all together."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder, self._max_bytes = folder, max_bytes
        self._name: str | None = None

    def add(self, connection: Connection, pages: Sequence[tuple[int, RawPage]]) -> None:
        """Writes pages by version id, flushed to disk, and their places into the transaction.

        Raises:
            OSError: the disk is full.
        """
        if not pages:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        rows = []
        with self._open(pages[0][1].fetched_at) as file:
            for version_id, page in pages:
                begin = file.tell()
                write(file, page)
                rows.append(
                    {"version_id": version_id, "file": Path(file.name).name, "offset": begin,
                     "length": file.tell() - begin, "content_type": page.content_type, "fetched_at": page.fetched_at}
                )  # fmt: skip
            file.flush()
            os.fsync(file.fileno())
        connection.execute(insert(schema.raw_pages), rows)
        self._prune(connection)

    def read(self, connection: Connection, version_ids: Iterable[int]) -> Iterator[tuple[int, RawPage]]:
        """The pages of those versions whose files are on this machine.

        Raises:
            StateError: a file does not hold what the database says.
        """
        table = schema.raw_pages
        for some in chunks(version_ids):
            query = select(table).where(table.c.version_id.in_(some)).order_by(table.c.version_id)
            for row in connection.execute(query).all():
                path = self._folder / row.file
                if path.exists():
                    yield row.version_id, _read(path, row)

    def _open(self, at: float) -> IO[bytes]:
        path = self._folder / self._name if self._name else None
        if path is None or not path.exists() or path.stat().st_size > _FILE_BYTES:
            stamp = (iso(at) or "").replace("-", "").replace(":", "")[:15]
            # A file of its own for each process: two never write into one, and machines may share a folder.
            self._name = f"{stamp}-{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}.warc.gz"
            path = self._folder / self._name
        return path.open("ab")

    def _prune(self, connection: Connection) -> None:
        files = sorted(self._folder.glob("*.warc.gz"), key=lambda path: (path.stat().st_mtime, path.name))
        sizes = {path: path.stat().st_size for path in files}
        total = sum(sizes.values())
        for path in files:
            if total <= self._max_bytes:
                return
            if path.name == self._name:  # not the last, where the clock was set back
                continue
            connection.execute(delete(schema.raw_pages).where(schema.raw_pages.c.file == path.name))
            path.unlink()
            total -= sizes[path]


def write(file: IO[bytes], page: RawPage) -> None:
    """Appends a page as a WARC resource record."""
    from warcio.warcwriter import WARCWriter  # noqa: PLC0415 - few commands touch a raw page

    writer = WARCWriter(file, gzip=True, warc_version="WARC/1.1")
    record = writer.create_warc_record(
        page.url,
        "resource",
        payload=io.BytesIO(page.body),
        length=len(page.body),  # without it warcio writes a temporary file first
        warc_content_type=page.stated_type.replace("\r", " ").replace("\n", " "),
        warc_headers_dict={"WARC-Date": (iso(page.fetched_at) or "").replace("+00:00", "Z")},
    )
    writer.write_record(record)


def _read(path: Path, row: Any) -> RawPage:
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415

    with path.open("rb") as file:
        file.seek(row.offset)
        data = io.BytesIO(file.read(row.length))
    try:
        record = next(iter(ArchiveIterator(data)))
        body = record.content_stream().read()
    except Exception as error:  # warcio raises whatever gzip and its parser do
        raise StateError(f"{path} is damaged at {row.offset}: {error}") from error
    url = record.rec_headers.get_header("WARC-Target-URI")
    return RawPage(url, body, row.content_type, row.fetched_at)
