"""Where wrappers and the pages they are learned from are kept.

``<data>/wrappers/<site>/v<N>.json`` are the versions of a site, never changed once written; ``state.json`` beside them
names the pinned one. ``<data>/pages/<site>/`` keeps pages compressed and bounded. A person's own wrappers are
``<user folder>/<site>.json``: a whole wrapper, or only its ``overrides``.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from articlebot import files
from articlebot.errors import StateError
from articlebot.extraction.wrapper import model
from articlebot.extraction.wrapper.drift import Drift
from articlebot.extraction.wrapper.wrapper import Wrapper
from articlebot.page.page import Page

FORMAT = 1
MAX_PAGE_BYTES = 5_000_000
_VERSION_FILE = re.compile(r"v(\d+)\.json\Z")
_UNSAFE = re.compile(r"[^\w.-]|^\.+")


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
        return Page.parse(self.body, self.url, self.content_type, self.fetched_at)


class WrapperStore:
    """Wrappers on disk.

    Args:
        data_dir: the data folder.
        user_dir: folder of hand-written wrappers, None where there is none.
    """

    def __init__(self, data_dir: Path, user_dir: Path | None = None) -> None:
        self._root = data_dir / "wrappers"
        self._user = user_dir

    def sites(self) -> list[str]:
        """The sites with a learned or hand-written wrapper."""
        found = {f.name for f in self._root.iterdir() if f.is_dir()} if self._root.is_dir() else set()
        if self._user is not None and self._user.is_dir():
            found |= {f.stem for f in self._user.glob("*.json")}
        return sorted(found)

    def load(self, site: str, version: int | None = None) -> list[Wrapper]:
        """A site's wrappers in force: the pinned or the newest version under a person's own; empty where none is.

        Raises:
            StateError: a file that cannot be read, or a version that does not exist; names the file.
        """
        own = self._own(site)
        if own is not None and own.body:
            return [Wrapper(own)]
        number = version if version is not None else self.current(site)
        learned = self._read(site, number) if number is not None else []
        if own is None:
            return [Wrapper(r) for r in learned]
        if own.overrides.body or not learned:
            return [Wrapper(replace(own, site=site))] if own.overrides.body else []
        return [Wrapper(replace(r, overrides=own.overrides)) for r in learned]

    def save(self, site: str, wrappers: Sequence[Wrapper]) -> int:
        """Keep newly learned wrappers as the site's next version and return its number; old versions stay."""
        folder = self._folder(site)
        number = max(self._numbers(site), default=0) + 1
        templates = [model.dump(replace(w.rules, site=site, version=number)) for w in wrappers]
        _write(folder / f"v{number}.json", {"format": FORMAT, "site": site, "version": number, "templates": templates})
        return number

    def current(self, site: str) -> int | None:
        """The number of the version in force, None where nothing was learned."""
        numbers = self._numbers(site)
        pinned = self._state(site).get("pinned")
        return pinned if pinned in numbers else max(numbers, default=None)

    def history(self, site: str) -> list[Version]:
        """All versions, oldest first.

        Raises:
            StateError: a file that cannot be read.
        """
        current, pinned = self.current(site), self._state(site).get("pinned")
        versions = []
        for number in self._numbers(site):
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
        """Hold a site at one version, whatever is learned later; None lets the newest rule again.

        Raises:
            StateError: no such version.
        """
        if version is not None and version not in self._numbers(site):
            raise StateError(f"{site}: no version {version} of its wrapper")
        self._write_state(site, {**self._state(site), "pinned": version})

    def forget(self, site: str) -> bool:
        """Remove all that was learned of a site; whether there was anything. Hand-written wrappers stay."""
        folder = self._folder(site)
        if not folder.is_dir():
            return False
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        return True

    def drift(self, site: str) -> Drift:
        """The state of a site's wrapper; a damaged one starts anew."""
        try:
            return Drift.from_json(json.dumps(self._state(site)["drift"]))
        except (KeyError, StateError):
            return Drift()

    def put_drift(self, site: str, drift: Drift) -> None:
        """Keep the state of a site's wrapper."""
        self._write_state(site, {**self._state(site), "drift": json.loads(drift.to_json())})

    def _own(self, site: str) -> model.Rules | None:
        file = self._user / f"{_safe(site)}.json" if self._user is not None else None
        if file is None or not file.is_file():
            return None
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            return model.load({"format": model.FORMAT, "site": site, **data, "by_hand": True})
        except (ValueError, TypeError, StateError) as error:
            raise StateError(f"{file}: {error}") from None

    def _read(self, site: str, number: int) -> list[model.Rules]:
        file = self._folder(site) / f"v{number}.json"
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            if data["format"] != FORMAT:
                raise StateError(f"format {data['format']}, expected {FORMAT}")
            return [model.load(t) for t in data["templates"]]
        except (OSError, ValueError, KeyError, TypeError, StateError) as error:
            raise StateError(f"{file}: {error}") from None

    def _folder(self, site: str) -> Path:
        return self._root / _safe(site)

    def _numbers(self, site: str) -> list[int]:
        folder = self._folder(site)
        if not folder.is_dir():
            return []
        return sorted(int(m[1]) for f in folder.iterdir() if (m := _VERSION_FILE.match(f.name)))

    def _state(self, site: str) -> dict[str, Any]:
        try:
            state = json.loads((self._folder(site) / "state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def _write_state(self, site: str, state: dict[str, Any]) -> None:
        _write(self._folder(site) / "state.json", state)


class PageStore:
    """Article pages kept for learning, compressed; the oldest of a site give way.

    Args:
        data_dir: the data folder.
        per_site: pages kept of one site at most.
    """

    def __init__(self, data_dir: Path, per_site: int = 60) -> None:
        self._root = data_dir / "pages"
        self._per_site = per_site

    def put(self, site: str, page: StoredPage) -> int:
        """Keep a page, replacing an earlier copy of it, and return how many the site has now.

        Pages over 5 MB are not kept.
        """
        folder = self._root / _safe(site)
        if len(page.body) > MAX_PAGE_BYTES:
            return self.count(site)
        head = {"url": page.url, "content_type": page.content_type, "fetched_at": page.fetched_at}
        name = blake2b(page.url.encode("utf-8", "replace"), digest_size=8).hexdigest() + ".gz"
        packed = gzip.compress(json.dumps(head).encode() + b"\n" + page.body, 5, mtime=0)
        files.replace(folder / name, packed)
        kept = sorted(folder.glob("*.gz"), key=lambda f: f.stat().st_mtime_ns)
        for file in kept[: -self._per_site]:
            file.unlink(missing_ok=True)
        return min(len(kept), self._per_site)

    def count(self, site: str) -> int:
        """How many pages are kept of a site."""
        folder = self._root / _safe(site)
        return sum(1 for _ in folder.glob("*.gz")) if folder.is_dir() else 0

    def sites(self) -> list[str]:
        """The sites of which pages are kept."""
        return sorted(f.name for f in self._root.iterdir() if f.is_dir()) if self._root.is_dir() else []

    def pages(self, site: str) -> Iterator[StoredPage]:
        """The pages of a site, newest first; damaged files are passed over."""
        folder = self._root / _safe(site)
        files = folder.glob("*.gz") if folder.is_dir() else iter(())
        for file in sorted(files, key=lambda f: -f.stat().st_mtime_ns):
            try:
                head, _, body = gzip.decompress(file.read_bytes()).partition(b"\n")
                facts = json.loads(head)
                yield StoredPage(facts["url"], body, facts.get("content_type"), facts.get("fetched_at"))
            except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
                continue

    def forget(self, site: str) -> None:
        """Remove a site's pages."""
        folder = self._root / _safe(site)
        if folder.is_dir():
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()


def _safe(site: str) -> str:
    """A site's name as a file name."""
    return _UNSAFE.sub("_", site)[:120] or "_"


def _write(file: Path, data: Any) -> None:
    files.replace(file, json.dumps(data, ensure_ascii=False, indent=1))
