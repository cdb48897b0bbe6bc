"""How fast the archive takes articles and answers searches, at a size.

    python -m benchmarks.archive --articles 100000 [--database URL] [--words 200] [--synchronous NORMAL] [--json]

The articles are generated: words of jieba's dictionary (and made-up English ones) drawn by Zipf's law, so that there
are words in a third of all articles and words in one. An archive of the size is kept and used again when it is there.
"cpu" is processor time in the mean, PostgreSQL's included where it runs on this machine.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path

import jieba
from sqlalchemy import Engine, text

from articlebot import urls
from articlebot.archive import Archive, Search
from articlebot.items import Article

NOW = 1_750_000_000.0
CATEGORIES = ("politics", "economy", "sports", "science", "culture", "society", "world", "health", "travel", "weather")


class Generator:
    """Articles of a seed, spread over 500 sites and three years."""

    def __init__(self, words: int, seed: int = 1) -> None:
        self._rng, self._words = random.Random(seed), words
        chinese, english = _chinese(60_000), _english(self._rng, 40_000)
        self._lexicons = {"zh": (chinese, _zipf(len(chinese))), "en": (english, _zipf(len(english)))}
        self.chinese, self.english = chinese, english

    def articles(self, first: int, total: int) -> Iterator[Article]:
        """The articles from a number on, oldest first."""
        self._rng.seed(first)
        for number in range(first, total):
            yield self.article(number, NOW - (total - number) * 3 * 365 * 86_400 / total)

    def article(self, number: int, at: float) -> Article:
        """The article of a number."""
        rng = self._rng
        language = "zh" if rng.random() < 0.7 else "en"
        site = f"site{min(499, int(rng.paretovariate(0.7)))}.example"
        url = f"https://www.{site}/{language}/{number}.html"
        return Article(
            url=url, canonical_url=url, page_key=f"{urls.page_key(url):016x}", job=site, site=site, language=language,
            title=self._text(language, 10),
            body=self._text(language, int(rng.lognormvariate(0, 0.5) * self._words) + 5),
            fetched_at=at, published_at_epoch=at - 300, category=rng.choice(CATEGORIES), summary="",
            keywords=("a", "b"),
        )  # fmt: skip

    def _text(self, language: str, words: int) -> str:
        lexicon, weights = self._lexicons[language]
        drawn = self._rng.choices(lexicon, cum_weights=weights, k=words)
        return "，".join("".join(drawn[i : i + 9]) for i in range(0, words, 9)) if language == "zh" else " ".join(drawn)


def _chinese(count: int) -> list[str]:
    lines = (Path(jieba.__file__).parent / "dict.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines]
    rows.sort(key=lambda row: -int(row[1]))
    return [row[0] for row in rows if row[0].isalpha()][:count]


def _english(rng: random.Random, count: int) -> list[str]:
    parts = [c + v for c in "b c d f g h k l m n p r s t v w".split() for v in "a e i o u".split()]
    return ["".join(rng.choices(parts, k=rng.randint(2, 4))) for _ in range(count)]


def _zipf(count: int) -> list[float]:
    return list(accumulate(1 / (rank + 2.7) for rank in range(1, count + 1)))


def fill(archive: Archive, generator: Generator, total: int, batch: int) -> float:
    """Publishes up to ``total`` articles; returns articles a second."""
    have = archive.counts()["articles"]
    if have >= total:
        return 0.0
    started, group, done = time.perf_counter(), [], 0
    for article in generator.articles(have, total):
        group.append(article)
        if len(group) == batch:
            archive.publish(group, group[-1].fetched_at)
            done, group = done + len(group), []
            if done % 10_000 < batch:
                rate = done / (time.perf_counter() - started)
                print(f"{done:,} articles, {rate:,.0f} a second", file=sys.stderr, flush=True)
    if group:
        archive.publish(group, group[-1].fetched_at)
    return (total - have) / (time.perf_counter() - started)


def measure(
    call: Callable[[], object], engine: Engine, seconds: float = 3.0, most: int = 200
) -> tuple[float, float, float, float]:
    """Median and 95th percentile of a call's duration, processor time of a call in the mean, and the 95th percentile of
    this process' own, in milliseconds."""
    times: list[float] = []
    own: list[float] = []
    begun, until = processor_s(engine), time.perf_counter() + seconds
    while len(times) < 5 or (time.perf_counter() < until and len(times) < most):
        started, used = time.perf_counter(), time.process_time()
        call()
        times.append((time.perf_counter() - started) * 1000)
        own.append((time.process_time() - used) * 1000)
    cpu = 1000 * (processor_s(engine) - begun) / len(times)
    times.sort()
    own.sort()
    return times[len(times) // 2], times[int(len(times) * 0.95)], cpu, own[int(len(own) * 0.95)]


def processor_s(engine: Engine) -> float:
    """Processor seconds used so far, which other work on the machine does not change: this process' and, where it is
    PostgreSQL on this machine, those of the database's processes that serve it."""
    used = time.process_time()
    if engine.dialect.name == "postgresql":
        with engine.connect() as connection:
            query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            pids = connection.execute(text(query)).scalars().all()
        for pid in pids:
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                used += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return used


def searches(generator: Generator, rng: random.Random, newest: int) -> dict[str, Callable[[], Search]]:
    """Kinds of searches; each call gives another search of its kind."""

    def drawn(lexicon: Sequence[str], first: int, last: int) -> str:
        return next(w for w in iter(lambda: lexicon[rng.randrange(first, last)], "") if len(w) > 1)

    zh, en = generator.chinese, generator.english
    week, month = NOW - 7 * 86_400, NOW - 30 * 86_400
    return {
        "very common word": lambda: Search(words=drawn(zh, 5, 40)),
        "common word": lambda: Search(words=drawn(zh, 100, 500)),
        "word": lambda: Search(words=drawn(zh, 1000, 5000)),
        "rare word": lambda: Search(words=drawn(zh, 20_000, 60_000)),
        "English word": lambda: Search(words=drawn(en, 200, 2000)),
        "two words": lambda: Search(words=f"{drawn(zh, 50, 500)} {drawn(zh, 500, 3000)}"),
        "three common words": lambda: Search(words=" ".join(drawn(zh, 5, 200) for _ in range(3))),
        "phrase": lambda: Search(words=f'"{drawn(en, 5, 60)} {drawn(en, 5, 60)}"'),
        "beginning": lambda: Search(words=drawn(en, 100, 9000)[:4] + "*"),
        "one without other": lambda: Search(words=f"{drawn(zh, 100, 500)} -{drawn(zh, 5, 60)}"),
        "common word, small site": lambda: Search(
            words=drawn(zh, 5, 100), site=f"site{rng.randrange(50, 400)}.example"
        ),
        "common word, category": lambda: Search(words=drawn(zh, 5, 100), category=rng.choice(CATEGORIES)),
        "common word, last week": lambda: Search(words=drawn(zh, 5, 100), since=week),
        "common word, older ones": lambda: Search(words=drawn(zh, 5, 100), after=f"v{rng.randrange(newest)}"),
        "word, last month, newest": lambda: Search(words=drawn(zh, 500, 3000), since=month, sort="newest"),
        "no words: newest of a category": lambda: Search(category=rng.choice(CATEGORIES)),
        "no words: newest": Search,
        "no words: site and category": lambda: Search(
            site=f"site{rng.randrange(1, 400)}.example", category=rng.choice(CATEGORIES)
        ),
        "no words: language without articles": lambda: Search(language="fr"),
    }


def main() -> None:
    """Fills, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=200, help="words of a body, in the median")
    parser.add_argument("--batch", type=int, default=500, help="articles a commit while filling")
    parser.add_argument("--database", help="SQLAlchemy URL; absent: a SQLite file in the temporary folder")
    parser.add_argument("--synchronous", choices=("FULL", "NORMAL"), default="FULL", help="SQLite's")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each kind of search, at most")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    url = options.database or f"sqlite:////tmp/articlebot-bench-{options.articles}-{options.words}.db"
    generator, rng = Generator(options.words), random.Random(2)
    with Archive(url, synchronous=options.synchronous) as archive:
        rate = fill(archive, generator, options.articles, options.batch)
        archive.search(Search(words="热身"), NOW)  # reads the dictionary
        rows = {}
        for name, make in searches(generator, rng, archive.counts()["versions"]).items():
            rows[name] = measure(lambda make=make: archive.search(make(), NOW), archive.engine, options.seconds)  # type: ignore[misc]
        known = [int(row["page_key"], 16) for row in islice(archive.articles(), 2000)]
        rows["history of an article"] = measure(lambda: archive.history(rng.choice(known)), archive.engine)
        rows["publish 50 new articles"] = measure(
            lambda: _publish(archive, generator, rng), archive.engine, options.seconds, 20
        )
    result = {
        "articles": options.articles, "words": options.words, "database": url.partition(":")[0],
        "filled_per_second": round(rate), "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "ms": {
            name: {kind: round(value, 1) for kind, value in zip(("p50", "p95", "cpu"), row[:3], strict=True)}
            for name, row in rows.items()
        },
    }  # fmt: skip
    if options.json:
        print(json.dumps(result))
        return
    print(f"{options.articles:,} articles of {options.words} words, {result['database']}, {rate:,.0f} a second filled")
    for name, (p50, p95, cpu, _) in rows.items():
        print(f"{name:36} p50 {p50:8.1f}   p95 {p95:8.1f}   cpu {cpu:8.1f} ms")


def _publish(archive: Archive, generator: Generator, rng: random.Random) -> None:
    number = rng.randrange(1 << 40)
    archive.publish([generator.article(number + i, NOW) for i in range(50)], NOW)


if __name__ == "__main__":
    main()
