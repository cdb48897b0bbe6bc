"""Asks several search engines one question and makes one ranking of their answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from scrapy import Request
from twisted.python.failure import Failure

from articlebot.errors import ConfigError, RefusedError
from articlebot.page import header
from articlebot.runtime.download import fetch
from articlebot.runtime.failures import fault_of
from articlebot.seeds.engines import Engine, engines
from articlebot.seeds.fusion import Result, fuse
from articlebot.spiders.apart import ApartSpider

logger = logging.getLogger(__name__)

# Five pages of results of an engine.
_RESULTS = 50


class MetasearchSpider(ApartSpider):
    """The best results of all configured engines, as items (``-O results.jsonl`` writes them).

    Args:
        query: what is looked for.
        language: put where an engine's address says ``{language}``.
        only: names of the engines to ask, separated by commas; absent: all.
    """

    name = "metasearch"

    def __init__(self, query: str = "", language: str = "", only: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.query, self.language = self.check_arguments(query), language
        self.only = {name.strip() for name in only.split(",") if name.strip()}

    @staticmethod
    def check_arguments(query: str = "", **_: Any) -> str:
        """The query.

        Raises:
            ConfigError: there is none.
        """
        if not query.strip():
            raise ConfigError('-a query: expected what to look for, such as -a query="port strike"')
        return query.strip()

    async def start(self) -> AsyncIterator[Any]:
        """All engines at once, then the fused ranking; an engine that fails is counted and named."""
        try:
            asked = [
                engine
                for engine in engines(self.runtime.config.seeds.engines)
                if not self.only or engine.name in self.only
            ]
        except ConfigError as error:
            logger.error("%s", error)
            self.runtime.end("bad_engines")
            return
        if not asked:
            logger.error("No engine to ask: set ARTICLEBOT_SEEDS_ENGINES, see docs/how-to/seeds.md")
            self.runtime.end("no_engines")
            return
        rankings = await asyncio.gather(*(self._ask(engine) for engine in asked))
        by_engine = {engine.name: ranking for engine, ranking in zip(asked, rankings, strict=True)}
        fused = fuse(by_engine, limit=_RESULTS)
        logger.info("%d results of %d engines for %r", len(fused), sum(map(bool, rankings)), self.query)
        for place, one in enumerate(fused, 1):
            yield {"rank": place, "query": self.query, **asdict(one), "score": round(one.score, 6)}

    async def _ask(self, engine: Engine) -> list[Result]:
        meta: dict[str, Any] = {"download_timeout": self.runtime.config.seeds.timeout_s}
        if not engine.robots:
            meta["dont_obey_robotstxt"] = True
        try:
            answer = await fetch(self.crawler, Request(engine.ask(self.query, self.language), meta=meta))
            if answer.status != 200:
                return self._failed(engine, f"http_{answer.status}")
            found = engine.read(answer.body, answer.url, header(answer, "Content-Type"))
        except RefusedError as error:
            return self._failed(engine, error.reason)
        except Exception as error:  # an engine that cannot be reached takes none of the others with it
            return self._failed(engine, fault_of(Failure(error)).reason)  # type: ignore[no-untyped-call]
        if not found:
            return self._failed(engine, "no_results")
        self.count(f"results/{engine.name}", len(found))
        return found

    def _failed(self, engine: Engine, reason: str) -> list[Result]:
        self.count(f"engine_failed/{reason}")
        logger.warning("%s gave no results: %s", engine.name, reason)
        return []
