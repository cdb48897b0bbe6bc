"""Raw pages in one file that web archive players open: WACZ 1.1.1, a zip of WARC, index, list of pages and digests.

Specification: https://specs.webrecorder.net/wacz/1.1.1/
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from articlebot.archive.raw import RawPage
from articlebot.archive.raw import write as write_warc
from articlebot.errors import ConfigError
from articlebot.times import iso

_WARC, _INDEX, _PAGES = "archive/data.warc.gz", "indexes/index.cdx", "pages/pages.jsonl"
_PAGES_HEAD = {"format": "json-pages-1.0", "id": "pages", "title": "All pages"}


class _Entry:
    """A file inside the zip, as it is written: where it stands, and its digest."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self.name, self._file = name, file
        self.size, self._digest = 0, hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Appends."""
        self.size += len(data)
        self._digest.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        """For writers that want it."""

    @property
    def resource(self) -> dict[str, Any]:
        """As the package lists it."""
        digest = f"sha256:{self._digest.hexdigest()}"
        return {"name": self.name.rpartition("/")[2], "path": self.name, "hash": digest, "bytes": self.size}


def into_wacz(pages: Iterable[tuple[dict[str, Any], RawPage]], path: Path, created_at: float) -> int:
    """Writes pages with the archive's rows of their articles; returns how many.

    Of a page some 300 bytes are kept in memory until the end: its lines of the index, which is sorted, and of the list.

    Raises:
        ConfigError: surt is not installed.
        OSError: the file cannot be written.
    """
    try:
        from surt import surt  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise ConfigError("--format wacz needs surt: pip install '.[wacz]' in the source tree") from None
    index, listed, resources = list[str](), list[str](), list[dict[str, Any]]()
    with zipfile.ZipFile(path, "w") as whole:
        with _entry(whole, _WARC, resources) as warc:
            for row, page in pages:
                begin = warc.size
                write_warc(cast(IO[bytes], warc), page)  # which appends and flushes, and no more
                index.append(_index_line(surt(page.url), page, begin, warc.size - begin))
                listed.append(_json({"url": page.url, "title": row["title"], "ts": _time(page.fetched_at)}))
        for name, lines in ((_INDEX, sorted(index)), (_PAGES, [_json(_PAGES_HEAD), *listed])):
            with _entry(whole, name, resources) as entry:
                for line in lines:
                    entry.write(f"{line}\n".encode())
        _write_package(whole, resources, created_at)
    return len(listed)


def _write_package(whole: zipfile.ZipFile, resources: list[dict[str, Any]], created_at: float) -> None:
    package = {
        "profile": "data-package", "wacz_version": "1.1.1", "created": _time(created_at), "software": "articlebot",
        "resources": resources,
    }  # fmt: skip
    described = json.dumps(package, indent=1).encode()
    digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(described).hexdigest()}"}
    whole.writestr("datapackage.json", described)
    whole.writestr("datapackage-digest.json", json.dumps(digest))


@contextmanager
def _entry(whole: zipfile.ZipFile, name: str, resources: list[dict[str, Any]]) -> Iterator[_Entry]:
    """A file of the zip that is stored as it is, so that players read parts of it."""
    with whole.open(zipfile.ZipInfo(name), "w", force_zip64=True) as file:
        entry = _Entry(name, file)
        yield entry
    resources.append(entry.resource)


def _index_line(key: str, page: RawPage, begin: int, length: int) -> str:
    """A line of CDXJ."""
    kind = page.stated_type.partition(";")[0].strip()
    found = {
        "url": page.url, "mime": kind, "status": "200", "digest": f"sha256:{hashlib.sha256(page.body).hexdigest()}",
        "length": str(length), "offset": str(begin), "filename": _WARC.rpartition("/")[2],
    }  # fmt: skip
    stamp = "".join(one for one in _time(page.fetched_at) if one.isdigit())[:14]
    return f"{key} {stamp} {_json(found)}"


def _time(at: float) -> str:
    return (iso(at) or "").partition(".")[0].replace("+00:00", "") + "Z"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
