"""What a page says about itself in meta elements and JSON-LD."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

_MAX_SCRIPT_CHARS = 2_000_000
_MAX_NODES = 500
_MAX_META = 2000
_CONTROL = re.compile(r"[\x00-\x1f]+")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
ARTICLE_TYPES = frozenset(
    "Article NewsArticle BlogPosting Report ReportageNewsArticle OpinionNewsArticle AnalysisNewsArticle "
    "BackgroundNewsArticle ReviewNewsArticle LiveBlogPosting SocialMediaPosting TechArticle ScholarlyArticle "
    "AdvertiserContentArticle DiscussionForumPosting Review Posting".split()
)


def meta_values(tree: etree._Element | None) -> dict[str, list[str]]:
    """Lower-case name, property or itemprop of each meta element to its non-empty contents."""
    values: dict[str, list[str]] = {}
    if tree is None:
        return values
    for count, element in enumerate(tree.iter("meta")):
        if count >= _MAX_META:
            break
        content = (element.get("content") or "").strip()
        key = element.get("property") or element.get("name") or element.get("itemprop")
        if key and content:
            values.setdefault(key.strip().lower(), []).append(content[:10_000])
    return values


def jsonld_nodes(tree: etree._Element | None) -> list[dict[str, Any]]:
    """All objects of the page's JSON-LD scripts that carry a type, in page order."""
    nodes: list[dict[str, Any]] = []
    if tree is None:
        return nodes
    for script in tree.iter("script"):
        if "ld+json" in (script.get("type") or "").lower() and script.text:
            nodes.extend(_flatten(_load(script.text[:_MAX_SCRIPT_CHARS])))
            if len(nodes) >= _MAX_NODES:
                break
    return nodes[:_MAX_NODES]


def _load(text: str) -> Any:
    text = text.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
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
            if "@type" in item:
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
