"""Where what is learned of sites lies, with the pages it is learned from: a folder of one machine.

``archive.shelf`` is the one that several machines share.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from articlebot import files
from articlebot.errors import StateError

_VERSION_FILE = re.compile(r"v(\d+)\.json\Z")
_PORT = re.compile(r"_(\d{1,5})$")
_UNSAFE = re.compile(r"[^\w.-]|^\.+")


class Shelf(Protocol):
    """Keeps texts and packed pages by site. Methods take milliseconds, and may be called by any thread.

    Methods raise ``OSError`` or ``StoreUnavailable`` where the place is away or full.
    """

    def sites(self) -> list[str]:
        """The sites of which something was learned."""

    def numbers(self, site: str) -> list[int]:
        """The numbers of a site's versions, in order."""

    def version(self, site: str, number: int) -> str:
        """The text of a version.

        Raises:
            StateError: there is none.
        """

    def add(self, site: str, number: int, text: str) -> bool:
        """Keeps a version; whether that number was free."""

    def place(self, site: str, number: int) -> str:
        """Where a version lies, as a person would find it."""

    def state(self, site: str) -> dict[str, Any]:
        """What is noted of a site by name; what cannot be read counts as not noted."""

    def note(self, site: str, name: str, value: Any) -> None:
        """Notes a value that JSON can hold under a name."""

    def forget(self, site: str) -> bool:
        """Removes versions and notes of a site; whether there were any."""

    def put_page(self, site: str, name: str, packed: bytes, most: int) -> int:
        """Keeps a page under a name, and of a site no more than the newest so many; returns how many it has."""

    def count_pages(self, site: str) -> int:
        """How many pages a site has."""

    def pages(self, site: str) -> Iterator[bytes]:
        """The pages of a site as they were packed, newest first."""

    def forget_pages(self, site: str) -> None:
        """Removes the pages of a site."""

    def close(self) -> None:
        """Lets go of what is open."""


class FolderShelf(Shelf):
    """Files in the data folder.

    ``wrappers/<site>/v<N>.json`` are the versions, never changed once written; ``state.json`` beside them has the
    notes. ``pages/<site>/`` has the pages.

    Args:
        data_dir: the data folder.
    """

    def __init__(self, data_dir: Path) -> None:
        self._wrappers, self._pages = data_dir / "wrappers", data_dir / "pages"

    def sites(self) -> list[str]:
        if not self._wrappers.is_dir():
            return []
        # No host has an underscore before digits at its end, but one with a port has (see `safe_name`).
        return sorted(_PORT.sub(r":\1", one.name) for one in self._wrappers.iterdir() if one.is_dir())

    def numbers(self, site: str) -> list[int]:
        folder = self._folder(site)
        if not folder.is_dir():
            return []
        return sorted(int(match[1]) for one in folder.iterdir() if (match := _VERSION_FILE.match(one.name)))

    def version(self, site: str, number: int) -> str:
        try:
            return self._file(site, number).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise StateError(str(error)) from None

    def add(self, site: str, number: int, text: str) -> bool:
        file = self._file(site, number)
        if file.exists():
            return False
        files.replace(file, text)
        return True

    def place(self, site: str, number: int) -> str:
        return str(self._file(site, number))

    def state(self, site: str) -> dict[str, Any]:
        try:
            state = json.loads((self._folder(site) / "state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def note(self, site: str, name: str, value: Any) -> None:
        state = {**self.state(site), name: value}
        files.replace(self._folder(site) / "state.json", json.dumps(state, ensure_ascii=False, indent=1))

    def forget(self, site: str) -> bool:
        return _remove(self._folder(site))

    def put_page(self, site: str, name: str, packed: bytes, most: int) -> int:
        folder = self._pages / safe_name(site)
        files.replace(folder / f"{name}.gz", packed)
        kept = _newest_first(folder)
        for file in kept[most:]:
            file.unlink(missing_ok=True)
        return min(len(kept), most)

    def count_pages(self, site: str) -> int:
        return sum(1 for _ in (self._pages / safe_name(site)).glob("*.gz"))

    def pages(self, site: str) -> Iterator[bytes]:
        # Files that cannot be read are passed over.
        for file in _newest_first(self._pages / safe_name(site)):
            try:
                yield file.read_bytes()
            except OSError:
                continue

    def forget_pages(self, site: str) -> None:
        _remove(self._pages / safe_name(site))

    def close(self) -> None:
        """Nothing is open."""

    def _folder(self, site: str) -> Path:
        return self._wrappers / safe_name(site)

    def _file(self, site: str, number: int) -> Path:
        return self._folder(site) / f"v{number}.json"


def _newest_first(folder: Path) -> list[Path]:
    """The pages in a folder. One that another process removes meanwhile is the oldest."""
    written: dict[Path, int] = {}
    for file in folder.glob("*.gz"):
        try:
            written[file] = file.stat().st_mtime_ns
        except FileNotFoundError:
            continue
    return sorted(written, key=lambda file: -written[file])


def _remove(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    for file in folder.iterdir():
        file.unlink(missing_ok=True)
    folder.rmdir()
    return True


def safe_name(site: str) -> str:
    """A site's name as a file name."""
    return _UNSAFE.sub("_", site)[:120] or "_"
