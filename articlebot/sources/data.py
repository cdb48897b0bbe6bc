"""Articles that JSON lists: answers of an API, state for a front end, JSON-LD.

No path is known, so what is looked for are lists of objects each of which has a title and an address, or a title and a
name (slug, number) from which the site's own scripts or links show how to make one. All work is bounded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from itertools import chain
from typing import Any

from articlebot.page import Page
from articlebot.page.js_values import records
from articlebot.page.json_values import opened
from articlebot.page.script_values import MAX_VALUES, scripts, values_of
from articlebot.page.tags import MARKUP
from articlebot.page.text import units
from articlebot.times import stated_time
from articlebot.urls import joined

# Objects of one list that have title and address, at least; a pair is as often a menu's.
_LEAST_ITEMS, _MOST_ITEMS = 2, 2000
_MOSTLY, _MOST_SECTIONS, _MOST_NAME = 0.6, 24, 120
# Rows whose keys say nothing: how many make a list, and how wide their headlines are on average.
_LEAST_ROWS, _LEAST_TITLE, _MOST_TITLE = 4, 12, 200
# Headlines are wider than what menus and sections are called: as ``extraction.kinds`` has it of links to news.
_HEADLINE = 22
_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|mp[34]|css|js|json|mdx?)(?:\?|\Z)", re.I)
# What titles are called in other languages of Europe, where those who made the site named the fields in their own.
_FOREIGN_TITLES = (
    "titel titre titulo título titolo tytul tytuł rubrik overskrift otsikko encabezado überschrift ueberschrift nadpis "
    "titulek naslov baslik заголовок"
).split()
TITLES = (*"title headline headlines name subject newstitle articletitle heading caption".split(), *_FOREIGN_TITLES)
_ADDRESSES = (
    "url link href permalink canonicalurl canonical_url weburl web_url articleurl article_url detailurl detail_url "
    "shareurl share_url pageurl path pathname uri"
).split()
_OWN_ADDRESSES = frozenset(_ADDRESSES[3:12])  # those that an author or a picture does not have as well
# Any other name of an address, but of a picture, an author or a section.
_ANY_ADDRESS = re.compile(
    r"\A(?!.*(?:im(?:g|age)|pic|thumb|cover|logo|video|avatar|icon|auth|user|cat|chan|tag|api)).*(?:url|link|href)"
)
_NAMES = (
    "slug id articleid article_id newsid news_id aid nid docid contentid content_id postid objectid uuid key code"
).split()
# Any other name of an article's number, but of its section, its author or a picture: contId, feed_id.
_ANY_NAME = re.compile(
    r"(?!.*(?:user|auth|creat|cat|chan|node|col|sec|tag|topic|type|site|parent|im(?:g|age)|pic|photo|video|media|source))"
    r"[a-z_]{1,16}id"
)
_DATES = re.compile(
    r"(?:date_?|first_?)?(?:publi[sc]h|pub|release|post|display|news)\w*|p(?:ub)?_?time|date|time|"
    r"created?(?:_?(?:at|time|date|on))?|"
    r"(?:gepubli|opubli|ver(?:ö|oe)ff|julkais|fecha|datum)\w*|dat[ao]",
    re.I,
)
# Keys beside title and address that a menu's entry does not have.
_TELLING = re.compile(r"summary|abstract|excerpt|descr|dek|lead|teaser|intro|author|byline|body|content|digest", re.I)
_OF_SECTIONS = re.compile(r"(?:id|code|slug|key|alias)\Z")
_OF_FOLDERS = re.compile(
    r"(?:(?:primary|main)_?)?(?:section|category|channel|topic|type|desk|rubric|lang|locale|year)(?:_?slug)?"
)
_ASIDE = re.compile(r"(?:\A|/)(?:tag|label|keyword|categor|author)\w{0,10}\Z", re.I)
# What is about an article's object and stands in one of its own.
_INNER = ("node", "attributes", "article", "fields", "item", "data", "document", "content", "frontmatter", "_source")
_NAMED = frozenset([*TITLES, *_ADDRESSES, *_NAMES])


@dataclass(frozen=True, slots=True)
class Item:
    """One article that data list.

    Attributes:
        url: absolute, "" where only its name is known.
        title: plain text.
        names: by field, what an address can be made of.
        published_at: epoch seconds, None where it is not stated.
        place: keys that lead to it, the same for all items of a list.
        rich: it states more than a menu's entry does: a date, a summary, an author.
    """

    url: str
    title: str
    names: Mapping[str, str]
    published_at: float | None
    place: str
    rich: bool


def items_in_scripts(page: Page) -> list[Item]:
    """The articles that a page's own data list."""
    found: list[Item] = []
    zone = page.zone or UTC
    for text, kind in scripts(page):
        if "html" not in kind and "template" not in kind:
            values = (opened(value) for value in values_of(text))
            items = [item for value in values for item in items_of(value, page.url, zone=zone)]
            # The same, where it is JavaScript and no JSON: [{title: 'x'},]
            found += items or [item for value in records(text) for item in items_of(value, page.url, zone=zone)]
    found += _in_jsonld(page)
    return found


def items_of(value: Any, base: str, least: int = _LEAST_ITEMS, *, zone: tzinfo = UTC) -> list[Item]:
    """The articles that a JSON value lists, in its order; ``least`` make a list, ``zone`` is for times without."""
    found: list[Item] = []
    for members, place in _lists(value, least):
        items = [item for one in members[:_MOST_ITEMS] if (item := _item(one, base, place, zone)) is not None]
        if not items:
            items = _by_values(members[:_MOST_ITEMS], base, place, zone)
        elif _ASIDE.search(place) and not any(item.rich for item in items):
            continue  # an article's own tags, each with a name like its
        if items and sum(units(item.title) for item in items) >= _HEADLINE * len(items):
            items = [replace(item, rich=True) for item in items]
        if len(items) >= least and len(items) >= _MOSTLY * len(members):
            found += items
    return found


def menu_of(value: Any) -> tuple[Mapping[str, str], ...]:
    """What an answer calls the sections that it names, by field: those without others below them, where some have."""
    every = [one for members, _ in _lists(value) for one in members]
    leaves = [one for one in every if not any(isinstance(v, list) and v for v in one.values())]
    items = (_item(one, "", "") or _section(one) for one in leaves)
    return tuple(item.names for item in items if item is not None and item.names and not item.rich)[:_MOST_SECTIONS]


def _section(one: dict[str, Any]) -> Item | None:
    """A section that is known by a number or word of any name: {cid: "11", name: "Town"}."""
    lowered = {key.lower(): value for key, value in one.items() if isinstance(key, str)}
    called = (*TITLES, *(key for key in lowered if key.endswith(("name", "title"))))
    title = next((text for key in called if (text := _text(lowered.get(key)))), "")
    names = {
        key: str(value) for key, value in lowered.items()
        if _OF_SECTIONS.search(key) and isinstance(value, str | int) and not isinstance(value, bool)
        and 0 < len(str(value)) <= _MOST_NAME
    }  # fmt: skip
    rich = any(_DATES.fullmatch(key) or _TELLING.search(key) for key in lowered)
    return Item("", title, names, None, "", rich) if title and names else None


def _by_values(members: list[dict[str, Any]], base: str, place: str, zone: tzinfo) -> list[Item]:
    """Items of records whose keys say nothing (``{"t": …, "u": …}``): an address of the site and the longest text."""
    columns: dict[str, list[str]] = {}
    for one in members:
        for key, value in one.items():
            if isinstance(value, str):
                columns.setdefault(key, []).append(value)
    full = {key: values for key, values in columns.items() if len(values) >= max(_LEAST_ROWS, _MOSTLY * len(members))}
    address = next((key for key, values in full.items() if all(map(_is_path, values))), None)
    titles = {key: sum(map(units, values)) / len(values) for key, values in full.items() if key != address}
    title = max(titles, key=titles.__getitem__, default=None)
    if address is None or title is None or not _LEAST_TITLE <= titles[title] <= _MOST_TITLE:
        return []
    named = ({**one, "title": one.get(title), "url": one.get(address)} for one in members)
    return [item for one in named if (item := _item(one, base, place, zone)) is not None]


def _is_path(value: str) -> bool:
    return value.startswith(("/", "http://", "https://", "./")) and not _FILE.search(value) and " " not in value


def _lists(value: Any, least: int = _LEAST_ITEMS) -> Iterator[tuple[list[dict[str, Any]], str]]:
    """The lists of objects anywhere in a value, and objects whose values are such, as normalised caches have them."""
    stack: list[tuple[Any, str, int]] = [(value, "", 0)]
    left = MAX_VALUES
    while stack and left > 0:
        one, place, depth = stack.pop()
        left -= 1
        inner = list(one.values()) if isinstance(one, dict) else one if isinstance(one, list) else []
        members = [member for member in inner if isinstance(member, dict)]
        if len(members) >= least and (isinstance(one, list) or len(members) * 2 > len(inner)):
            yield members, place
        if depth < 30:
            named = one.items() if isinstance(one, dict) else (("", member) for member in inner)
            below = [(v, f"{place}/{k}" if k else place, depth + 1) for k, v in named if isinstance(v, dict | list)]
            stack.extend(reversed(below))


def _item(one: dict[str, Any], base: str, place: str, zone: tzinfo = UTC) -> Item | None:
    lowered = {key.lower(): value for key, value in _whole(one).items() if isinstance(key, str)}
    title = _title(lowered)
    names = _names(lowered) if title else {}
    url = _url(lowered, names, base) if title else ""
    if not url and not names:
        return None
    names |= {} if url else _folders(lowered)
    times = (_time(value, zone) for key, value in lowered.items() if _DATES.fullmatch(key))
    published = next((at for at in times if at is not None), None)
    return Item(url, title, names, published, place, published is not None or any(map(_TELLING.search, lowered)))


def _whole(one: dict[str, Any]) -> dict[str, Any]:
    """An object with what it has in objects of its own."""
    for name in _INNER:
        if isinstance(inner := one.get(name), dict) and (len(inner) > 1 or any(key in _NAMED for key in inner)):
            one = {**inner, **{k: v for k, v in one.items() if k not in inner and k != name}}
    # {"id": 1, "doc": {"title": …}, "status": {"permalink": …}, "stat": {…}}; a name may be the record's own
    parts = [] if any(map(_is_title, one)) else [v for v in one.values() if isinstance(v, dict)]
    titled = sorted(
        (v for v in parts if any(map(_is_title, v))), key=lambda v: not re.search("title|headline", " ".join(v), re.I)
    )
    if not titled:
        return one
    beside = {key: v for part in parts for key, v in part.items() if str(key).lower() in _OWN_ADDRESSES}
    return {**beside, **{k: v for k, v in one.items() if not isinstance(v, dict | list)}, **titled[0]}


def _title(lowered: Mapping[str, Any]) -> str:
    """The title of an object, "" where it has none; of a flash, which has its sentence alone, that."""
    ending = (value for key, value in lowered.items() if key.endswith("title"))
    telling = (
        value for key, value in lowered.items() if _TELLING.search(key) and any(map(lowered.__contains__, TITLES))
    )
    return next((text for value in chain(map(lowered.get, TITLES), ending, telling) if (text := _text(value))), "")


def _names(lowered: Mapping[str, Any]) -> dict[str, str]:
    """What an object is called by, by field: those that are usual first."""
    keys = (*_NAMES, *(key for key in lowered if key not in _NAMES and _ANY_NAME.fullmatch(key)))
    said = ((key, lowered[key]) for key in keys if isinstance(lowered.get(key), str | int))
    return {key: str(v) for key, v in said if not isinstance(v, bool) and 0 < len(str(v)) <= _MOST_NAME}


def _url(lowered: Mapping[str, Any], names: Mapping[str, str], base: str) -> str:
    """The address of an object, "" where it states none."""
    own = (v for key, v in lowered.items() if _ANY_ADDRESS.search(key) and isinstance(v, str) and _is_path(v))
    url = next((text for value in chain(map(lowered.get, _ADDRESSES), own) if (text := _address(value, base))), "")
    # Generators call the whole path a slug.
    return url or next((joined(base, name) for name in names.values() if name.startswith("/") and base), "")


def _folders(one: Mapping[str, Any]) -> dict[str, str]:
    """What an article's section is called, in a field or an object of its own: addresses have it as a folder."""
    found: dict[str, str] = {}
    for key, value in one.items():
        if _OF_FOLDERS.fullmatch(key):
            inner = {str(k).lower(): v for k, v in value.items()} if isinstance(value, dict) else {}
            plain = next((k for k in ("slug", "key", "code", "id", "path") if isinstance(inner.get(k), str)), "")
            name = f"{key}.{plain}" if plain else key
            word = inner[plain].strip("/") if plain else value
            if isinstance(word, str) and re.fullmatch(r"[\w-]{1,60}", word):
                found[name] = word
    return found


def _is_title(key: Any) -> bool:
    return isinstance(key, str) and key.lower().endswith(TITLES)


def _text(value: Any) -> str:
    if isinstance(value, dict):  # WordPress: {"rendered": "…"}, Arc XP: {"basic": "…"}
        value = value.get("rendered") or value.get("text") or value.get("default") or value.get("basic")
    if not isinstance(value, str) or not value or len(value) > 500:
        return ""
    return " ".join(html.unescape(MARKUP.sub("", value)).split())


def _address(value: Any, base: str) -> str:
    if isinstance(value, dict):
        parted = "".join(str(value.get(name) or "") for name in ("base", "path")) if "base" in value else None
        value = value.get("href") or value.get("url") or value.get("canonical") or value.get("current") or parted
    # "/:year/:slug" is how addresses are made, and none.
    if not isinstance(value, str) or not 1 < len(value) < 2000 or any(c in value for c in (*" \n<{", "/:")):
        return ""
    if _FILE.search(value):
        return ""  # some call the picture's address "url", and the article's otherwise
    return joined(base, value) if "/" in value or "." in value else ""


def _time(value: Any, zone: tzinfo) -> float | None:
    if isinstance(value, str):
        return stated_time(value, zone) if not value.isdecimal() else _time(int(value[:14]), zone)
    if isinstance(value, int | float) and not isinstance(value, bool):
        for seconds in (float(value), value / 1000):  # of 2001 to 2100
            if 1e9 <= seconds < 4.1e9:
                return seconds
    return None


def _in_jsonld(page: Page) -> list[Item]:
    """JSON-LD's ItemList: elements with an address, or with an item that has one."""
    found = []
    for node in page.jsonld:
        elements = node.get("itemListElement")
        crumbs = "Breadcrumb" in str(node.get("@type"))
        for one in elements if isinstance(elements, list) and not crumbs else ():
            inner = one.get("item") if isinstance(one, dict) else None
            both = {**one, **inner} if isinstance(inner, dict) else one
            url = _address(both.get("url") or both.get("@id") or inner, page.url) if isinstance(both, dict) else ""
            if url:
                at = _time(both.get("datePublished"), page.zone or UTC)
                found.append(Item(url, _text(both.get("headline") or both.get("name")), {}, at, "ItemList", True))
    return found
