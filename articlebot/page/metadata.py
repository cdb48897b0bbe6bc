"""What a page says about itself in meta elements and JSON-LD."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lxml import etree

from articlebot.page.js_values import encodable
from articlebot.page.text import line_of

if TYPE_CHECKING:
    from articlebot.page.page import Page

_MAX_SCRIPT_CHARS = 2_000_000
_MAX_NODES = 500
_MAX_META = 2000
_CONTROL = re.compile(r"[\x00-\x1f]+")
_KEYWORD_SPLIT = re.compile(r"[,，;；、|]")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
ARTICLE_TYPES = frozenset(
    "Article NewsArticle BlogPosting Report ReportageNewsArticle OpinionNewsArticle AnalysisNewsArticle "
    "BackgroundNewsArticle ReviewNewsArticle LiveBlogPosting SocialMediaPosting TechArticle ScholarlyArticle "
    "AdvertiserContentArticle DiscussionForumPosting Review Posting".split()
)


def meta_values(elements: Sequence[etree._Element]) -> dict[str, list[str]]:
    """Lower-case name, property or itemprop of each meta element to its non-empty contents.

    What some templates call ``og:article:author`` is ``article:author``, which Open Graph has.
    """
    values: dict[str, list[str]] = {}
    for element in elements[:_MAX_META]:
        content = (element.get("content") or "").strip()
        key = element.get("property") or element.get("name") or element.get("itemprop")
        if key and content:
            name = key.strip().lower()
            name = name.removeprefix("og:") if name.startswith("og:article:") else name
            values.setdefault(name, []).append(content[:10_000])
    return values


def document_title(titles: Iterable[etree._Element]) -> str:
    """The text of the first of these ``title`` elements that is the document's own and not an empty drawing's."""
    texts = (line_of(element) for element in titles)
    return next((text[:1000] for text in texts if text), "")


def jsonld_nodes(scripts: Iterable[etree._Element]) -> list[dict[str, Any]]:
    """All objects of these JSON-LD scripts that carry a type or, as those for search engines, a date; in page order."""
    nodes: list[dict[str, Any]] = []
    for script in scripts:
        if "ld+json" in (script.get("type") or "").lower() and script.text:
            nodes.extend(_flatten(_load(script.text[:_MAX_SCRIPT_CHARS])))
            if len(nodes) >= _MAX_NODES:
                break
    return nodes[:_MAX_NODES]


def _load(text: str) -> Any:
    text = encodable(text).strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
    text = text.removeprefix("//<![CDATA[").removeprefix("<![CDATA[").removesuffix("//]]>").removesuffix("]]>").strip()
    for repaired in (lambda t: t, lambda t: _TRAILING_COMMA.sub(r"\1", _CONTROL.sub(" ", t))):
        try:
            return json.loads(repaired(text), strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _flatten(data: Any) -> Iterator[dict[str, Any]]:
    """Objects with a type, nested ones after their parents; breadth first and bounded."""
    queue = [data]
    seen = 0
    while queue and seen < _MAX_NODES * 4:
        item = queue.pop(0)
        seen += 1
        if isinstance(item, list):
            queue.extend(item)
        elif isinstance(item, dict):
            if "@type" in item or "pubDate" in item:
                yield item
            queue.extend(
                value
                for key, value in item.items()
                if isinstance(value, dict | list)
                and key in {"@graph", "mainEntity", "mainEntityOfPage", "video", "hasPart", "itemListElement"}
            )


def types_of(node: dict[str, Any]) -> frozenset[str]:
    """The type names of a JSON-LD node without their vocabulary."""
    value = node.get("@type")
    names = value if isinstance(value, list) else [value]
    return frozenset(str(name).rpartition("/")[2].rpartition(":")[2] for name in names if name)


def article_nodes(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The nodes that describe an article."""
    return [node for node in nodes if types_of(node) & ARTICLE_TYPES]


def publishers(page: Page) -> tuple[str, ...]:
    """The names of those whom JSON-LD calls the publishers of the page's article."""
    nodes = (node.get("publisher") for node in article_nodes(page.jsonld))
    names = (node.get("name") for node in nodes if isinstance(node, dict))
    return tuple(name for name in names if isinstance(name, str))


def keywords_in_meta(page: Page) -> list[str]:
    """The keywords in the page's meta elements, in order."""
    return _words((*page.meta.get("news_keywords", ()), *page.meta.get("keywords", ())))


def keywords_of(page: Page, tags: Iterable[str] = ()) -> tuple[str, ...]:
    """Keywords that the page states in JSON-LD, meta keywords or article tags, then these; at most 30, in order.

    Where the meta elements have all that those of the site's front page have, these are the site's and no article's.
    """
    raw: list[str] = []
    for node in article_nodes(page.jsonld):
        value = node.get("keywords")
        raw += [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
    stated, sites = keywords_in_meta(page), page.front.keywords
    if sites and sites <= {word.casefold() for word in stated}:
        stated = [word for word in stated if word.casefold() not in sites]
    found: dict[str, str] = {}
    for word in (*_words((*raw, *page.meta.get("article:tag", ()))), *stated, *tags):
        if 1 < len(word) <= 60:
            found.setdefault(word.casefold(), word)
    return tuple(found.values())[:30]


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for part in _KEYWORD_SPLIT.split(text) if (word := part.strip())]


def canonical_of(page: Page) -> str:
    """The address the page says it should be known by (link rel=canonical, og:url), else its own."""
    links = [link for link in page.by_tag["link"] if "canonical" in (link.get("rel") or "").lower().split()]
    stated = (*(link.get("href") or "" for link in links), *page.meta.get("og:url", ()))
    urls = (page.resolve(one) for one in stated if one)
    return next((url for url in urls if url.startswith(("http://", "https://"))), page.url)


def language_of(page: Page) -> str | None:
    """The language the page states, ISO 639-1; pages often state their template's, so text goes first."""
    stated = page.lang
    if not stated and page.tree is not None:
        stated = page.tree.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    code = (
        (stated or next(iter(page.meta.get("og:locale", ())), "")).replace("_", "-").partition("-")[0].strip().lower()
    )
    return code if len(code) == 2 and code.isalpha() else None


def text_of(value: Any) -> str:
    """A text in JSON-LD, or the name of the object that stands for it; "" for anything else."""
    if isinstance(value, dict):
        value = value.get("name") or value.get("text")
    return " ".join(value.split()) if isinstance(value, str) else ""
