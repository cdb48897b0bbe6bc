"""How long each page of the console takes at a size of the archive, over HTTP.

    python -m benchmarks.console --articles 100000 [--days 10] [--words 200] [--database URL] [--requests 60] [--json]

The articles are those of ``benchmarks.archive``, spread over so many days before "now"; each thirtieth has a second
version, a round history of 100 jobs over four weeks lies beside them; the job file has 5,000. The data folder is kept
and used again. "cpu" is the processor time of console, client and database for a request in the mean, which other work
on the machine does not change; "cpu95" the 95th percentile of console and client. --kinds API measures those alone
whose names begin so. A million are there sooner when a part is copied:

    python -m benchmarks.console --articles 100000 --database URL
    python -m benchmarks.console --articles 100000 --database URL --multiply 10
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlsplit

from scrapy.settings import Settings
from sqlalchemy import Connection, Engine, func, select, text

from articlebot import urls
from articlebot.archive import Archive, schema
from articlebot.archive.engine import reading, writing
from articlebot.archive.index import Document, Fts5
from articlebot.archive.index.tsvector import blocks_of
from articlebot.config import Config
from articlebot.console.serve import prepare
from articlebot.console.sources import Sources
from articlebot.items import Article
from articlebot.jobs.history import FolderRounds, RoundRecord
from articlebot.runtime import Runtime
from benchmarks.archive import CATEGORIES, NOW, Generator, measure

JOBS, WITH_HISTORY = 5000, 100


def fill(folder: Path, url: str, generator: Generator, total: int, days: float) -> None:
    """Publishes what is not there yet, and writes the round history."""
    with Archive(url, synchronous="NORMAL") as archive:
        have = archive.counts()["articles"]
        for first in range(have, total, 500):
            group = [_article(generator, number, total, days) for number in range(first, min(total, first + 500))]
            archive.publish(group, group[-1].fetched_at)
            edited = [replace(a, body=a.body + " edited", content_hash="") for a in group[::30]]
            archive.publish(edited, group[-1].fetched_at + 60)
            print(f"\r{first:,}", end="", file=sys.stderr, flush=True)
    if not (folder / "history").exists():
        history, rng = FolderRounds(folder / "history", "bench"), random.Random(1)
        for step in range(28 * 48):
            for job in range(WITH_HISTORY):
                history.write(RoundRecord(f"job{job}", NOW - (28 * 48 - step) * 1800, new_items=rng.randrange(3)))
        history.close()


def multiply(url: str, times: int) -> None:
    """Makes an archive so many times as large: the same articles under other keys, period after period."""
    with Archive(url, synchronous="NORMAL") as archive, writing(archive.engine) as connection:
        postgresql = connection.dialect.name == "postgresql"
        last = {row.name: row.value for row in connection.execute(schema.counters.select())}
        span = connection.execute(text("SELECT max(dated_at) - min(dated_at) FROM articles")).scalar_one()
        words = [] if postgresql else _words(connection)
        if postgresql:
            connection.execute(text("DROP INDEX ix_search_words"))
        for name, columns in _TIMES.items():  # the last copy ends where the whole did
            moved = ", ".join(f"{column} = {column} - :back" for column in columns)
            connection.execute(text(f"UPDATE {name} SET {moved}"), {"back": span * (times - 1)})  # noqa: S608
        for number in range(1, times):
            _copy(connection, number, last, span)
            shift = number * last["versions"]
            if postgresql:
                moved = f"ts_delete(words, {blocks_of('version_id')})"
                moved += f" || array_to_tsvector({blocks_of(f'version_id + {shift}')})"
                rows = f"SELECT version_id + {shift}, {moved} FROM search WHERE version_id <= {last['versions']}"  # noqa: S608
                connection.exec_driver_sql(f"INSERT INTO search {rows}")
            else:
                query = "INSERT INTO search (rowid, title, body, facets) VALUES (:id, :title, :body, :facets)"
                connection.execute(text(query), [{**row, "id": row["id"] + shift} for row in words])
            print(f"{number + 1} of {times}", file=sys.stderr, flush=True)
        connection.execute(text("UPDATE counters SET value = value * :times"), {"times": times})
        if postgresql:
            connection.execute(text("CREATE INDEX ix_search_words ON search USING gin (words)"))


_TIMES = {
    "articles": ("first_archived_at", "archived_at", "dated_at", "fetched_at", "published_at"),
    "versions": ("fetched_at", "archived_at"),
}


def _copy(connection: Connection, number: int, last: dict[str, int], span: float) -> None:
    ids, key = {"article_id": "articles", "version_id": "versions", "text_id": "texts"}, number << 40
    digest = f"decode(md5(encode(digest, 'hex') || '{number}'), 'hex')"
    for name in ("texts", "articles", "versions"):
        table, changed = schema.metadata.tables[name], {"id": f"id + {number * last[name]}"}
        names = [column.name for column in table.columns]
        changed |= {one: f"{one} + {number * last[ids[one]]}" for one in names if one in ids}
        changed |= {one: f"{one} + {number * span}" for one in _TIMES.get(name, ())}
        # Keys and digests need only be others; this is an exclusive or.
        changed |= {
            "texts": {"digest": digest if connection.dialect.name == "postgresql" else "randomblob(16)"},
            "articles": {"page_key": f"(page_key | {key}) - (page_key & {key})", "url": f"url || '?{number}'"},
        }.get(name, {})
        columns = ", ".join(changed.get(one, one) for one in names)
        connection.execute(text(f"INSERT INTO {name} SELECT {columns} FROM {name} WHERE id <= {last[name]}"))  # noqa: S608


def _words(connection: Connection) -> list[dict[str, Any]]:
    """Rows of SQLite's index, which does not give them back."""
    found: list[dict[str, Any]] = []
    taken: Any = SimpleNamespace(execute=lambda _query, rows: found.extend(rows))
    query = text(
        "SELECT v.id AS version_id, a.title, a.site, a.category, a.job, a.language, t.body FROM versions v"
        " JOIN articles a ON a.id = v.article_id JOIN texts t ON t.id = v.text_id"
    )
    for row in connection.execute(query).mappings():
        Fts5().add(taken, [Document.of(dict(row), row["body"])])
    return found


def pages(generator: Generator, rng: random.Random, known: list[str], days: float) -> dict[str, Callable[[], str]]:
    """Kinds of pages; each call gives an address of its kind."""
    word = generator.chinese

    def far_back() -> str:
        return f"d{NOW - rng.random() * days * 86_400!r},1"

    return {
        "overview": lambda: "/",
        "jobs": lambda: f"/jobs?page={rng.randrange(1, JOBS // 50)}",
        "one job": lambda: f"/jobs/job{rng.randrange(WITH_HISTORY)}",
        "sites": lambda: "/sites",
        "one site": lambda: f"/sites/site{rng.randrange(1, 50)}.example",
        "articles, newest": lambda: f"/articles?page={rng.randrange(1, 51)}",
        "articles, far back": lambda: f"/articles?page={rng.randrange(1, 51)}&after={quote(far_back())}",
        "articles of a site": lambda: f"/articles?site=site{rng.randrange(1, 50)}.example",
        "of a site and category": lambda: (
            f"/articles?site=site{rng.randrange(1, 50)}.example&category={rng.choice(CATEGORIES)}"
        ),
        "search, commonest words": lambda: f"/articles?q={quote(word[rng.randrange(5, 40)])}",
        "search, common word": lambda: f"/articles?q={quote(word[rng.randrange(100, 500)])}",
        "search, word": lambda: f"/articles?q={quote(word[rng.randrange(1000, 5000)])}",
        "search, rare word": lambda: f"/articles?q={quote(word[rng.randrange(20_000, 60_000)])}",
        "search, word, category": lambda: (
            f"/articles?q={quote(word[rng.randrange(5, 1000)])}&category={rng.choice(CATEGORIES)}&age=30d"
        ),
        "one article": lambda: f"/articles/{urls.page_key(rng.choice(known)):016x}",
        "judging": lambda: "/judge",
        "one URL": lambda: f"/url?url={quote(rng.choice(known))}",
        "API, newest": lambda: f"/api/v1/articles?limit=50&site=site{rng.randrange(1, 50)}.example",
        "API, word": lambda: f"/api/v1/articles?limit=50&q={quote(word[rng.randrange(1000, 5000)])}",
        "API, common word, newest": lambda: (
            f"/api/v1/articles?limit=50&sort=newest&q={quote(word[rng.randrange(100, 500)])}"
        ),
        "API, one article": lambda: f"/api/v1/articles/{urls.page_key(rng.choice(known)):016x}",
        "API, its versions": lambda: f"/api/v1/articles/{urls.page_key(rng.choice(known)):016x}/versions",
        "API, explain": lambda: f"/api/v1/explain?url={quote(rng.choice(known))}",
        "API, jobs": lambda: f"/api/v1/jobs?cursor=job{rng.randrange(JOBS)}",
        "API, one job": lambda: f"/api/v1/jobs/job{rng.randrange(JOBS)}",
        "API, status": lambda: "/api/v1/status",
        "API, sites": lambda: "/api/v1/sites",
        "API, today": lambda: f"/api/v1/articles?limit=50&q={quote('最近三天 ' + word[rng.randrange(100, 500)])}",
        "API, typo": lambda: f"/api/v1/articles?q={quote('zzz' + word[rng.randrange(100, 500)])}",
        "API, feed of a word": lambda: f"/api/v1/feed.atom?q={quote(word[rng.randrange(1000, 5000)])}",
    }


def main() -> None:
    """Fills, serves, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--days", type=float, default=10.0, help="over which they are spread")
    parser.add_argument("--words", type=int, default=200, help="words of a body, in the median")
    parser.add_argument("--database", help="SQLAlchemy URL; absent: a SQLite file in the data folder")
    parser.add_argument("--multiply", type=int, metavar="N", help="copy what is there N - 1 times, and end")
    parser.add_argument("--requests", type=int, default=60, help="of each kind, at most")
    parser.add_argument("--seconds", type=float, default=8.0, help="for each kind, at most")
    parser.add_argument("--kinds", default="", help="only kinds of pages whose names begin so")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.gettempdir()) / f"articlebot-console-{options.articles}-{options.words}"
    folder.mkdir(exist_ok=True)
    generator, rng = Generator(options.words), random.Random(2)
    url = options.database or f"sqlite:///{folder / 'archive.db'}"
    if options.multiply:
        multiply(url, options.multiply)
        return
    fill(folder, url, generator, options.articles, options.days)
    config = Config.from_settings(Settings({"ARTICLEBOT_DATA_DIR": str(folder), "ARTICLEBOT_DATABASE_URL": url}))
    begun = time.monotonic()
    runtime = Runtime(config, now=lambda: NOW + time.monotonic() - begun)
    with reading(runtime.archive.engine) as connection:
        known = list(
            connection.execute(select(schema.articles.c.url).order_by(schema.articles.c.id).limit(20_000)).scalars()
        )
        days = (NOW - connection.execute(select(func.min(schema.articles.c.dated_at))).scalar_one()) / 86_400
    server, listener, link = prepare(Sources(runtime, [_jobs(folder)]), 0)
    with listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            kinds = pages(generator, rng, known, days).items()
            wanted = {name: path for name, path in kinds if name.startswith(options.kinds)}
            rows = _measured(link, wanted, options, runtime.archive.engine)
        finally:
            server.should_exit = True
            thread.join()
    if options.json:
        print(json.dumps({"articles": options.articles, "days": options.days, "pages": rows}, indent=1))
        return
    for row in rows:
        times = "  ".join(f"{kind} {row[f'{kind}_ms']:7.1f}" for kind in ("first", "p50", "p95", "cpu", "cpu95"))
        print(f"{row['page']:24}  {times} ms")


def _jobs(folder: Path) -> Path:
    blocks = (
        f'[[site]]\nname = "job{number}"\nlist_pages = ["https://www.site{number}.example/"]\n'
        for number in range(JOBS)
    )
    path = folder / "jobs.toml"
    path.write_text("\n".join(blocks), "utf-8")
    return path


def _article(generator: Generator, number: int, total: int, days: float) -> Article:
    return generator.article(number, NOW - (total - number) * days * 86_400 / total)


def _measured(
    link: str, kinds: dict[str, Callable[[], str]], options: argparse.Namespace, engine: Engine
) -> list[dict[str, object]]:
    parts = urlsplit(link)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    connection.request("GET", f"/?{parts.query}")
    answer = connection.getresponse()
    answer.read()
    cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]

    def get(path: str) -> None:
        connection.request("GET", path, headers={"Cookie": cookie})
        got = connection.getresponse()
        got.read()
        if got.status != 200:
            raise SystemExit(f"{path}: {got.status}")

    rows, firsts = [], {}
    for name, path in kinds.items():
        started = time.perf_counter()
        get(path())
        firsts[name] = (time.perf_counter() - started) * 1000
    for name, path in kinds.items():
        found = measure(lambda path=path: get(path()), engine, options.seconds, options.requests)  # type: ignore[misc]
        times = {"first": firsts[name], **dict(zip(("p50", "p95", "cpu", "cpu95"), found, strict=True))}
        rows.append({"page": name, **{f"{kind}_ms": round(value, 1) for kind, value in times.items()}})
    connection.close()
    return rows


if __name__ == "__main__":
    main()
