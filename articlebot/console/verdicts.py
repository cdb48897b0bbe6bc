"""What a person says of articles: classes for ``scrapy classify label``, judgements for ``classify judge``.

Both are JSON Lines in ``console/`` of the data folder, appended to and never rewritten. The later word on an article
stands after the earlier one.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, select

from articlebot.archive import read, record, schema
from articlebot.archive.engine import reading
from articlebot.errors import ArticlebotError, RefusedError

# How far back it is looked for articles to judge; beyond, nobody would see the end of it.
_NEWEST, _SHOWN = 2000, 20


class Verdicts:
    """The files of one data folder; ``labels`` finds the classes that may be given."""

    def __init__(self, folder: Path, labels: Callable[[], Sequence[str]], now: Callable[[], float]) -> None:
        self._folder, self._find_labels, self._now = folder, labels, now
        self._labels: tuple[str, ...] | None = None
        self._lock = threading.Lock()
        self._said: dict[str, dict[str, Any]] | None = None

    def labels(self) -> tuple[str, ...]:
        """The classes of the configured classifier; none where it cannot be read."""
        with self._lock:
            if self._labels is None:
                try:
                    self._labels = tuple(sorted(self._find_labels()))
                except ArticlebotError:
                    self._labels = ()
            return self._labels

    def correct(self, row: dict[str, Any], label: str) -> None:
        """Notes the class an article should have.

        Raises:
            RefusedError: not a class of the classifier.
        """
        if label not in self.labels():
            raise RefusedError("unknown_class", label[:80])
        self._append("corrections.jsonl", row, {"label": label})

    def judge(self, row: dict[str, Any], *, relevant: str) -> None:
        """Notes whether an article is relevant to its job's topic: ``yes`` or ``no``.

        Raises:
            RefusedError: neither, or the article has no relevance.
        """
        if relevant not in ("yes", "no") or row["relevance"] is None:
            raise RefusedError("not_a_judgement", relevant[:80])
        name = "judgements-" + re.sub(r"[^\w.-]", "-", row["job"]) + ".jsonl"
        self._append(name, row, {"relevant": relevant == "yes", "relevance": row["relevance"]})

    def said(self, page_key: str) -> dict[str, Any]:
        """The last words on an article: ``label``, ``relevant``, as far as there are any."""
        with self._lock:
            return dict(self._known().get(page_key, {}))

    def waiting(self, engine: Engine) -> list[dict[str, Any]]:
        """Rows of the newest articles with a relevance and without a judgement."""
        table = schema.articles.c
        newest = (
            select(table.id, table.page_key, table.relevance, table.dated_at)
            .order_by(table.dated_at.desc(), table.id.desc())
            .limit(_NEWEST)
            .subquery()
        )
        query = (
            select(newest.c.id, newest.c.page_key)
            .where(newest.c.relevance.is_not(None))
            .order_by(newest.c.dated_at.desc(), newest.c.id.desc())
        )
        with self._lock:
            judged = {key for key, words in self._known().items() if "relevant" in words}
        with reading(engine) as connection:
            found = [(row.id, f"{record.unsigned(row.page_key):016x}") for row in connection.execute(query)]
            ids = [number for number, key in found if key not in judged][:_SHOWN]
            rows = read.by_id(connection, ids)
        return [rows[number] for number in ids]

    def _append(self, name: str, row: dict[str, Any], word: dict[str, Any]) -> None:
        line = {"title": row["title"], "body": row["body"], **word, "url": row["url"], "page_key": row["page_key"]}
        with self._lock:
            self._folder.mkdir(parents=True, exist_ok=True)
            with (self._folder / name).open("a", encoding="utf-8") as file:
                file.write(json.dumps({**line, "at": round(self._now(), 1)}, ensure_ascii=False) + "\n")
            self._known().setdefault(row["page_key"], {}).update(word)

    def _known(self) -> dict[str, dict[str, Any]]:
        if self._said is None:
            self._said = {}
            for file in sorted(self._folder.glob("*.jsonl")):
                for line in file.read_text("utf-8", "replace").split("\n"):
                    try:
                        kept = json.loads(line)
                        words = {name: kept[name] for name in ("label", "relevant") if name in kept}
                        self._said.setdefault(str(kept["page_key"]), {}).update(words)
                    except (ValueError, KeyError, TypeError):
                        continue  # a line cut short by a crash
        return self._said
