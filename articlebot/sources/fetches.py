"""Addresses from which a page's own scripts fetch lists: in attributes of its elements, in its scripts' texts.

Scripts are not run. Their texts are looked through for what they hand to ``fetch`` and its like; of what an address is
put together from, the number of the page is known, and what the page itself states (``data-section="tech"``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from articlebot.extraction.paging import PAGE_KEYS
from articlebot.page import Page
from articlebot.sources.counting import CURSOR_KEYS, SIZE_KEYS, START_KEYS, number_of
from articlebot.sources.names import GIVEN, Attributes, Names
from articlebot.urls import asking, same_site

USUAL_SIZE, _MOST_NAME, _MOST_SCRIPT = 20, 80, 1_000_000
_MOST_LETTERS, _LEAST_TIME = 2, 1_000_000_000
MOST = 30  # a month of days
_ATTRIBUTES = re.compile(
    r"(?:data-(?:[\w-]*-)?(?:url|href|src|api|endpoint|next|more|ajax|load|source|feed|path|page-url|fetch|template|pattern)|hx-get|"
    r"ic-get-from|up-href|data-remote|(?:data-)?infinite-?[\w-]*url)\Z"
)
_ASKED_PAIR, _MOST_ASKED = re.compile(r"[\"'](\w{1,30})[\"']\s?:\s?[\"']([^\"']{0,80})[\"']"), 2000
# What is fetched as the reader scrolls counts its pages, whether its address says so or not.
_SCROLLED = re.compile(r"infinite")
# What stands for the page's number in such an attribute: /fragments/{page}, /more?p=__PAGE__.
_HOLDER = re.compile(
    r"\{\{?\s?(?:page(?:_?num(?:ber)?|no)?|p|n|num)\s?\}\}?|__page__|%page%|\[page\]|#page#|:page\b", re.I
)
# An address that a script puts the number behind: /more?section=4&page=
_UNFILLED = re.compile(rf"[?&](?:{'|'.join(sorted(PAGE_KEYS))})=\Z", re.I)
_ROOT = re.compile(r"/_{0,2}(?:api|v\d{1,2}|rest|gateway|gw)\Z", re.I)
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
# What a script takes where it has nothing: section || "all".
_OR = r"(?:\s{0,3}(?:\|\||\?\?)\s{0,3}(?:[\"'`][\w./-]{0,40}[\"'`]|[\w.]{1,20}))?+"
# What it reads from an attribute in its place: b.data("cat").
_DATA = r"[\w$]{1,40}(?:\([\w$.]{1,20}\))?\.(?:data|attr|getAttribute)\([\"'][\w-]{1,40}[\"']\)"
# A text that is an address of the site, with what is put into it or after it.
_TEXT = re.compile(
    r"""(?P<quote>["'`])(?P<text>(?:(?:https?:/)?|\$\{[\w.$]{1,60}\})/(?:\$\{[^{}`]{1,80}\}|[^"'`\s<>\\]){1,300}+|[\w./-]{1,80}\.(?:json|php|aspx?|jsp)[^"'`\s<>\\]{0,200}
    |\?[\w.=&$\{\}-]{3,200})(?P=quote)
    (?P<rest>(?:\s*\+\s*(?:"""
    + _DATA
    + r"""|\(?(?:\+\+)?[\w.$\[\]()]{1,60}(?:\+\+)?"""
    + _OR
    + r"""\)?|["'`][^"'`\s<>\\]{0,100}["'`])){0,20})""",
    re.X,
)
_CALLED = re.compile(
    r"(?:fetch|get|getJSON|getScript|ajax|axios|load|request|open|useSWR|XMLHttpRequest|EventSource|"
    r"(?:\b|(?:list|ajax|data|req|request)_?)url\s*+[:=]|\.src\s*=|endpoint|api\w{0,30}\s*+[:=]|"
    r"(?:next|more)(?:_?(?:url|page|href))?\s*+[:=])"
    r"[\s(\"'`,{]*+(?:[\"'`]?(?:GET|url)[\"'`]?\s*+[,:]\s*+)?\Z",
    re.I,
)
# What the page itself has in an attribute: el.dataset.url + "?page=", $(el).data("endpoint") + "?page=".
_READ_BEFORE = re.compile(
    r"[\w$.()#'\"-]{0,60}(?:\.dataset\.\w{1,40}|(?:\.data|getAttribute|\.attr)\([\w\"'-]{1,60}\))\s{0,9}\+\s{0,9}\Z"
)
# Of attributes beside an address: those that say how it is shown, and values that are one word.
_OF_SHOW = re.compile(
    r"url|href|src|target|contain|wrap|select|templat|toggle|text|label|load|method|trigger|swap|event|style|class|react|test|v-|\Aid\Z|max|total|pages|last"
)
_WORD_ALONE = re.compile(r"[\w-]{1,40}")
_COUNTED = re.compile(r"(?:page|pages?/|paginated|pagination|list|index|p)[_/-]\Z", re.I)
_BEFORE = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$.]{0,50})\s{0,9}\+\s{0,9}\Z")
_HOLE = re.compile(r"\$\{([^{}]{1,80})\}")
_JOINED = re.compile(
    rf"(?:(?<!\s)\s+)?\+\s*+(?:\(?(?:\+\+)?({_DATA}|[\w.$\[\]()]{{1,60}}(?:\+\+)?{_OR})\)?|[\"'`]([^\"'`\s<>\\]{{0,100}})[\"'`])"
)
# fetch("/list", {params: {page: n, size: 20}}), $.getJSON("/list", {page: n}): what is asked for stands behind it.
_PARAMS = re.compile(
    r"\s{0,9},(?P<more>[^{}()]{0,80}?)(?:\{\s{0,9})?(?:(?:params|data|query)[\"']?\s{0,9}:\s{0,9}\{|(?<=\{))"
    r"(?P<pairs>[^{}]{1,500})\}"
)
PAIR = re.compile(
    r"[\"']?(?P<key>[A-Za-z_$][\w$.\[\]-]{0,60})[\"']?\s{0,9}(?::\s{0,9}(?P<value>[^,]{1,120}))?(?=,|\s{0,20}\Z)"
)
_PARAMS_MADE = re.compile(r"URLSearchParams(?:\(\s{0,9}(?:\{(?P<pairs>[^{}]{0,400})\})?|(?![\w(]))")
_PARAM_SET = re.compile(
    r"\.(?:set|append)\(\s{0,9}[\"'](?P<key>[A-Za-z_$][\w$-]{0,40})[\"']\s{0,9},\s{0,9}(?P<value>[^,()]{1,80}(?:\([^()]{0,40}\))?)\s{0,9}\)"
)
_AS_TEXT = re.compile(r"\.toString\(\)|\bString\(|\)\Z")
_NONCE = re.compile(r"\(?(?:new\Z|Date\.now|Math\.random)")
_LAST_KEY = re.compile(r"[?&]\w{1,20}=\Z")
_MADE_URL = re.compile(r"\bnew URL\(\s{0,9}\Z")
# Characters in which the parameters of an address are put together, before or behind it.
_NEAR, _BESIDE = 600, 20
# request({url: "/list", method: "get", params: e}): what is asked for stands where that function is called.
_HANDED = re.compile(
    r"\s{0,9},[^{}()]{0,80}?(?:\{\s{0,9})?(?:params|data|query)[\"']?\s{0,9}(?::\s{0,9}[\w$.]{1,40})?\s{0,9}\}"
)
_COUNTS = re.compile(rf"(?<=[{{,\s\"'])(?:{'|'.join(sorted(PAGE_KEYS))})[\"']?\s{{0,4}}[:,}}]", re.I)
_IS_HANDED = re.compile(r"(?:\(|(?:params?|query|form|data|req)\w{0,20}\s{0,4}[:=])\s{0,20}\Z", re.I)
_AROUND, _MOST_COUNTS = 300, 1000
# The object's own word before the address: $.ajax({type: "POST", url: "/roll"}).
_BY_POST = re.compile(r"[{,]\s{0,9}(?:type|method)[\"']?\s{0,4}:\s{0,4}[\"']post[\"'][^{}]{0,60}\Z", re.I)
# What is asked for at an address that has a name: $.get(ajax.url, {action: "more", page: n}).
_OF_NAME = re.compile(
    r"(?:\bget|getJSON|axios|ajax)\(\s{0,9}[\w$.]{0,40}?(?P<name>[A-Za-z_$][\w$]{0,40})(?=\s{0,9},\s{0,9}\{)"
)
# What such an object says of the request itself.
_OPTIONS = frozenset("method headers datatype success error timeout credentials signal".split())
# What follows the parenthesis that ends the call around a name: n).then(f
_CLOSED = re.compile(r"(?<![(\])])\)[.\w$()]{1,60}\Z")
_OR_ELSE = re.compile(r"(?:\|\||\?\?)\s{0,9}[\"'`]([\w./-]{0,80})[\"'`]")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


class Fetch(NamedTuple):
    """An address that may answer with a list.

    Attributes:
        url: absolute, of the list's first page where ``paged``.
        paged: it has a number of pages or entries, which ``page_of`` changes.
        rank: the greater, the likelier.
        ahead: the page's head has it fetched ahead, as generators do with all that a page may show.
    """

    url: str
    paged: bool
    rank: int
    ahead: bool = False


def fetches(page: Page, script: str | None = None, menu: Sequence[Mapping[str, str]] = ()) -> list[Fetch]:
    """The likeliest addresses, the best first, 30 at most; with a menu as many more as it has sections.

    Where an API begins lists nothing: what is asked for stands behind it.

    Args:
        page: whose elements and scripts are looked through.
        script: another script of the page, to be looked through instead.
        menu: what an answer of the site calls its sections, each by field.
    """
    found: dict[str, Fetch] = {}
    ahead = set() if script is not None else {page.resolve(url) for url in _ahead(page)}
    attributes, own = Attributes(page), own_scripts(page)
    # What Next.js streams stands in strings: \"nextCursor\":\"b2Zm\".
    beside = Names("\n".join(own)[:_MOST_SCRIPT].replace('\\"', '"'), attributes)
    texts = [script] if script is not None else own
    each = (Names(text[:_MOST_SCRIPT], attributes, menu, beside) for text in texts)
    counted: list[tuple[str, int, bool]] = []
    stated = [] if script is not None else [*_of_attributes(page, counted), *_of_units(page)]
    told = [one for names in each for find in (_of_text, _of_names) for one in find(names, MOST + len(menu))]
    # A script that puts such an address together itself knows better.
    put_together = {url.partition("?")[0] for url, _, _ in told}
    made = [*stated, *told, *(one for one in counted if one[0].partition("?")[0] not in put_together)]
    for address, said, holes in made:
        url = page.resolve(address)
        # An API elsewhere is another site's.
        if not same_site(url, page.url) or _FILES.search(urlsplit(url).path) or url.partition("#")[0] == page.url:
            continue
        where = urlsplit(url)
        if "/:" in where.path:  # the pattern of an address, "/posts/:id"
            continue
        place, counts = f"{where.path}?{where.query}", number_of(url) is not None
        rank = said + 2 * bool(_LIST_WORDS.search(place) or (holes and counts)) - 4 * bool(_OTHER.search(place))
        one = Fetch(url, holes or counts, rank + holes, url in ahead)
        if rank > 1 and (url not in found or one.rank > found[url].rank):
            found[url] = one
    best = sorted(found.values(), key=lambda one: -one.rank)[: MOST + len(menu)]
    roots = {one.url for one in best if _ROOT.search(one.url)}
    return [one for one in best if one.url not in roots or not any(two.url.startswith(one.url + "/") for two in best)]


def own_scripts(page: Page) -> list[str]:
    """The texts of the scripts that stand in a page, those of components in attributes (Alpine) behind them."""
    texts = [one.text or "" for one in page.by_tag["script"] if not one.get("src")]
    inside = (one.get("x-data") for one in page.elements) if "x-data" in page.text else ()
    return [*texts, *filter(None, inside)]


def _ahead(page: Page) -> Iterator[str]:
    """What the page's head has fetched ahead."""
    for link in page.by_tag["link"]:
        if "preload" in (link.get("rel") or "").lower() and link.get("as") == "fetch" and link.get("href"):
            yield link.get("href") or ""


def _of_attributes(page: Page, counted: list[tuple[str, int, bool]]) -> Iterator[tuple[str, int, bool]]:
    """What attributes name; into ``counted`` what has its parameters in attributes of their own."""
    yield from ((url, 3, False) for url in _ahead(page))
    for element in page.elements:
        one: Any = element
        if one.tag == "amp-list" and one.get("src"):
            yield one.get("src"), 3, False
        for name, value in one.items():
            if ("-" in name) and value and len(value) < 500 and _ATTRIBUTES.fullmatch(name):
                if one.tag in ("img", "source", "video", "iframe", "picture") or not _is_address(value):
                    continue
                holes = (address := _HOLDER.sub("1", f"{value}1" if _UNFILLED.search(value) else value)) != value
                if not holes and _SCROLLED.search(name) and number_of(page.resolve(address)) is None:
                    address, holes = asking(address, "page=1"), True
                elif not holes and "?" not in value and (beside := asked_beside(one)):
                    counted.append((f"{value}?{beside}", 3, True))
                    continue
                yield address, 3 if holes or re.search(r"next|more|load|hx-get|api|ajax", name) else 1, holes


def _of_units(page: Page) -> Iterator[tuple[str, int, bool]]:
    """What the units of Hanweb's JPAAS fetch, of which many Chinese public bodies make their lists.

    A script stands where the list is to be, with its address and, in an attribute, what is asked for.
    """
    for script in page.by_tag["script"]:
        address, asked = script.get("url"), (script.get("querydata") or "")[:_MOST_ASKED]
        if address and (pairs := _ASKED_PAIR.findall(asked)):
            query = urlencode([*pairs, ("paramJson", '{"pageNo":1,"pageSize":15}')])
            yield f"{address}?{query}", 3, True


def asked_beside(element: Any) -> str:
    """What is asked for by the attributes beside an address, data-offset="8" data-limit="8"; "" where none counts."""
    pairs = [(name.removeprefix("data-"), v) for name, v in element.items() if v and len(v) <= _MOST_NAME]
    counts = PAGE_KEYS | START_KEYS | CURSOR_KEYS
    asked = [(name, v) for name, v in pairs if name in counts | SIZE_KEYS or _is_asked_too(name, v)]
    return urlencode(asked) if any(name in counts for name, _ in asked) else ""


def _is_asked_too(name: str, value: str) -> bool:
    """Whether an attribute beside the address and the page's number may be asked for, data-section="town"."""
    return _OF_SHOW.search(name) is None and _WORD_ALONE.fullmatch(value) is not None


def _is_address(value: str) -> bool:
    return re.match(r"[/?]|https?://|\./|[\w.-][\w-]*+[/?.][\w./?=&%-]*+\Z", value) is not None


def _of_text(names: Names, most: int) -> Iterator[tuple[str, int, bool]]:
    """Addresses with their holes filled: the number of the page, and what page and script state under a hole's name."""
    text = names.text
    for match in _TEXT.finditer(text):
        base, before = _base(names, match["text"], text[max(0, match.start() - 60) : match.start()])
        if base is None:
            continue
        addresses, holes, params = [base], False, ""
        for piece, hole in _pieces(match["text"], match["rest"]):
            literal = _HOLDER.sub("1", piece) if "{" in piece or "__" in piece else piece
            holes = holes or literal != piece
            addresses = [address + literal for address in addresses]
            if hole and literal.endswith("?"):
                params = _set_before(text[max(0, match.start() - _NEAR) : match.start()])
                break
            if hole:
                values, is_number = _values_of(hole, addresses[0], names)
                if not values and (literal[-1:].isalnum() or (holes and not literal)):
                    break  # what is put on where there is one: page + (cat ? "&cat=" + cat : "")
                addresses = [address + value for address in addresses for value in values][:most]
                holes = holes or is_number
                if not addresses:
                    break
        called = bool(_CALLED.search(before))
        asked = _asked_behind(text, match.end(), handed=not holes) if called else ""
        if asked is None or (called and _BY_POST.search(before)):
            continue
        params = asked or params or _made_behind(match)
        if _MADE_URL.search(before):
            called, params = True, _set_in(text[match.end() : match.end() + _NEAR])
        if params:
            addresses, counts = _asked([one.rstrip("?") for one in addresses], params, names, most)
            holes = holes or counts
        for address in filter(None, addresses):
            yield address, 3 * called + 1, holes


def _of_names(names: Names, most: int) -> Iterator[tuple[str, int, bool]]:
    """Addresses that have a name, with the number of the page among what is asked for."""
    for match in _OF_NAME.finditer(names.text):
        pairs = _asked_behind(names.text, match.end(), handed=False) or ""
        addresses, counts = _asked(names.texts(match["name"])[:1], pairs, names, most)
        yield from ((address, 4, True) for address in addresses if counts)


def _asked_behind(text: str, end: int, *, handed: bool) -> str | None:
    """The pairs of the object behind an address, "" without one, None where it is sent by POST.

    Args:
        handed: also where the object is handed over, and stands elsewhere.
    """
    if handed and (given := _HANDED.match(text, end)):
        return None if "post" in given[0].lower() else paged(text)
    behind = _PARAMS.match(text, end)
    return behind["pairs"] if behind and "post" not in behind["more"].lower() else ""


def _set_before(text: str) -> str:
    """The pairs of the parameters that a script has put together last: ``new URLSearchParams({size: 12})``."""
    made = [*_PARAMS_MADE.finditer(text)][-1:]
    return ", ".join(filter(None, [made[0]["pairs"] or "", _set_in(text[made[0].start() :])])) if made else ""


def _made_behind(match: re.Match[str]) -> str:
    """The pairs of the parameters that are put together right behind an address that ends where they belong."""
    made = _PARAMS_MADE.search(match.string, match.end(), match.end() + _NEAR) if match["text"][-1] == "?" else None
    return (made["pairs"] or "") if made and made.start() - match.end() <= _BESIDE else ""


def _set_in(text: str) -> str:
    """The pairs that a script sets: ``params.set("page", String(n))``."""
    return ", ".join(f"{one['key']}: {_AS_TEXT.sub('', one['value'])}" for one in _PARAM_SET.finditer(text))


@lru_cache(maxsize=4)
def paged(script: str) -> str:
    """The pairs of the first object with the number of a page that a script hands to a function, "" without one."""
    for match in islice(_COUNTS.finditer(script), _MOST_COUNTS):
        start, end = max(0, match.start() - _AROUND), match.start() + _AROUND
        before, brace, pairs = script[start : match.start()].rpartition("{")
        behind, closing, _ = script[match.start() : end].partition("}")
        if brace and closing and "}" not in pairs and "{" not in behind and _IS_HANDED.search(before):
            return pairs + behind
    return ""


def _asked(addresses: Sequence[str], pairs: str, names: Names, most: int) -> tuple[list[str], bool]:
    """Addresses with the parameters of an object behind them, and whether one of these counts pages or entries."""
    counts, made = False, list(addresses)
    for one in PAIR.finditer(pairs):
        key, value = one["key"], (one["value"] or one["key"]).strip()
        if key.lower() in _OPTIONS or value.strip("\"'`").lower() in ("get", "post"):
            continue
        literal = re.fullmatch(r"[\"'`]([\w./:-]{0,80})[\"'`]", value)
        # Of the sections that an answer names, a script may have the first.
        said = literal and (names.listed(key) or (literal[1],))
        values, is_number = (said, False) if said else _values_of(value, f"{key}=", names)
        made = [
            asking(url, f"{quote(key)}={quote(v, safe='')}") for url in made for v in values
        ][:most] or made  # fmt: skip
        counts = counts or is_number
    return made, counts


def _base(names: Names, address: str, before: str) -> tuple[str | None, str]:
    """What is put before an address, None where that cannot be told, by a name of its own or for the whole API; and the
    text before that.
    """
    if read := _READ_BEFORE.search(before):
        return names.read(read[0], "", last=False) or None, before[: read.start()]
    if (handed := GIVEN.search(before)) and (base := names.wrappers.get(handed[1])):
        return base.rstrip("/"), "fetch("
    match = _BEFORE.search(before)
    if match and address.startswith("?"):
        called = match[1].rpartition(".")[2]
        if base := names.read("", called, last=False) or next(iter(names.texts(called)), ""):
            before = before[: match.start()]
            if base.startswith("/") and (root := _BEFORE.search(before)):  # API + LISTS.news + "?page="
                at = next(iter(names.texts(root[1].rpartition(".")[2])), "")
                base, before = at.rstrip("/") + base, before[: root.start()]
            return base, before
    name = match[1].rpartition(".")[2] if match else "baseURL"
    before = before[: match.start()] if match else before
    base = next(iter(names.texts(name)), "") if address.startswith("/") and (match or _CALLED.search(before)) else ""
    if base and not base.startswith(("http://", "https://", "/")):
        return (None if match else ""), before  # the middle of an address that is put together elsewhere
    return base.rstrip("/"), before


def _pieces(text: str, rest: str) -> Iterator[tuple[str, str]]:
    """Literal texts, each with the hole that follows it ("" at the end)."""
    at = 0
    for match in _HOLE.finditer(text):
        yield text[at : match.start()], match[1]
        at = match.end()
    tail = text[at:]
    for match in _JOINED.finditer(rest):
        if match[1] and _NONCE.match(match[1]):  # keeps caches out: "&_=" + new Date().getTime()
            yield _LAST_KEY.sub("", tail), ""
            return
        if match[1]:
            yield tail, _CLOSED.sub("", match[1])
            tail = ""
        else:
            tail += match[2] or ""
    yield tail, ""


def _values_of(hole: str, before: str, names: Names) -> tuple[Sequence[str], bool]:
    """What a hole in an address may stand for, and whether that is the number of the page, or where it begins."""
    usual = _OR_ELSE.search(hole)
    if usual and usual[1]:
        return (usual[1],), False
    words = _WORD.findall(hole.partition("||")[0])
    name = words[0 if hole.endswith("]") else -1] if words else ""
    key = re.split(r"[?&/\[]", before.rstrip("]="))[-1].lower() if before.endswith("=") else ""
    first = int(hole) if hole.isdecimal() else names.number(name)
    if key in START_KEYS or name.lower() in START_KEYS:
        return ("0",), True
    if key in SIZE_KEYS or name.lower() in SIZE_KEYS:
        return (str(first or names.read(hole, name, last=False) or USUAL_SIZE),), False
    if key in PAGE_KEYS or name.lower() in PAGE_KEYS or "page" in name.lower():
        return (str(1 if first is None else first),), True
    # /river/town/${last}: what is put there is told by its own name, too.
    is_cursor = key in CURSOR_KEYS or (before.endswith("/") and name.lower() in CURSOR_KEYS)
    read = names.read(hole, name, last=is_cursor) or (names.cursor if key in CURSOR_KEYS else "")
    if not read and key in CURSOR_KEYS:  # what the page's data state under the name that it is sent as
        read = str(names.number(key) or "")
    if not read and first is not None and first >= _LEAST_TIME:  # the page states since when, whatever that is called
        read, is_cursor = str(first), True
    if read or key in CURSOR_KEYS:
        return ((read,) if read else ()), is_cursor
    if _COUNTED.search(before) and not names.texts(name):
        return (str(1 if first is None else first),), True
    if (stated := names.stated(name)) or (stated := hole.strip("()")).isdecimal():
        return (stated,), False
    if each := names.listed(name):
        return each, False
    found = names.texts(name) or (
        (str(first),) if first is not None else names.sections(name if len(name) > 2 else key)
    )
    # A compiler leaves one letter of a name: the page's data may have it under what it is sent as.
    found = found or (names.texts(key) if key and len(name) <= _MOST_LETTERS else ())
    return found or (("",) if usual else ()), False
