"""scrapy extract --pages: articles out of the rows of a file, one after the other as a crawl would read them."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.extraction.cascade import extract, warm_up
from articlebot.extraction.model import Extracted
from articlebot.extraction.wrapper.book import WrapperBook, learn_site, teaches
from articlebot.extraction.wrapper.shelf import FolderShelf
from articlebot.extraction.wrapper.store import PageStore, StoredPage, WrapperStore
from articlebot.extraction.wrapper.wrapper import learn
from articlebot.page import Page
from articlebot.runtime import clock
from articlebot.urls import or_unknown
from articlebot.urls import site as site_of

_HTML = "text/html"
_UTF8 = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Row:
    """A page to read.

    Attributes:
        id: as the row says it, None where it says none.
        site: whose wrapper it is; by default the site of its address.
        refused: why there is no page to read, "" where there is one.
    """

    id: Any = None
    site: str = ""
    url: str = ""
    body: bytes = b""
    content_type: str = _HTML
    refused: str = ""

    def parse(self) -> Page:
        """The page, parsed."""
        return Page.parse(self.body, self.url, self.content_type)


def rows(path: str | None) -> Iterator[Row]:
    """The rows of a JSON Lines file, each with its page; a row without one says why.

    Raises:
        UsageError: no such file.
    """
    if path is None:
        return
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"{path}: no such file")
    with file.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield _row(line, file.parent, number)


def _row(line: bytes, folder: Path, number: int) -> Row:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        return Row(refused=f"line {number} is no JSON object")
    name, url = given.get("id"), given.get("url")
    if not isinstance(url, str):  # "" is an address that nobody knows
        return Row(name, refused=f"line {number} has no url")
    url = or_unknown(url)
    try:
        site = str(given.get("site") or (site_of(url) if url else ""))
        if isinstance(html := given.get("html"), str):
            return Row(name, site, url, html.encode("utf-8", "replace"), _UTF8)
        return Row(name, site, url, (folder / given["html_path"]).read_bytes())
    except (KeyError, TypeError):
        return Row(name, refused=f"line {number} has neither html nor html_path")
    except (OSError, ValueError) as error:
        return Row(name, refused=f"line {number}: {error}")


class Reading:
    """Reads pages with the wrappers of their sites.

    Args:
        folder: where pages and wrappers are kept meanwhile.
        live: whether each article is learned from, as a crawl does; else the wrappers stay as they are.

    Attributes:
        cpu_s: CPU seconds spent on reading pages, learning apart.
        breaks: pages at which a site's wrapper came to be doubted.
    """

    def __init__(self, folder: Path, *, live: bool) -> None:
        self.cpu_s, self.learn_cpu_s = 0.0, 0.0
        self.breaks: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        shelf = FolderShelf(folder)
        self._live, self._store, self._pages = live, WrapperStore(shelf), PageStore(shelf)
        self._book = WrapperBook(self._store, self._pages)

    def learn_from(self, others: Iterator[Row]) -> None:
        """Learns each site's wrappers from these rows; those without a page are counted as ``refused``."""
        by_site: dict[str, list[Row]] = {}
        for row in others:
            if row.refused:
                self._refuse(row)
            else:
                by_site.setdefault(row.site, []).append(row)
        for number, (site, group) in enumerate(by_site.items(), 1):
            wrappers = learn((row.parse() for row in group), site=site)
            said = f"{site}, {len(group)} pages, {len(wrappers)} wrappers"
            print(f"{number} of {len(by_site)} sites: {said}", file=sys.stderr)
            if wrappers:
                self.counts["sites_learned"] += 1
                self._store.save(site, wrappers)

    def read(self, row: Row) -> dict[str, Any]:
        """The line to write for a row."""
        if row.refused:
            self._refuse(row)
            return line(row.id, Extracted(refused=row.refused))
        begun = time.process_time()
        page = row.parse()
        found = extract(page, wrapper=self._book.choose(row.site, page))
        self.cpu_s += time.process_time() - begun
        self.counts["pages_with_wrapper"] += found.origin.get("body", "").startswith("wrapper:")
        if self._live and teaches(found):
            self._note(row, page)
        return line(row.id, found)

    def _note(self, row: Row, page: Page) -> None:
        begun = time.process_time()
        # rows of one address are different pages, as of a site whose addresses were not kept
        stored = StoredPage(f"{row.url}#{row.id}", row.body, row.content_type, None)
        notes = self._book.note(row.site, page, clock.now())
        is_due = self._book.wants(row.site) and self._book.kept(row.site, self._pages.put(row.site, stored))
        self.cpu_s += time.process_time() - begun
        if "doubted" in notes:
            self.breaks.append({"site": row.site, "id": row.id})
        if is_due:
            begun = time.process_time()
            self._learn(row.site)
            self.learn_cpu_s += time.process_time() - begun

    def _learn(self, site: str) -> None:
        if learned := learn_site(self._pages, site, 0.0):
            self.counts["sites_learned"] += self._book.adopt(site, learned) == 1
            self._book.drop(site)
        else:
            self._book.leave(site)

    def _refuse(self, row: Row) -> None:
        self.counts["refused"] += 1
        print(f"{'' if row.id is None else f'row {row.id}: '}{row.refused}", file=sys.stderr)


def predict(pages: str, out: Path, learn_from: str | None, *, live: bool, cpu: bool) -> dict[str, Any]:
    """Writes a line for each row; returns what the command prints.

    Args:
        cpu: add the mean CPU time per page in ms, parsing included, reading the file, learning and loading apart.

    Raises:
        UsageError: a file that is not there.
    """
    with TemporaryDirectory(prefix="articlebot-extract-") as folder:
        reading = Reading(Path(folder), live=live)
        reading.learn_from(rows(learn_from))
        asked = rows(pages)
        warm_up()
        count = 0
        with out.open("w", encoding="utf-8") as stream:
            for count, row in enumerate(asked, 1):
                stream.write(json.dumps(reading.read(row), ensure_ascii=False) + "\n")
                if count % 100 == 0:
                    print(f"{count} pages", file=sys.stderr)
    summary: dict[str, Any] = {
        "pages": count,
        **{name: reading.counts[name] for name in ("sites_learned", "pages_with_wrapper", "refused")},
        "breaks": reading.breaks,
    }
    if cpu:
        read = max(1, count - reading.counts["refused"])
        summary["cpu_ms_per_page"] = round(1000 * reading.cpu_s / read, 2)
        summary["learn_cpu_s"] = round(reading.learn_cpu_s, 2)
    return summary


def line(name: Any, found: Extracted) -> dict[str, Any]:
    """``date`` and ``author`` are what `evaluate.py` of the corpus reads."""
    return {
        "id": name,
        "title": found.title,
        "body": found.body,
        "published": found.published,
        "authors": list(found.authors),
        "source": found.source,
        "language": found.language,
        "images": [dataclasses.asdict(image) for image in found.images],
        "lead_image": found.lead_image or None,
        "kind": found.kind,
        "origin": found.origin,
        "confidence": found.confidence,
        "refused": found.refused,
        "extractor": found.origin.get("body", ""),
        "date": found.published,
        "author": "; ".join(found.authors),
    }
