"""A site's wrappers in their versions, and the pages they are learned from, on a shelf.

A person's own wrappers are ``<user folder>/<site>.json``: a whole wrapper, or only its ``overrides``.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from articlebot.errors import StateError
from articlebot.extraction.wrapper import model
from articlebot.extraction.wrapper.drift import Drift
from articlebot.extraction.wrapper.shelf import Shelf, safe_name

if TYPE_CHECKING:
    from articlebot.extraction.wrapper.wrapper import Wrapper
    from articlebot.page.page import Page

FORMAT = 1
MAX_PAGE_BYTES = 5_000_000
_LEVEL = 3  # two thirds of the time of level 5, and a twelfth more bytes, on 120 news pages


@dataclass(frozen=True, slots=True)
class Version:
    """One learned version of a site's wrappers."""

    number: int
    templates: int
    pages: int
    confidence: float
    learned_at: float | None
    pinned: bool
    current: bool


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page kept for learning. ``fetched_at`` in epoch seconds."""

    url: str
    body: bytes
    content_type: str | None
    fetched_at: float | None

    def parse(self) -> Page:
        """The page, parsed."""
        from articlebot.page.page import Page  # noqa: PLC0415 - where pages lie is asked without reading them

        return Page.parse(self.body, self.url, self.content_type, self.fetched_at)


class WrapperStore:
    """The wrappers of sites.

    Args:
        shelf: where they lie.
        user_dir: folder of hand-written wrappers, None where there is none.
    """

    def __init__(self, shelf: Shelf, user_dir: Path | None = None) -> None:
        self._shelf, self._user = shelf, user_dir

    def sites(self) -> list[str]:
        """The sites with a learned or hand-written wrapper."""
        found = set(self._shelf.sites())
        if self._user is not None and self._user.is_dir():
            found |= {f.stem for f in self._user.glob("*.json")}
        return sorted(found)

    def load(self, site: str, version: int | None = None) -> list[Wrapper]:
        """A site's wrappers in force, ready to read pages; see ``rules``."""
        from articlebot.extraction.wrapper.wrapper import Wrapper  # noqa: PLC0415 - so are the rules

        return [Wrapper(rules) for rules in self.rules(site, version)]

    def rules(self, site: str, version: int | None = None) -> list[model.Rules]:
        """The rules of a site in force: the pinned or the newest version under a person's own; empty where none is.

        Raises:
            StateError: a file that cannot be read, or a version that does not exist; names the file.
        """
        own = self._own(site)
        if own is not None and own.body:
            return [own]
        self._check(site, version)
        number = version if version is not None else self.current(site)
        learned = self._read(site, number) if number is not None else []
        if own is None:
            return learned
        if own.overrides.body or not learned:
            return [replace(own, site=site)] if own.overrides.body else []
        return [replace(r, overrides=own.overrides) for r in learned]

    def save(self, site: str, wrappers: Sequence[Wrapper]) -> int:
        """Keeps newly learned wrappers as the site's next version and returns its number; old versions stay."""
        number = max(self._shelf.numbers(site), default=0)
        while True:
            number += 1
            templates = [model.dump(replace(w.rules, site=site, version=number)) for w in wrappers]
            data = {"format": FORMAT, "site": site, "version": number, "templates": templates}
            if self._shelf.add(site, number, json.dumps(data, ensure_ascii=False, indent=1)):
                return number

    def current(self, site: str) -> int | None:
        """The number of the version in force, None where nothing was learned."""
        return _in_force(self._shelf.numbers(site), self._shelf.state(site).get("pinned"))

    def history(self, site: str) -> list[Version]:
        """All versions, oldest first.

        Raises:
            StateError: a version that cannot be read.
        """
        numbers, pinned = self._shelf.numbers(site), self._shelf.state(site).get("pinned")
        current, versions = _in_force(numbers, pinned), []
        for number in numbers:
            learned = self._read(site, number)
            versions.append(
                Version(
                    number, len(learned), sum(r.pages for r in learned),
                    max((r.confidence for r in learned), default=0.0),
                    max((r.learned_at for r in learned if r.learned_at is not None), default=None),
                    number == pinned, number == current,
                )
            )  # fmt: skip
        return versions

    def pin(self, site: str, version: int | None) -> None:
        """Holds a site at one version, whatever is learned later; None lets the newest rule again.

        Raises:
            StateError: no such version.
        """
        self._check(site, version)
        self._shelf.note(site, "pinned", version)

    def forget(self, site: str) -> bool:
        """Removes all that was learned of a site; whether there was anything. Hand-written wrappers stay."""
        return self._shelf.forget(site)

    def drift(self, site: str) -> Drift:
        """The state of a site's wrapper; a damaged one starts anew."""
        try:
            return Drift.from_json(json.dumps(self._shelf.state(site)["drift"]))
        except (KeyError, StateError):
            return Drift()

    def put_drift(self, site: str, drift: Drift) -> None:
        """Keeps the state of a site's wrapper."""
        self._shelf.note(site, "drift", json.loads(drift.to_json()))

    def _own(self, site: str) -> model.Rules | None:
        file = self._user / f"{safe_name(site)}.json" if self._user is not None else None
        if file is None or not file.is_file():
            return None
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            return model.load({"format": model.FORMAT, "site": site, **data, "by_hand": True})
        except (ValueError, TypeError, StateError) as error:
            raise StateError(f"{file}: {error}") from None

    def _check(self, site: str, version: int | None) -> None:
        if version is not None and version not in self._shelf.numbers(site):
            raise StateError(f"{site}: no version {version} of its wrapper")

    def _read(self, site: str, number: int) -> list[model.Rules]:
        try:
            data = json.loads(self._shelf.version(site, number))
            if data["format"] != FORMAT:
                raise StateError(f"format {data['format']}, expected {FORMAT}")
            return [model.load(t) for t in data["templates"]]
        except (ValueError, KeyError, TypeError, StateError) as error:
            raise StateError(f"{self._shelf.place(site, number)}: {error}") from None


def _in_force(numbers: Sequence[int], pinned: int | None) -> int | None:
    return pinned if pinned in numbers else max(numbers, default=None)


class PageStore:
    """Article pages kept for learning, compressed; the oldest of a site give way.

    Args:
        shelf: where they lie.
        per_site: pages kept of one site at most, the newest; they bound disk and the time of learning.
    """

    def __init__(self, shelf: Shelf, per_site: int = 60) -> None:
        self._shelf, self.per_site = shelf, per_site

    def put(self, site: str, page: StoredPage) -> int:
        """Keeps a page, replacing an earlier copy of it, and returns how many the site has now.

        Pages over 5 MB are not kept.
        """
        if len(page.body) > MAX_PAGE_BYTES:
            return self.count(site)
        head = {"url": page.url, "content_type": page.content_type, "fetched_at": page.fetched_at}
        name = blake2b(page.url.encode("utf-8", "replace"), digest_size=8).hexdigest()
        packed = gzip.compress(json.dumps(head).encode() + b"\n" + page.body, _LEVEL, mtime=0)
        return self._shelf.put_page(site, name, packed, self.per_site)

    def count(self, site: str) -> int:
        """How many pages are kept of a site."""
        return self._shelf.count_pages(site)

    def pages(self, site: str) -> Iterator[StoredPage]:
        """The pages of a site, newest first; damaged ones are passed over."""
        for packed in self._shelf.pages(site):
            try:
                head, _, body = gzip.decompress(packed).partition(b"\n")
                facts = json.loads(head)
                yield StoredPage(facts["url"], body, facts.get("content_type"), facts.get("fetched_at"))
            except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
                continue

    def forget(self, site: str) -> None:
        """Removes a site's pages."""
        self._shelf.forget_pages(site)
