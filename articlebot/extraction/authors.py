"""Who wrote an article, and where it says it comes from."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from articlebot.extraction.generic.blocks import Block
from articlebot.extraction.generic.features import squash
from articlebot.extraction.info_line import before_date, names_beside_date, spaced
from articlebot.extraction.metadata import article_nodes, types_of
from articlebot.extraction.page import Page

Headline = Callable[[], "int | None"]

_MAX_AUTHORS = 12
_DESK = 0.5  # confidence in an organisation as author
_DESKS = frozenset({"Organization", "NewsMediaOrganization", "Corporation"})
_SPLIT = re.compile(
    r"\s*(?:[;|/，；、&\n•·]|,(?!\s*(?:Jr|Sr|Ph\.?D|M\.?D|II|III)\b)|\band\b|\bund\b|\bet\b|\bwith\b|\s和\s)\s*", re.I
)
_PREFIX = re.compile(
    r"^\s*(?:view\s+)?(?:all|more)\s+(?:posts|articles|stories)\s+by\s+|^\W*(?:(?:written|reported|posted|review(?:ed)?|edited|words|story|text|article|photos?)\s+)?(?:by|von|par|por|di|door|af|av|autore?|author|author:|text)\b[:：]?\s+"
    r"|^\W*(?:本报|本网|新华社|中新社|中新网|记者|記者|通讯员|作者|撰文|编译|文)\s*[:：/／]?\s*(?:记者|記者|通讯员)?[:：]?\s*",
    re.I,
)
_SUFFIX = re.compile(
    r"\s+기자$|\s*[,(（@|].*$|\s+(?:is|was|has|for|in|on|at|from|updated|published|posted|staff|special to|contributing|senior|correspondent|reporter|editor|"
    r"associated press)\b.*$|\s*(?:报道|報道|報導|摄|实习生.*|编辑.*|通讯员.*|摄影.*)$",
    re.I,
)
_BYLINE = re.compile(r"^\W*(?:by|von|par|por|di)(?:\s*:\s*|\s+)(?P<name>[A-ZÀ-ÞĀ-Ž].{2,80})$", re.I)
_CHINESE = re.compile(
    r"(?:作者|记者|記者|撰文|文)\s*[:：/／]\s*(?P<name>[\u4e00-\u9fff·]{2,5}(?:[\s、，,]+[\u4e00-\u9fff·]{2,5}){0,4})(?![\u4e00-\u9fff])"
    r"|(?:本报|本网|新华社|中新社)?(?:记者|記者)\s*(?P<reporter>[\u4e00-\u9fff]{2,4})(?=[\s/／／)）】〕]|报道|報導|摄)"
)
_SOURCE = re.compile(
    r"(?:来源|來源|稿源|信息来源|文章来源|稿件来源|出处)\s*[:：]\s*(?!https?:)(?P<name>[^\s|｜:：，。,;；()（）【】\[\]]{2,30})|^\s*source\s*:\s*(?!https?:)(?P<latin>[^|\n]{2,60})$",
    re.I,
)
_NO_NAME = re.compile(
    r"https?:|www\.|\.com|@|\d{2}|^(?:admin|editor|staff|guest|unknown|none|null|undefined|author|news|redaktion|redaction|views?|comments?|share)$"
    r"|newsletter|subscribe|cookie|follow|click|read more|copyright|all rights|^the\b.*\bstaff$|小编|责任编辑|发布|^(?:the|contributing|staff writers?|senior|associate|executive|min read|\d+ min)$",
    re.I,
)
_AUTHOR_NAMES = re.compile(
    r"\b(?:author|byline|writer|contributor)s?\b|author[-_]?(?:name|link|list)|byline[-_]?(?:name|author)|byl\b|zuozhe"
)
_MAX_MARKED = 200
_ADDRESS = re.compile(r"https?:|www\.|/\w+/", re.I)


class Authors(NamedTuple):
    """Names in page order and the rule that gave them."""

    names: tuple[str, ...]
    rule: str
    confidence: float


def authors_of(page: Page, body: Sequence[Block], headline: Headline | None = None) -> Authors:
    """The authors of the article whose body are these blocks.

    A site's own name is none, but where nothing else is found the organisation that JSON-LD calls the author is one.
    """
    refused = {squash(value) for value in page.meta.get("og:site_name", ())}
    for rule, confidence, raw in _sources(page, body, headline):
        names = list(dict.fromkeys(name for text in raw for name in split_names(text) if squash(name) not in refused))
        if names:
            return Authors(tuple(names[:_MAX_AUTHORS]), rule, confidence)
    desks = tuple(dict.fromkeys(name for name in _from_jsonld(page, desks=True) if is_name(name)))[:_MAX_AUTHORS]
    return Authors(desks, "jsonld", _DESK) if desks else Authors((), "none", 0.0)


def split_names(text: str) -> list[str]:
    """The names in a byline such as ``By Ann Lee and Bo Li, Staff writers``."""
    names: list[str] = []
    if _ADDRESS.search(text):
        return names
    for part in _SPLIT.split(_PREFIX.sub("", " ".join(text.split()))):
        name = _SUFFIX.sub("", _PREFIX.sub("", part)).strip(" .,:：-–—_\"'“”()（）")
        if name and is_name(name):
            names.append(name)
    return names


def is_name(name: str) -> bool:
    """Whether a text can be the name of a person or a desk."""
    if not 2 <= len(name) <= 50 or _NO_NAME.search(name) or not any(char.isalpha() for char in name):
        return False
    words = name.split()
    if any(char > "\u3000" for char in name):
        return len(name) <= 16
    return len(words) <= 6 and (name[0].isupper() or len(words) <= 3)


def _sources(page: Page, body: Sequence[Block], headline: Headline | None) -> Iterator[tuple[str, float, list[str]]]:
    yield "jsonld", 0.95, list(_from_jsonld(page))
    meta = [
        value
        for key in (
            "author",
            "article:author",
            "byl",
            "dc.creator",
            "dcterms.creator",
            "parsely-author",
            "sailthru.author",
            "citation_author",
        )
        for value in page.meta.get(key, ())
    ]
    yield "marked", 0.85, list(_marked(page))
    yield "meta", 0.85, list(dict.fromkeys(meta))
    yield "byline", 0.75, list(_bylines(page, body, headline))


def _from_jsonld(page: Page, *, desks: bool = False) -> Iterator[str]:
    known = {node["@id"]: node for node in page.jsonld if isinstance(node.get("@id"), str)}
    for node in article_nodes(page.jsonld):
        found = list(_names(node.get("author") or node.get("creator"), known, desks=desks))
        if found:
            yield from found
            return


def _names(value: Any, known: dict[str, dict[str, Any]], *, desks: bool) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            name = item.get("name") or known.get(str(item.get("@id")), {}).get("name")
            if not desks and types_of(item) & _DESKS:
                continue
            if isinstance(name, list):
                yield from (str(part) for part in name)
            elif isinstance(name, str):
                yield name


def _marked(page: Page) -> Iterator[str]:
    """Elements that the markup itself names as author: rel, itemprop."""
    if page.tree is None:
        return
    tried = 0
    for element in page.tree.iter("a", "span", "div", "p"):
        rel = element.get("rel")
        if (rel is not None and "author" in rel.split()) or element.get("itemprop") == "author":
            tried += 1
            if tried > _MAX_MARKED:
                return
            text = " ".join("".join(map(str, element.itertext())).split())
            if 2 <= len(text) <= 80:
                yield text


def _bylines(page: Page, body: Sequence[Block], headline: Headline | None) -> Iterator[str]:
    """Lines near the headline and the ends of the body that say who wrote."""
    if not body:
        return
    index = headline() if headline is not None else None
    start = body[0].index if index is None else min(body[0].index, index)
    near = page.blocks[max(0, start - 4) : body[0].index + 3]
    for block in near:
        if len(block.text) <= 100 and (match := _BYLINE.match(spaced(block))):
            yield before_date(match["name"])
            return
    for block in near:
        if len(block.text) <= 60 and _AUTHOR_NAMES.search(block.node.names):
            yield before_date(spaced(block))
            return
    for block in [*near, *body[-2:], *page.blocks[body[-1].index + 1 : body[-1].index + 4]]:
        if match := _CHINESE.search(block.text if len(block.text) < 120 else block.text[:60]):
            yield match["name"] or match["reporter"]
            return
    for block in page.blocks[start + 1 if index is not None else max(0, start - 3) : body[0].index + 4]:
        if names := names_beside_date(block):
            yield from names
            return


def source_of(page: Page, body: Sequence[Block]) -> str:
    """Where the article says it comes from (``来源：``), "" where it says nothing."""
    for key in ("source", "mediaid", "article:source", "copyright_source"):
        for value in page.meta.get(key, ()):
            name = value.split(":")[-1].split("：")[-1].strip()
            if 2 <= len(name) <= 30 and "/" not in name:
                return name
    if not body:
        return ""
    first, last = body[0].index, body[-1].index
    lines: Iterable[Block] = [
        *page.blocks[max(0, first - 8) : first + 2],
        *page.blocks[max(first, last - 1) : last + 4],
    ]
    for block in lines:
        if len(block.text) <= 200 and (match := _SOURCE.search(block.text)):
            return (match["name"] or match["latin"]).strip()
    return ""
