"""Search engines: how each is asked and how its answer is read."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal
from urllib.parse import quote

from lxml import etree
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from articlebot.errors import ConfigError, RefusedError
from articlebot.jobs.values import compile_region
from articlebot.page.feeds import parse_feed
from articlebot.page.page import Page
from articlebot.page.text import line_of
from articlebot.seeds.fusion import Result
from articlebot.urls import asking

_MOST_RESULTS = 200
_MOST_TEXT = 500


def _selector(value: str) -> str:
    compile_region(value)
    return value


Selector = Annotated[str, AfterValidator(_selector)]


class Engine(BaseModel):
    """One engine.

    ``url`` holds ``{query}`` where the query goes, and may hold ``{language}``. ``searxng`` answers JSON, ``rss`` any
    feed (OpenSearch answers are one), ``html`` a page whose results are found by selectors (CSS or XPath).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^\w[\w.-]*$", max_length=40)
    type: Literal["searxng", "rss", "html"]
    url: str = Field(pattern=r"^https?://[^\s]+$")
    result: Selector | None = None
    link: Selector | None = None
    title: Selector | None = None
    robots: bool = Field(True, description="obey the engine's robots.txt; false for an engine of one's own")

    @model_validator(mode="after")
    def _check(self) -> Engine:
        if "{query}" not in self.url:
            raise ValueError("expected {query} in url")
        if self.type == "html" and self.result is None:
            raise ValueError("expected result, the selector of one result")
        return self

    def ask(self, query: str, language: str = "") -> str:
        """The address of the engine's answer."""
        url = self.url.replace("{query}", quote(query, safe="")).replace("{language}", quote(language, safe=""))
        if self.type == "searxng" and "format=" not in url:
            url = asking(url, "format=json")
        return url

    def read(self, body: bytes, url: str, content_type: str | None = None) -> list[Result]:
        """The results in the engine's order, at most 200.

        Raises:
            RefusedError: the answer is not what this type of engine answers (``not_json``, ``not_feed``, ``not_html``).
        """
        if self.type == "searxng":
            return _of_json(body)
        if self.type == "rss":
            entries = parse_feed(body, url)
            if not entries and b"<item" not in body and b"<channel" not in body and b"<feed" not in body:
                raise RefusedError("not_feed", url)
            return [Result(e.url, e.title[:_MOST_TEXT], e.summary[:_MOST_TEXT]) for e in entries[:_MOST_RESULTS]]
        page = Page.parse(body, url, content_type)
        if page.tree is None:
            raise RefusedError("not_html", url)
        return self._of_page(page)

    def _of_page(self, page: Page) -> list[Result]:
        assert self.result is not None
        found = []
        for element in _elements(page.tree, self.result)[:_MOST_RESULTS]:
            links = _elements(element, self.link) if self.link else list(element.iter("a"))
            link = next((one for one in links if one.get("href")), None)
            if link is None:
                continue
            titles = _elements(element, self.title) if self.title else [link]
            title = line_of(titles[0]) if titles else ""
            text = line_of(element)
            found.append(Result(page.resolve(link.get("href")), title[:_MOST_TEXT], text[:_MOST_TEXT]))
        return found


def engines(rows: tuple[dict[str, Any], ...]) -> list[Engine]:
    """The configured engines.

    Raises:
        ConfigError: one is wrong, or a name stands twice; says which and what was expected.
    """
    found: dict[str, Engine] = {}
    for number, row in enumerate(rows):
        try:
            engine = Engine.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(["ARTICLEBOT_SEEDS_ENGINES", str(number), *(str(part) for part in first["loc"])])
            raise ConfigError(f"{where}: {first['msg'].removeprefix('Value error, ')}") from None
        if engine.name in found:
            raise ConfigError(f"ARTICLEBOT_SEEDS_ENGINES.{number}.name: {engine.name!r} is used twice")
        found[engine.name] = engine
    return list(found.values())


def _of_json(body: bytes) -> list[Result]:
    try:
        rows = json.loads(body)["results"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise RefusedError("not_json", "") from None
    if not isinstance(rows, list):
        raise RefusedError("not_json", "")
    texts = (
        [str(row.get(name) or "") for name in ("url", "title", "content")]
        for row in rows[:_MOST_RESULTS]
        if isinstance(row, dict)
    )
    return [Result(url, title[:_MOST_TEXT], content[:_MOST_TEXT]) for url, title, content in texts]


def _elements(root: Any, selector: str) -> list[Any]:
    try:
        found = compile_region(selector)(root)
    except etree.XPathError:
        return []
    return [one for one in found if hasattr(one, "iter")] if isinstance(found, list) else []
