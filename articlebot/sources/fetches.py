"""Addresses from which a page's own scripts fetch lists: in attributes of its elements, in its scripts' texts.

Scripts are not run. Their texts are looked through for what they hand to ``fetch`` and its like; of what an address is
put together from, the number of the page is known, and what the page itself states (``data-section="tech"``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from articlebot.page import Page
from articlebot.sources.names import Attributes, Names
from articlebot.urls import same_site

# The keys by which lists are asked for further pages; the second ones count entries.
PAGE_KEYS = frozenset(
    "page p pg pn pageno page_no pagenum page_num pagenumber page_number paged pageindex page_index curpage "
    "currentpage current_page current".split()
)
START_KEYS = frozenset("offset start skip from begin startindex start_index".split())
# Those by which what comes behind an entry is asked for.
CURSOR_KEYS = frozenset(
    "before before_id beforeid after after_id afterid cursor last lastid last_id max_id maxid until older older_than "
    "olderthan start_after".split()
)
_CURSOR_QUERY = re.compile(rf"[?&](?:{'|'.join(sorted(CURSOR_KEYS))})=(?P<value>[^&#]{{1,100}})", re.I)
_SIZE_KEYS = frozenset("size limit per_page perpage pagesize page_size count rows num ps".split())
_USUAL_SIZE = 20
_MOST_SCRIPT = 1_000_000
MOST = 6
_ATTRIBUTES = re.compile(
    r"(?:data-(?:[\w-]*-)?(?:url|href|src|api|endpoint|next|more|ajax|load|source|feed|path|page-url|fetch)|hx-get|"
    r"ic-get-from|up-href|data-remote)\Z"
)
_LIST_WORDS = re.compile(
    r"(?:\A|[/_.?&=-])(?:api|ajax|json|lists?|feeds?|news|articles?|posts?|stories|items|more|load\w*|page|latest|"
    r"entries|contents?|roll|stream|fragments?|partials?|index|archives?)(?=[/_.?&=\d-]|\Z)",
    re.I,
)
_OTHER = re.compile(
    r"(?:\A|[/_.?&=-])(?:log(?:in|out|s)?|track\w*|stats?|count(?:er)?|beacon|collect|analytics|ads?|advert\w*|comments?|"
    r"users?|auth|session|token|cart|weather|search|suggest\w*|vote|like|share|subscribe|newsletter|captcha|push|"
    r"socket|manifest|config|i18n|locale|translations?|menu|sw|favicon)(?=[/_.?&=-]|\Z)",
    re.I,
)
_FILES = re.compile(r"\.(?:js|mjs|css|png|jpe?g|gif|svg|webp|ico|woff2?|ttf|mp[34]|m3u8|map|wasm|pdf)(?:\?|\Z)", re.I)
# A text that is an address of the site, with what is put into it or after it.
_TEXT = re.compile(
    r"""(?P<quote>["'`])(?P<text>(?:(?:https?:/)?|\$\{[\w.$]{1,60}\})/(?:\$\{[^{}`]{1,80}\}|[^"'`\s<>\\]){1,300}+|[\w./-]{1,80}\.(?:json|php|aspx?|jsp)[^"'`\s<>\\]{0,200}
    |\?[\w.=&$\{\}-]{3,200})(?P=quote)
    (?P<rest>(?:\s*\+\s*(?:\(?(?:\+\+)?[\w.$\[\]()]{1,60}(?:\+\+)?\)?|["'`][^"'`\s<>\\]{0,100}["'`])){0,8})""",
    re.X,
)
_CALLED = re.compile(
    r"(?:fetch|get|getJSON|ajax|axios|load|request|open|useSWR|XMLHttpRequest|EventSource|\burl\s*:|endpoint|api\w{0,30}\s*+[:=])"
    r"[\s(\"'`,{]*+(?:[\"'`]?(?:GET|url)[\"'`]?\s*+[,:]\s*+)?\Z",
    re.I,
)
_BEFORE = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$.]{0,50})\s{0,9}\+\s{0,9}\Z")
_HOLE = re.compile(r"\$\{([^{}]{1,80})\}")
_JOINED = re.compile(
    r"(?:(?<!\s)\s+)?\+\s*+(?:\(?(?:\+\+)?([\w.$\[\]()]{1,60})(?:\+\+)?\)?|[\"'`]([^\"'`\s<>\\]{0,100})[\"'`])"
)
_OR_ELSE = re.compile(r"(?:\|\||\?\?)\s{0,9}[\"'`]([\w./-]{1,80})[\"'`]")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


class Fetch(NamedTuple):
    """An address that may answer with a list.

    Attributes:
        url: absolute, of the list's first page where ``paged``.
        paged: it has a number of pages or entries, which ``page_of`` changes.
        rank: the greater, the likelier.
    """

    url: str
    paged: bool
    rank: int


def fetches(page: Page, script: str | None = None, menu: Sequence[Mapping[str, str]] = ()) -> list[Fetch]:
    """The likeliest addresses, the best first, six at most; with a menu as many more as it has sections.

    Args:
        page: whose elements and scripts are looked through.
        script: another script of the page, to be looked through instead.
        menu: what an answer of the site calls its sections, each by field.
    """
    found: dict[str, Fetch] = {}
    attributes, own = Attributes(page), own_scripts(page)
    beside = Names("\n".join(own)[:_MOST_SCRIPT], attributes)
    each = (Names(text[:_MOST_SCRIPT], attributes, menu, beside) for text in ([script] if script is not None else own))
    made = [
        *(() if script is not None else _of_attributes(page)),
        *(one for names in each for one in _of_text(names, MOST + len(menu))),
    ]
    for address, said, holes in made:
        url = page.resolve(address)
        # An API elsewhere is another site's.
        if not same_site(url, page.url) or _FILES.search(urlsplit(url).path) or url.partition("#")[0] == page.url:
            continue
        where = urlsplit(url)
        place = f"{where.path}?{where.query}"
        rank = said + 2 * bool(_LIST_WORDS.search(place)) - 4 * bool(_OTHER.search(place))
        one = Fetch(url, holes or number_of(url) is not None, rank + holes)
        if rank > 1 and (url not in found or one.rank > found[url].rank):
            found[url] = one
    return sorted(found.values(), key=lambda one: -one.rank)[: MOST + len(menu)]


def own_scripts(page: Page) -> list[str]:
    """The texts of the scripts that stand in a page."""
    return [one.text or "" for one in page.by_tag["script"] if not one.get("src")]


def number_of(url: str, *, loose: bool = False) -> int | None:
    """The number of the page that an address asks for; None where it asks for none.

    Args:
        loose: a number at the end of the path is one too, as in the addresses of an API.
    """
    match = _numbered(url, loose)
    return None if match is None else int(match["number"])


def page_of(url: str, number: int) -> str:
    """The address with another number; unchanged where it has none."""
    match = _numbered(url, loose=True)
    return url if match is None else f"{url[: match.start('number')]}{number}{url[match.end('number') :]}"


def counts_entries(url: str) -> bool:
    """Whether its number counts entries rather than pages."""
    match = _numbered(url, loose=False)
    return match is not None and (match.groupdict().get("key") or "").lower() in START_KEYS


_QUERY_NUMBER = re.compile(r"[?&](?P<key>[A-Za-z_.]{1,20})=(?P<number>\d{1,6})(?=&|\Z)")
_PATH_NUMBER = re.compile(
    r"[/_-](?:page|p|pg|list|index|more|part)[/_-]?(?P<number>\d{1,4})(?:\.\w{2,5})?/?(?=\?|\Z)", re.I
)
_LOOSE_NUMBER = re.compile(r"[/_-](?P<number>\d{1,3})(?:\.\w{2,5})?/?(?=\?|\Z)")


def _numbered(url: str, loose: bool) -> re.Match[str] | None:
    for match in _QUERY_NUMBER.finditer(url):
        if match["key"].lower() in PAGE_KEYS | START_KEYS:
            return match
    path = url.partition("?")[0]
    return _PATH_NUMBER.search(path) or (_LOOSE_NUMBER.search(path) if loose else None)


def _of_attributes(page: Page) -> Iterator[tuple[str, int, bool]]:
    for link in page.by_tag["link"]:
        if "preload" in (link.get("rel") or "").lower() and link.get("as") == "fetch" and link.get("href"):
            yield link.get("href") or "", 3, False
    for element in page.elements:
        one: Any = element
        for name, value in one.items():
            if ("-" in name) and value and len(value) < 500 and _ATTRIBUTES.fullmatch(name):
                if one.tag in ("img", "source", "video", "iframe", "picture") or not _is_address(value):
                    continue
                yield value, 3 if re.search(r"next|more|load|hx-get|api|ajax", name) else 1, False


def _is_address(value: str) -> bool:
    return value.startswith(("/", "?", "http://", "https://", "./")) or bool(
        re.match(r"[\w.-][\w-]*+[/?.][\w./?=&%-]*+\Z", value)
    )


def _of_text(names: Names, most: int) -> Iterator[tuple[str, int, bool]]:
    """Addresses with their holes filled: the number of the page, and what page and script state under a hole's name."""
    text = names.text
    for match in _TEXT.finditer(text):
        base, before = _base(names, match["text"], text[max(0, match.start() - 60) : match.start()])
        addresses, holes = [base], False
        for literal, hole in _pieces(match["text"], match["rest"]):
            addresses = [address + literal for address in addresses]
            if hole:
                values, is_number = _values_of(hole, addresses[0], names)
                if holes and not values and not literal:
                    break  # what is put on where there is one: page + (cat ? "&cat=" + cat : "")
                addresses = [address + value for address in addresses for value in values][:most]
                holes = holes or is_number
                if not addresses:
                    break
        for address in filter(None, addresses):
            yield address, 3 * bool(_CALLED.search(before)) + 1, holes


def _base(names: Names, address: str, before: str) -> tuple[str, str]:
    """What is put before an address, by a name of its own or for the whole API; and the text before that."""
    match = _BEFORE.search(before)
    name = match[1].rpartition(".")[2] if match else "baseURL"
    before = before[: match.start()] if match else before
    base = next(iter(names.texts(name)), "") if address.startswith("/") and (match or _CALLED.search(before)) else ""
    return base.rstrip("/") if base.startswith(("http://", "https://", "/")) else "", before


def _pieces(text: str, rest: str) -> Iterator[tuple[str, str]]:
    """Literal texts, each with the hole that follows it ("" at the end)."""
    at = 0
    for match in _HOLE.finditer(text):
        yield text[at : match.start()], match[1]
        at = match.end()
    tail = text[at:]
    for match in _JOINED.finditer(rest):
        if match[1]:
            yield tail, match[1]
            tail = ""
        else:
            tail += match[2] or ""
    yield tail, ""


def _values_of(hole: str, before: str, names: Names) -> tuple[Sequence[str], bool]:
    """What a hole in an address may stand for, and whether that is the number of the page, or where it begins."""
    if usual := _OR_ELSE.search(hole):
        return (usual[1],), False
    words = _WORD.findall(hole)
    name = words[0 if hole.endswith("]") else -1] if words else ""
    key = re.split(r"[?&/]", before.rstrip("="))[-1].lower() if before.endswith("=") else ""
    first = names.number(name)
    if key in START_KEYS or name.lower() in START_KEYS:
        return ("0",), True
    if key in PAGE_KEYS or name.lower() in PAGE_KEYS or "page" in name.lower():
        return (str(1 if first is None else first),), True
    if key in _SIZE_KEYS:
        return (str(first or _USUAL_SIZE),), False
    read = names.read(hole, name, last=key in CURSOR_KEYS) or (names.cursor if key in CURSOR_KEYS else "")
    if read or key in CURSOR_KEYS:
        return ((read,) if read else ()), key in CURSOR_KEYS
    if (stated := names.stated(name)) or (stated := hole.strip("()")).isdecimal():
        return (stated,), False
    return names.texts(name) or ((str(first),) if first is not None else names.sections(name)), False


def asks_behind(url: str) -> bool:
    """Whether an address asks for what comes behind an entry."""
    return _CURSOR_QUERY.search(url) is not None


def cursor_after(page: Page, url: str) -> str | None:
    """The address with the cursor of a fragment's last entry, where it asks for what comes behind one; else None.

    The entry has it in an attribute (``data-id``); which, its likeness to the cursor that was asked for tells.
    """
    match = _CURSOR_QUERY.search(url)
    if match is None:
        return None
    asked = match["value"]
    for element in reversed(page.elements):
        one: Any = element
        for value in [v for name, v in one.items() if name.startswith("data-")]:
            alike = value.isdecimal() == asked.isdecimal() and abs(len(value) - len(asked)) <= 1
            if alike and re.fullmatch(r"[\w.:+/=-]{1,80}", value):
                on = url[: match.start("value")] + quote(value, safe="") + url[match.end("value") :]
                return on if value != asked else None
    return None
