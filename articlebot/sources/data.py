"""Articles that JSON lists: answers of an API, state for a front end, JSON-LD.

No path is known, so what is looked for are lists of objects each of which has a title and an address, or a title and a
name (slug, number) from which the site's own scripts or links show how to make one. All work is bounded.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Any

from articlebot.page import Page
from articlebot.page.js_values import records
from articlebot.page.script_values import MAX_VALUES, hydrated, scripts, values_of
from articlebot.page.text import units
from articlebot.times import stated_time
from articlebot.urls import joined

# Objects of one list that have title and address, at least; a pair is as often a menu's.
_LEAST_ITEMS, _MOST_ITEMS = 2, 2000
_MOSTLY = 0.6
_MOST_SECTIONS = 24
_MOST_NAME = 120
_MOST_BYTES = 8_000_000
# Objects within each other whose texts may hold JSON, and characters of such a text at least.
_LAYERS, _LEAST_INSIDE = 3, 100
_DECODER = json.JSONDecoder(strict=False)
# Rows whose keys say nothing: how many make a list, and how wide their headlines are on average.
_LEAST_ROWS, _LEAST_TITLE, _MOST_TITLE = 4, 12, 200
# Headlines are wider than what menus and sections are called: as ``extraction.kinds`` has it of links to news.
_HEADLINE = 22
_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|mp[34]|css|js)(?:\?|\Z)", re.I)
# What titles are called in other languages of Europe, where those who made the site named the fields in their own.
_FOREIGN_TITLES = (
    "titel titre titulo título titolo tytul tytuł rubrik overskrift otsikko encabezado überschrift ueberschrift nadpis "
    "titulek naslov baslik заголовок"
).split()
TITLES = (*"title headline name subject newstitle articletitle heading caption".split(), *_FOREIGN_TITLES)
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
# What is about an article's object and stands in one of its own.
_INNER = ("node", "attributes", "article", "fields", "item", "data", "document", "content", "frontmatter", "_source")
_NAMED = frozenset([*TITLES, *_ADDRESSES, *_NAMES])
_TAG = re.compile(r"<[^<>]{0,200}>")
_FIELD = r"(?:slug|id|key|uuid|code|[A-Za-z]{1,20}(?:Id|ID|_id|Slug|_slug))"
# "/news/" + item.id + ".html", `/news/${item.slug}`: the end of a text, a field, the beginning of the next text.
# Several fields may follow each other: "/".concat(e.section.slug,"/").concat(e.slug), `/${a.section.slug}/${a.slug}`.
_PIECE = r"""(?: \$\{{\s*+ (?:encodeURIComponent\(\s*+)? (?P<a>[\w$.?\[\]]{{1,80}}+) \s*+ \)? \s*+ \}}
      | ["'`] \s*+ (?P<joined>{joined}) \s*+ (?:encodeURIComponent\(\s*+)? (?P<b>[\w$.?\[\]]{{1,80}}+)
        \s*+ \)? (?: \s*+ [+,] \s*+ ["'`] | (?=\s*+[;,)\]}}]) )
    )
    (?P<after>[\w./?=&%-]{{0,40}})"""
_TEMPLATE = re.compile(
    r"(?P<before>(?:/|(?:(?<=href=[\"'])|(?<=href=\\[\"']))(?=[\w-]{1,40}\.(?:s?html?|php|aspx?|jsp)\?))[\w./?=&%-]{0,100})"
    + _PIECE.format(joined=r"\+|\.concat\("),
    re.X,
)
# What is fetched is no address for readers: fetch(API + "/stories/" + id).
_ASKED = re.compile(
    r"(?:fetch|get|post|getJSON|ajax|axios|request)\(\s{0,9}(?:[\w$.]{1,40}\s{0,9}\+\s{0,9})?[\"'`]?\Z", re.I
)
# The route of a front end's router: {path: "/story/:slug", …}.
_ROUTE = re.compile(
    r"\bpath[\"']?\s{0,4}[:=]\s{0,4}[\"'](?P<before>/(?:[\w-]{1,40}/){0,2}"
    r"(?:articles?|news\w{0,10}|posts?|stor(?:y|ies)|\w{0,10}[dD]etails?|read|view|show|content|info|items?|blog|[ap])/):(?P<name>\w{1,20})(?P<after>\.html)?/?[\"']"
)
_MORE = re.compile(_PIECE.format(joined=r"\)?\s*+(?:\+|\.concat\()|,"), re.X)
_MOST_HOLES = 4
# What stands before data: a variable's name, or a callback's, as Express and Sina write it too
# (/**/ typeof f === 'function' && f({…}), try{f({…});}catch(e){}).
BEFORE = (
    r"(?:(?:(?:var|let|const)\s{1,4}|window\.)?[\w.$]{1,80}\s{0,4}=|(?:/\*[^*]{0,40}\*/)?\s{0,4}(?:try\s{0,4}\{)?\s{0,4}"
    r"(?:[\w.$ ='\"]{1,120}&&\s{0,4})?[\w.$]{1,80}\s{0,4}\()\s{0,20}(?=[{\[])"
)
_BEFORE = re.compile(BEFORE)
_HOLES = re.compile(r"\{([\w.]+)\}")
_API = re.compile(r"(?:\A|/)(?:api|ajax|json|rest|graphql|wp-json|v\d)(?:/|\Z)|\.json", re.I)


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


def loaded(body: bytes) -> Any:
    """The value of a JSON document (also behind a callback's or variable's name), or a script's lists; else None."""
    try:
        text = body[:_MOST_BYTES].decode()
    except UnicodeDecodeError:  # too few letters tell a charset; what is as old as callbacks is Chinese mostly
        text = body[:_MOST_BYTES].decode("gb18030", "replace")
    text = text.lstrip("\ufeff \t\r\n")
    before = _BEFORE.match(text)
    if before is None and text[:1] not in ("{", "["):
        return [*values_of(text), *records(text)] or None if text else None
    try:
        value = _DECODER.raw_decode(text, before.end())[0] if before else json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return [*records(text)] or None
    return _opened(hydrated(value), _LAYERS)


def _opened(value: Any, layers: int) -> Any:
    """A value with the JSON that objects in it hold as a text, plain or in Base64: {"data": "W3sidGl0…"}."""
    if not isinstance(value, dict) or not layers:
        return value
    return {
        key: _opened(_inside(one) if isinstance(one, str) and len(one) >= _LEAST_INSIDE else one, layers - 1)
        for key, one in value.items()
    }


def _inside(text: str) -> Any:
    try:
        inner = text if text[0] in "{[" else b64decode(text, validate=True).decode()
        return json.loads(inner, strict=False) if inner[:1] in ("{", "[") else text
    except (ValueError, RecursionError):
        return text


def items_in_scripts(page: Page) -> list[Item]:
    """The articles that a page's own data list."""
    found: list[Item] = []
    zone = page.zone or UTC
    for text, kind in scripts(page):
        if "html" not in kind and "template" not in kind:
            values = (_opened(value, _LAYERS) for value in values_of(text))
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


def template_of(page_text: Iterable[str], items: Iterable[Item], hrefs: Iterable[str]) -> str | None:
    """How an item's address is made: with ``{field}`` in it; None where neither links nor scripts show it.

    Args:
        page_text: of the page's scripts.
        items: without addresses.
        hrefs: that the document has.
    """
    some = [item for item in items if not item.url][:20]
    if shown := _shown(some, list(hrefs)):
        return shown
    page_text, fields = [*page_text], {field for item in some for field in item.names}
    best: tuple[int, str] | None = None
    for text in page_text:
        for match in _TEMPLATE.finditer(begun := text[:2_000_000]):
            made = _whole(begun, match, fields)
            context = begun[max(0, match.start() - 40) : match.start()]
            if not made or _API.search(match["before"]) or _ASKED.search(context):
                continue
            rank = 2 * bool(re.search(r"href|to=|location|\burl|link", context, re.I)) + (made[1] != "{")
            if best is None or rank > best[0]:
                best = rank, made
    return best[1] if best else next(_routes(page_text, fields), None)


def _routes(texts: Iterable[str], fields: set[str]) -> Iterator[str]:
    """The addresses of a router's routes that one field of the items fills."""
    for text in texts:
        for match in _ROUTE.finditer(text[:2_000_000]):
            if name := _field(match["name"], fields):
                yield f"{match['before']}{{{name}}}{match['after'] or ''}"


def _whole(text: str, match: re.Match[str], fields: set[str]) -> str:
    """The address that a script puts together from here on, "" where a part of it is no field of the items."""
    made = match["before"]
    for _ in range(_MOST_HOLES):
        name = _field(match["a"] or match["b"], fields)
        if not name:
            return ""
        made += f"{{{name}}}{match['after']}"
        more = _MORE.match(text, match.end())
        # A comma ends an address, but between the parts of a concat().
        if more is None or (more["joined"] == "," and match["joined"] not in (".concat(", ").concat(", ",")):
            return made
        match = more
    return made


def _field(path: str, fields: set[str]) -> str:
    """The field of the items that a variable means: ``e.section.slug``, ``newsId`` where they have ``id`` alone."""
    names = path.replace("?", "").lower().split(".")
    for start in range(len(names)):
        if (name := ".".join(names[start:])) in fields:
            return name
    last = path.rpartition(".")[2]
    if not re.fullmatch(_FIELD, last):
        return ""
    name = last.rpartition("_")[2].lower()
    alike = [one for one in fields if one in ("id", "slug") and name.endswith(one)]  # of ``articleId``: ``id`` alone
    return name if name in fields else alike[0] if len(alike) == 1 else ""


def _shown(items: Sequence[Item], hrefs: list[str]) -> str | None:
    """The address that most items have among a document's links, whose folder may be another of their fields."""
    made, told = Counter[str](), dict[tuple[str, str], str]()
    # What several articles share is a folder's name, and tells none of them.
    shared = {
        field for item in items for field, name in item.names.items()
        if told.setdefault((field, name), item.title) != item.title
    }  # fmt: skip
    for item in items:
        for field, name in item.names.items():
            if field in shared or (one := _from_links(field, name, hrefs)) is None:
                continue
            made[one] += 1
            for folder, called in item.names.items():
                if folder != field and f"/{called}/" in one:
                    one = one.replace(f"/{called}/", f"/{{{folder}}}/", 1)
                    made[one] += 1
    # What is the same for all says less than what differs: /{section}/{slug} rather than /news/{slug}.
    return max(made, key=lambda one: (made[one], one.count("{")), default=None)


def addressed(item: Item, base: str, template: str | None) -> str:
    """An item's absolute address, "" where it cannot be told."""
    if item.url or not template:
        return item.url
    made = _HOLES.sub(lambda match: item.names.get(match[1], ""), template)
    return joined(base, made) if all(name in item.names for name in _HOLES.findall(template)) else ""


def _from_links(field: str, name: str, hrefs: list[str]) -> str | None:
    """A link's address with a name in it as a whole, as an address of all."""
    if len(name) < 2:
        return None
    whole = re.compile(rf"(?<=[/=_-]){re.escape(name)}(?=[/.?&#]|\Z)")
    for href in hrefs:
        path = "/" + href.split("/", 3)[3] if href.count("/") > 2 else href
        if name in path and (match := whole.search(path)):
            return f"{path[: match.start()]}{{{field}}}{path[match.end() :]}"
    return None


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
    for name in _INNER:
        if isinstance(inner := one.get(name), dict) and (len(inner) > 1 or any(key in _NAMED for key in inner)):
            one = {**inner, **{k: v for k, v in one.items() if k not in inner and k != name}}
    # {"id": 1, "doc": {"title": …}, "status": {"permalink": …}, "stat": {…}}; a name may be the record's own
    parts = [] if any(map(_is_title, one)) else [v for v in one.values() if isinstance(v, dict)]
    titled = sorted(
        (v for v in parts if any(map(_is_title, v))), key=lambda v: not re.search("title|headline", " ".join(v), re.I)
    )
    if titled:
        beside = {key: v for part in parts for key, v in part.items() if str(key).lower() in _OWN_ADDRESSES}
        one = {**beside, **{k: v for k, v in one.items() if not isinstance(v, dict | list)}, **titled[0]}
    lowered = {key.lower(): value for key, value in one.items() if isinstance(key, str)}
    title = next((text for key in TITLES if (text := _text(lowered.get(key)))), "")
    if not title:
        title = next((text for key, v in lowered.items() if key.endswith("title") and (text := _text(v))), "")
    if not title and any(key in lowered for key in TITLES):  # of a flash, which has its sentence alone
        title = next((text for key, v in lowered.items() if _TELLING.search(key) and (text := _text(v))), "")
    if not title:
        return None
    url = next((text for key in _ADDRESSES if (text := _address(lowered.get(key), base))), "")
    names = {
        key: str(lowered[key])
        for key in (*_NAMES, *(key for key in lowered if key not in _NAMES and _ANY_NAME.fullmatch(key)))
        if isinstance(lowered.get(key), str | int) and not isinstance(lowered[key], bool)
        and 0 < len(str(lowered[key])) <= _MOST_NAME
    }  # fmt: skip
    if not url:
        own = (v for key, v in lowered.items() if _ANY_ADDRESS.search(key) and isinstance(v, str) and _is_path(v))
        url = next((text for v in own if (text := _address(v, base))), "")
    # Generators call the whole path a slug.
    url = url or next((joined(base, name) for name in names.values() if name.startswith("/") and base), "")
    if not url and not names:
        return None
    names |= {} if url else _folders(lowered)
    times = (_time(value, zone) for key, value in lowered.items() if _DATES.fullmatch(key))
    published = next((at for at in times if at is not None), None)
    rich = published is not None or any(_TELLING.search(key) for key in lowered)
    return Item(url, title, names, published, place, rich)


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
    if isinstance(value, dict):  # WordPress: {"rendered": "…"}
        value = value.get("rendered") or value.get("text") or value.get("default")
    if not isinstance(value, str) or not value or len(value) > 500:
        return ""
    return " ".join(html.unescape(_TAG.sub("", value)).split())


def _address(value: Any, base: str) -> str:
    if isinstance(value, dict):
        parted = "".join(str(value.get(name) or "") for name in ("base", "path")) if "base" in value else None
        value = value.get("href") or value.get("url") or value.get("canonical") or value.get("current") or parted
    if not isinstance(value, str) or not 1 < len(value) < 2000 or any(c in value for c in " \n<{"):
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
