"""Articles whose own page is an empty shell: where its scripts get the text from, as they say. None is run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.page import Page
from articlebot.page.json_values import loaded
from articlebot.sources.attributes import Attributes
from articlebot.sources.counting import SIZE_KEYS
from articlebot.sources.names import Names
from articlebot.sources.templates import ASKED
from articlebot.sources.wrappers import GIVEN
from articlebot.urls import joined

# An address and what one article is asked for by: "/detail?id=" + t, `${this.api}/news/${id}`,
# at + "/detail", {params: {id: t}}, {url: "/detail", data: e}: by what the article's address asks for it.
_ASKED = re.compile(
    r"(?:(?<![\w$.])(?P<base>[A-Za-z_$][\w$]{0,30})\s{0,4}\+\s{0,4})?[\"'`](?:\$\{(?P<root>[\w$.]{1,60})\}(?=/))?(?P<path>/(?=\$)|(?:https?://[\w.:-]{1,80})?/?[A-Za-z][\w./-]{1,80}(?:\?(?:[\w.\[\]$-]{1,40}=[\w.*-]{0,30}&)?[\w.\[\]$-]{1,40}=)?)"
    r"(?:\$\{[\w$.()]{1,60}\}(?P<tail>[\w./&=*-]{0,40})`|[\"']\s{0,4}\+\s{0,4}[\w$.\[\]]{1,60}(?:\s{0,4}\+\s{0,4}[\"'](?P<end>[\w./-]{1,20})[\"'])?|[\"'`]\s{0,4},\s{0,4}(?:\{\s{0,4})?(?:(?<=\{)|[^{}]{0,60}?(?:params|data)\s{0,4}:\s{0,4}\{)\s{0,4}"
    r"(?P<key>\w{0,20}(?:id|ID|Id|slug|key|code))\s{0,4}[:}]|[\"'`]\s{0,4},\s{0,4}(?P<whole>(?:params|data)\s{0,4}:\s{0,4}[\w$]{1,20}\s{0,4}[,}]))"
)
# The same as an API's documents have it, filled in elsewhere: "/posts/:id", "/posts/{slug}".
_PATTERN = re.compile(
    r"[\"'`](?P<path>/(?:[\w.-]{1,40}/){1,6})(?::[A-Za-z]{0,12}(?:id|slug|key)|\{[A-Za-z]{0,12}(?:id|slug|key)\})[\"'`]",
    re.I,
)
_ONE = re.compile(r"detail|info|article|content|news|post|read|view|show|stor(?:y|ies)|item", re.I)
_BY_NAME = re.compile(r"[?&]\w{0,20}id=\Z", re.I)  # however it is called: "/q/one?id="
_MANY = re.compile(
    r"list|comment|like|user|login|categor|channel|tags?\b|search|recommend|hot|relat|upload|\.(?:js|css|html?)\b", re.I
)
_HOLE, _WORDS = re.compile(r"\{[\w.]+\}"), "{slug}"
_LISTED = SIZE_KEYS | PAGE_KEYS
_NAME = 60  # characters before an address that may name the function to which it is handed
_TITLES = ("title", "headline", "newstitle", "articletitle", "subject", "name")
_MOST_SCRIPT, _MOST, _LEVELS, _MOST_OBJECTS = 1_000_000, 4, 4, 500


def details(script: str, page: Page, article_url: str) -> list[str]:
    """The likeliest addresses of one article's data, four at most, with the hole of ``article_url`` in them.

    Args:
        page: that takes the script.
        article_url: how addresses of articles are made, with one hole: ``/news/{id}``.
    """
    names, found = Names(script[:_MOST_SCRIPT], Attributes(page)), dict[str, int]()
    asked = next(iter(re.findall(r"[?&](\w{1,30})=\{", article_url)), None)
    # Beside a number the words are for readers.
    hole, base = next(iter(_holes(article_url)), ""), next(iter(names.texts("baseURL")), "")
    for match in _ASKED.finditer(names.text):
        path, key, root = match["path"], match["key"] or (asked if match["whole"] else None), match["root"]
        if path == "/" and root:  # `${NEWS}/${id}`
            path, root = next((f"{one.rstrip('/')}/" for one in names.texts(root.rpartition(".")[2])), path), None
        called = _ONE.search(path) is not None
        if not (called or _BY_NAME.search(path)) or _MANY.search(path) or not (key or path.endswith(("/", "="))):
            continue
        if re.split(r"[?&]", path)[-1].rstrip("=").lower() in _LISTED:
            continue  # which page a list is to show, and how many it is to have
        address = f"{path}?{key}={hole}" if key else f"{path}{hole}{match['tail'] or match['end'] or ''}"
        above = names.text[max(0, match.start() - _NAME) : match.start()]
        handed = GIVEN.search(above)
        fetched = (handed is not None and handed[1] in names.wrappers) or (base and ASKED.search(above))
        if address == article_url and not (root or match["base"] or fetched):
            continue  # a link to it
        if not address.startswith("http"):
            name = match["base"] or (root or "").rpartition(".")[2]
            before = next(iter(names.texts(name)), base) if name else base
            before = names.wrappers.get(handed[1], before) if handed else before
            address = f"{before.rstrip('/')}/{address.lstrip('/')}"
        found.setdefault(address, 2 * (not called) - 2 * ("detail" in path.lower()) - ("api" in address.lower()))
    for match in _PATTERN.finditer(names.text):
        address = f"{match['path']}{hole}"
        if _ONE.search(address) and not _MANY.search(address) and address != article_url:
            found.setdefault(f"{base.rstrip('/')}{address}", -("api" in address.lower()))
    return sorted(found, key=lambda one: found[one])[:_MOST] if hole else []


def filled(template: str, article_url: str, url: str, home: str) -> str | None:
    """The address of an article's data, None for what is no article's address by ``article_url``."""
    called = _called(article_url, url)
    for hole, value in called.items():
        template = template.replace(hole, value)
    return joined(home, template) if called else None


def with_hole(address: str, article_url: str, url: str) -> str | None:
    """How addresses of data are made, by that of one article's; None where what it is called by is not in it."""
    called = _called(article_url, url)
    for hole in _holes(article_url) if called else []:
        made, count = re.subn(rf"(?<![\w-]){re.escape(called[hole])}(?![\w-])", hole, address, count=1)
        if count:
            return made
    return None


def _holes(article_url: str) -> list[str]:
    return sorted(_HOLE.findall(article_url), key=lambda hole: hole == _WORDS)


def _called(article_url: str, url: str) -> dict[str, str]:
    """What stands in an article's address for each hole; nothing where it is not made so."""
    holes = _HOLE.findall(article_url)
    # The words of a title hold the mark that parts them from the number: they take what they can.
    parts = re.split(rf"({_HOLE.pattern})", article_url)
    form = "".join(
        re.escape(part) if place % 2 == 0 else "([^/?&#]{1,200})" if part == _WORDS else "([^/?&#]{1,200}?)"
        for place, part in enumerate(parts)
    )
    match = re.search(rf"{form}\Z", url)
    return dict(zip(holes, match.groups(), strict=True)) if match else {}


def as_page(body: bytes) -> bytes | None:
    """An answer with one article's data as a page that holds them for its scripts; None where it is no such data."""
    value = loaded(body)
    title = next(_titles(value), "") if isinstance(value, dict) else ""
    if not title:
        return None
    held = json.dumps(value, ensure_ascii=False).replace("</", "<\\/")
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
        f'<body><div id="app"></div><script type="application/json">{held}</script></body></html>'
    ).encode("utf-8", "replace")


def _titles(value: Any) -> Iterator[str]:
    """Titles of the objects in an answer, the outermost first; its lists are of other articles, but those of one."""
    level = [value]
    for _ in range(_LEVELS):
        objects = [one for one in level if isinstance(one, dict)][:_MOST_OBJECTS]
        for one in objects:
            lowered = {str(key).lower(): _plain(said) for key, said in one.items()}
            yield from (said for name in _TITLES if isinstance(said := lowered.get(name), str) and said.strip())
        inside = [inner for one in objects for inner in one.values()]
        level = [one[0] if isinstance(one, list) and len(one) == 1 else one for one in inside]


def _plain(said: Any) -> Any:
    """A value, or the text in it: WordPress' API says {"title": {"rendered": "…"}}."""
    return next((one for one in said.values() if isinstance(one, str)), None) if isinstance(said, dict) else said
