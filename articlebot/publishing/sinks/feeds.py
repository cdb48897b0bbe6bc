"""Atom and JSON Feed files, one pair per job, category or site, or one for all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from articlebot import files
from articlebot.publishing.atom import atom
from articlebot.publishing.sink import Event, Refusal
from articlebot.times import iso


class Feeds:
    """Keeps the newest entries of each feed; an article is one entry, changed in place.

    The JSON Feed (version 1.1) is what the next delivery starts from, so a delivery that comes again changes nothing.
    Entries carry text only: markup of foreign pages stays out of feed readers.

    Args:
        folder: gets ``<name>.atom`` and ``<name>.json``.
        base_url: where the folder is served, for the feeds' own links; may be empty.
        each_version: an entry per version instead, withdrawals too: a feed of edits.
    """

    def __init__(
        self, folder: Path, *, per: Literal["all", "job", "category", "site"], entries: int, title: str, base_url: str,
        each_version: bool,
    ) -> None:  # fmt: skip
        self._folder, self._per, self._entries = folder, per, entries
        self._title, self._base_url, self._each_version = title, base_url.rstrip("/"), each_version

    def deliver(self, events: Sequence[Event]) -> Iterable[Refusal]:
        """Rewrites the feeds that the events belong to; each file is replaced as a whole."""
        groups: dict[str, list[Event]] = {}
        for event in events:
            groups.setdefault("all" if self._per == "all" else str(event.article[self._per] or "-"), []).append(event)
        for name, group in groups.items():
            self._rewrite(name, group)
        return ()

    def _rewrite(self, name: str, events: Sequence[Event]) -> None:
        stem = file_name(name)
        items = {item["id"]: item for item in self._read(stem)}
        for event in events:
            item = item_of(event.article, each_version=self._each_version)
            known = items.get(item["id"])
            if known and known["_articlebot"]["version"] >= event.article["version"]:
                continue
            if event.type == "withdrawn" and not self._each_version:
                # Its place is kept, unseen, so that an older version that comes late does not bring it back.
                item["_articlebot"]["withdrawn"] = True
            items[item["id"]] = item
        newest = sorted(items.values(), key=lambda item: (item["date_modified"], item["id"]), reverse=True)
        self._write(stem, name, newest[: self._entries])

    def _read(self, stem: str) -> list[dict[str, Any]]:
        path = self._folder / f"{stem}.json"
        try:
            feed = json.loads(path.read_text("utf-8"))
            return [*feed["items"], *feed["_articlebot"]["withdrawn"]]
        except FileNotFoundError:
            return []
        except (ValueError, KeyError, TypeError):
            path.replace(path.with_name(f"{path.name}.damaged"))
            return []

    def _write(self, stem: str, name: str, items: Sequence[dict[str, Any]]) -> None:
        shown = [item for item in items if not item["_articlebot"]["withdrawn"]]
        title = self._title if name == "all" else f"{self._title}: {name}"
        feed: dict[str, Any] = {"version": "https://jsonfeed.org/version/1.1", "title": title}
        if self._base_url:
            feed["feed_url"] = f"{self._base_url}/{stem}.json"
        withdrawn = [item for item in items if item["_articlebot"]["withdrawn"]]
        feed |= {"items": shown, "_articlebot": {"withdrawn": [{**item, "content_text": ""} for item in withdrawn]}}
        # Atom first: the JSON file says what is done.
        own_url = f"{self._base_url}/{stem}.atom" if self._base_url else None
        data = atom(f"urn:articlebot:feed:{stem}", title, shown, author=self._title, own_url=own_url)
        files.replace(self._folder / f"{stem}.atom", data, flush=True, public=True)
        text = json.dumps(feed, ensure_ascii=False, indent=1)
        files.replace(self._folder / f"{stem}.json", text, flush=True, public=True)


def item_of(row: Mapping[str, Any], *, each_version: bool = False) -> dict[str, Any]:
    """An exported row as an item of JSON Feed 1.1; of each version one of its own, or one of the article."""
    own = f"{row['page_key']}-{row['version']}" if each_version else row["page_key"]
    item: dict[str, Any] = {
        "id": f"urn:articlebot:{own}", "url": row["url"], "title": row["title"], "content_text": row["body"],
        "date_modified": iso(row["archived_at"]),
        "_articlebot": {"version": row["version"], "change": row["change"], "withdrawn": False},
    }  # fmt: skip
    optional = {
        "summary": row["summary"], "date_published": _stated(row["published_at"]), "language": row["language"],
        "authors": [{"name": name} for name in row["authors"]],
        "tags": [tag for tag in [row["category"], *row["keywords"]] if tag],
        "image": row["lead_image"] or next((image["url"] for image in row["images"]), None),
    }  # fmt: skip
    return item | {name: value for name, value in optional.items() if value}


def _stated(published: str | None) -> str | None:
    """A time of publication as feeds must have it (RFC 3339): a day alone begins at midnight, UTC."""
    try:
        at = datetime.fromisoformat(published or "")
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).isoformat(timespec="seconds")


def file_name(name: str) -> str:
    """A file name for a job's or category's name; different names have different files."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("._")[:80]
    return plain if plain == name else f"{plain}-{blake2b(name.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"
