"""The addresses that a script's text puts together, with the number of the page and what is asked for beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.sources.bases import CALLED, base_of
from articlebot.sources.counters import counts_behind
from articlebot.sources.counting import CURSOR_KEYS, START_KEYS
from articlebot.sources.handed import COUNTS, HANDED, hands_as_begun, paged
from articlebot.sources.holes import WORD, values_of
from articlebot.sources.json_queries import as_json
from articlebot.sources.names import Names
from articlebot.urls import asking

# What stands for the page's number in an attribute or a text: /fragments/{page}, /more?p=__PAGE__.
HOLDER = re.compile(
    r"\{\{?\s?(?:page(?:_?num(?:ber)?|no)?|p|n|num)\s?\}\}?|__page__|%page%|\[page\]|#page#|:page\b", re.I
)
# What a script takes where it has nothing: section || "all".
_OR = r"(?:\s{0,3}(?:\|\||\?\?)\s{0,3}(?:[\"'`][\w./-]{0,40}[\"'`]|[\w.]{1,20}))?+"
# What it reads from an attribute in its place: b.data("cat"), document.getElementById("list").dataset.cat.
_DATA = (
    r"(?:document\.)?[\w$]{1,40}(?:\((?:[\w$.]{1,20}|[\"'][\w.#\s>-]{1,60}[\"'])\))?"
    r"\.(?:(?:data|attr|getAttribute)\([\"'][\w-]{1,40}[\"']\)|dataset\.\w{1,40})"
)
# A text that is an address of the site, with what is put into it or after it.
_TEXT = re.compile(
    r"""(?P<quote>["'`])(?P<text>(?:(?:https?:/)?|\$\{[\w.$]{1,60}\})/(?:\$\{[^{}`]{1,80}\}|[^"'`\s<>\\]){1,300}+|[\w./-]{1,80}\.(?:json|php|aspx?|jsp)[^"'`\s<>\\]{0,200}
    |[?&][\w.-]{1,40}=[\w.=&$\{\}-]{0,200}|[\w-]{1,40}(?:/[\w-]{1,40}){1,5}+(?:\?[^"'`\s<>\\]{0,200}+)?)(?P=quote)
    (?P<rest>(?:\s*\+\s*(?:"""
    + _DATA
    + r"""|\(?(?:\+\+)?[\w.$\[\]()]{1,60}(?:\+\+)?"""
    + _OR
    + r"""\)?|["'`][^"'`\s<>\\]{0,100}["'`])){0,20})""",
    re.X,
)
_HOLE = re.compile(r"\$\{([^{}]{1,80})\}")
_JOINED = re.compile(
    rf"(?:(?<!\s)\s+)?\+\s*+(?:\(?(?:\+\+)?({_DATA}|[\w.$\[\]()]{{1,60}}(?:\+\+)?{_OR})\)?|[\"'`]([^\"'`\s<>\\]{{0,100}})[\"'`])"
)
# fetch("/list", {params: {page: n, size: 20}}), $.getJSON("/list", {page: n}): what is asked for stands behind it.
_PARAMS = re.compile(
    r"\s{0,9},(?P<more>[^{}()]{0,80}?)(?:\{\s{0,9})?(?:(?:params|data|query)[\"']?\s{0,9}:\s{0,9}(?:[\w$]{1,20}\(\s{0,9})?\{|(?<=\{))"
    r"(?P<pairs>[^{}]{1,500})\}"
)
PAIR = re.compile(
    r"[\"']?(?P<key>[A-Za-z_$][\w$.\[\]-]{0,60})[\"']?\s{0,9}(?::\s{0,9}(?P<value>[^,]{1,120}))?(?=,|\s{0,20}\Z)"
)
# Angular's are made one by one: (new HttpParams).set("page", n).
_PARAMS_MADE = re.compile(
    r"(?:URLSearchParams(?:\(\s{0,9}(?:\{(?P<pairs>[^{}]{0,400})\})?|(?![\w(]))|"
    r"\bnew\s[\w$.]{1,40}(?:\(\))?\)?(?=\s{0,40}\.(?:set|append)\())"
)
_PARAM_SET = re.compile(
    r"\.(?:set|append)\(\s{0,9}[\"'](?P<key>[A-Za-z_$][\w$-]{0,40})[\"']\s{0,9},\s{0,9}(?P<value>[^,()]{1,80}(?:\([^()]{0,40}\))?)\s{0,9}\)"
)
_AS_TEXT = re.compile(r"\.toString\(\)|\bString\(|\)\Z")
_NONCE = re.compile(r"\(?(?:new\Z|Date\.now|Math\.random)")
_LAST_KEY = re.compile(r"[?&]\w{1,20}=\Z")
_ASKS = re.compile(r"(?:(?<=\?)|&)[\w.-]{1,40}=\Z")
_ASKS_ON = re.compile(rf"[?&](?:{'|'.join(sorted(CURSOR_KEYS))})=\Z", re.I)
_MADE_URL = re.compile(r"\bnew URL\(\s{0,9}\Z")
_BEGINS_WITH = re.compile(
    r"(?<![\w$.])(?P<given>[A-Za-z_$][\w$]{0,40})\s{0,9}\|\|\s{0,9}\(\s{0,9}(?P=given)\s{0,9}=\s{0,9}(?P<first>[01])\s{0,9}\)[;,]"
    r"[^;]{0,80}?(?<![\w$.])(?P<called>[A-Za-z_$][\w$]{0,40})\(\s{0,9}(?P=given)\s{0,9}\)"
)
_MADE_BY = re.compile(r"function\s{1,9}([A-Za-z_$][\w$]{0,40})\([^()]{0,80}\)\s{0,9}\{[^{}]{0,80}\Z")
# Characters in which the parameters of an address are put together, before or behind it.
_NEAR, _AROUND, _BESIDE, _MOST_COUNTS = 600, 300, 20, 1000
# The object's own word before the address, $.ajax({type: "POST", url: "/roll"}), or the function's.
_BY_POST = re.compile(
    r"\.post\(\s{0,9}\Z|\.open\(\s{0,9}[\"']post[\"'],\s{0,9}\Z|[{,]\s{0,9}(?:type|method)[\"']?\s{0,4}:\s{0,4}[\"']post[\"'][^{}]{0,60}\Z",
    re.I,
)
_POSTED = re.compile(
    r"\s{0,9},\s{0,9}\{?(?:[^{}]|\{[^{}]{0,120}\}){0,160}?\b(?:type|method)[\"']?\s{0,4}:\s{0,4}[\"']post[\"']", re.I
)
# What is asked for at an address that has a name: $.get(ajax.url, {action: "more", page: n}),
# {url: API.list, data: {page: n}}.
_OF_NAME = re.compile(
    r"(?:(?:\bget|getJSON|axios|ajax)\(\s{0,9}[\w$.]{0,40}?(?P<name>[A-Za-z_$][\w$]{0,40})(?=\s{0,9},\s{0,9}\{)|"
    r"\burl[\"']?\s{0,9}:\s{0,9}[\w$.]{0,40}?(?P<url>[A-Za-z_$][\w$]{0,40})(?=\s{0,9},))"
)
# What such an object says of the request itself.
_OPTIONS = frozenset("method headers datatype success error timeout credentials signal".split())
# What follows the parenthesis that ends the call around a name: n).then(f
_CLOSED = re.compile(r"(?<![(\])\"'])\)[.\w$()]{1,60}\Z")
_AS_JSON = re.compile(r"\bJSON\.stringify\(")


class Told(NamedTuple):
    """An address that is put together, absolute or not.

    Attributes:
        said: the greater, the likelier it is asked for.
        counts: pages or entries, or has what may stand for their number.
        as_begun: it is asked for first with the number with which the script begins.
    """

    address: str
    said: int
    counts: bool
    as_begun: bool = False


def of_text(names: Names, most: int) -> Iterator[Told]:
    """Addresses with their holes filled: the number of the page, and what page and script state under a hole's name."""
    text = names.text
    for match in _TEXT.finditer(text):
        base, before = base_of(names, match["text"], text[max(0, match.start() - 60) : match.start()])
        if base is None:
            continue
        addresses, holes, params, untold = _filled(match, base, names, most)
        called = bool(CALLED.search(before))
        if untold and not (called and holes):
            continue
        asked = _asked_behind(text, match.end(), handed=not holes) if called else _given_beside(text, match)
        if asked is None or _BY_POST.search(before) or (called and _POSTED.match(text, match.end())):
            continue
        params = asked or params or _made_behind(match)
        if _MADE_URL.search(before):
            called, params = True, _set_in(text[match.end() : match.end() + _NEAR])
        if params:
            addresses, counts = _asked([one.rstrip("?&") for one in addresses], params, names, most)
            holes = holes or counts
        by = {*WORD.findall(f"{match[0]} {params}")}
        as_begun = called and holes and counts_behind(text, match.start(), match.end(), by)
        as_begun = as_begun or (called and holes and any(map(names.is_handed, by)))
        as_begun = as_begun or (bool(asked) and asked == paged(text) and hands_as_begun(text))
        for address in filter(None, addresses):
            yield Told(address, 3 * called + 1 - untold, holes, as_begun)


def _filled(match: re.Match[str], base: str, names: Names, most: int) -> tuple[list[str], bool, str, bool]:
    """The addresses of a text with its holes filled, and whether one counts pages or entries; what is asked for behind
    them; whether something was left out that nobody tells, as the order of a list: servers have a value of their own.
    """
    addresses, holes, params, untold = [base], False, "", False
    for piece, hole in _pieces(match["text"], match["rest"]):
        literal = HOLDER.sub("1", piece) if "{" in piece or "__" in piece else piece
        holes = holes or literal != piece
        addresses = [_behind(address, literal) for address in addresses]
        if hole and literal.endswith(("?", "&")):
            params = _set_before(match.string[max(0, match.start() - _NEAR) : match.start()])
            if params or literal.endswith("?"):
                break
        if hole:
            values, is_number = _put_in(hole, addresses[0], match, names)
            if not values and (literal[-1:].isalnum() or (holes and not literal)):
                break  # what is put on where there is one: page + (cat ? "&cat=" + cat : "")
            if not values and all(map(_ASKS_ON.search, addresses)):  # the script begins with nothing: let last = ""
                holes = True
                continue
            if not values and all(map(_ASKS.search, addresses)):
                addresses, untold = [_ASKS.sub("", address) for address in addresses], True
                continue
            addresses = [address + value for address in addresses for value in values][:most]
            holes = holes or is_number
            if not addresses:
                break
    return addresses, holes, params, untold


def _behind(address: str, literal: str) -> str:
    """An address that goes on with a text; what was left out before may have left its separator."""
    return address + (literal[1:] if address.endswith("?") and literal.startswith("&") else literal)


def of_names(names: Names, most: int) -> Iterator[Told]:
    """Addresses that have a name, with the number of the page among what is asked for."""
    for match in _OF_NAME.finditer(names.text):
        pairs = _asked_behind(names.text, match.end(), handed=False) or ""
        if _BY_POST.search(names.text[max(0, match.start() - _BESIDE) : match.start()]):
            continue
        base = next(iter(names.texts("baseURL")), "").rstrip("/")
        at = [base + one if one.startswith("/") else one for one in names.texts(match["name"] or match["url"])[:1]]
        addresses, counts = _asked(at, pairs, names, most)
        as_begun = counts and counts_behind(names.text, match.start(), match.end(), {*WORD.findall(pairs)})
        yield from (Told(address, 4, True, as_begun) for address in addresses if counts)


def _asked_behind(text: str, end: int, *, handed: bool) -> str | None:
    """The pairs of the object behind an address, "" without one, None where it is sent by POST.

    Args:
        handed: also where the object is handed over, and stands elsewhere.
    """
    if handed and (given := HANDED.match(text, end)):
        before = text[max(0, end - _NEAR) : end]
        return None if "post" in given[0].lower() else paged(text) or _set_before(before)
    behind = _PARAMS.match(text, end)
    return behind["pairs"] if behind and "post" not in behind["more"].lower() else ""


def _given_beside(text: str, match: re.Match[str]) -> str:
    """The same of a function of any name, where what it is given counts: useFetch("/list", {query: {page: n}})."""
    behind = _PARAMS.match(text, match.end()) if match.string[match.start() - 1 : match.start()] == "(" else None
    return behind["pairs"] if behind and COUNTS.search("{" + behind["pairs"] + "}") else ""


def _set_before(text: str) -> str:
    """The pairs of the parameters that a script has put together last: ``new URLSearchParams({size: 12})``."""
    made = [*_PARAMS_MADE.finditer(text)][-1:]
    return ", ".join(filter(None, [made[0]["pairs"] or "", _set_in(text[made[0].start() :])])) if made else ""


def _made_behind(match: re.Match[str]) -> str:
    """The pairs of the parameters that are put together right behind an address that ends where they belong."""
    made = _PARAMS_MADE.search(match.string, match.end(), match.end() + _NEAR) if match["text"][-1] in "?&" else None
    return (made["pairs"] or "") if made and made.start() - match.end() <= _BESIDE else ""


def _set_in(text: str) -> str:
    """The pairs that a script sets: ``params.set("page", String(n))``."""
    return ", ".join(f"{one['key']}: {_AS_TEXT.sub('', one['value'])}" for one in _PARAM_SET.finditer(text))


def _asked(addresses: Sequence[str], pairs: str, names: Names, most: int) -> tuple[list[str], bool]:
    """Addresses with the parameters of an object behind them, and whether one of these counts pages or entries."""
    counts, made = False, list(addresses)
    values: Sequence[str]
    numbered = any(one["key"].lower() in PAGE_KEYS | START_KEYS for one in PAIR.finditer(pairs))
    for one in PAIR.finditer(pairs):
        key, value = one["key"], (one["value"] or one["key"]).strip()
        if key.lower() in _OPTIONS or value.strip("\"'`").lower() in ("get", "post"):
            continue
        literal = re.fullmatch(r"[\"'`]([\w./:-]{0,80})[\"'`]", value)
        # Of the sections that an answer names, a script may have the first.
        said = literal and (names.listed(key) or (literal[1],))
        values, is_number = (said, False) if said else values_of(value, f"{key}=", names)
        if not (values or numbered) and key.lower() in CURSOR_KEYS:  # the script begins with nothing: let last = ""
            values, is_number = ("",), True
        made = [
            asking(url, f"{quote(key)}={quote(v, safe='')}") for url in made for v in values
        ][:most] or made  # fmt: skip
        counts = counts or is_number
    return made, counts


def _asked_pairs(pairs: str, names: Names) -> Iterator[tuple[str, str]]:
    """What the pairs of an object ask for; nothing of those that nobody tells."""
    for one in PAIR.finditer(pairs):
        key, value = one["key"], (one["value"] or one["key"]).strip()
        literal = re.fullmatch(r"[\"'`]([\w ./:-]{0,80})[\"'`]", value)
        values = (literal[1],) if literal else values_of(value, f"{key}=", names)[0]
        yield from ((key, said) for said in values[:1])


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


def _put_in(hole: str, before: str, match: re.Match[str], names: Names) -> tuple[Sequence[str], bool]:
    """The same as ``values_of`` of a hole where it stands: what its function is given may be a number by default."""
    if _AS_JSON.search(hole):  # "?query=" + encodeURIComponent(JSON.stringify(asked))
        asked = as_json([*_asked_pairs(paged(names.text), names)]) if paged(names.text) else ""
        return ((asked,) if asked else ()), True
    by = _MADE_BY.search(names.text, max(0, match.start() - _AROUND), match.start()) if hole.isidentifier() else None
    if first := _begun(names.text).get(by[1]) if by else None:
        return (first,), True
    return values_of(hole, before, names)


@lru_cache(maxsize=4)
def _begun(script: str) -> dict[str, str]:
    """With which number functions are asked first, as others say that hand on to them what they are given.

    ``async function more(n) { n || (n = 1); const { data } = await list(n) }`` asks ``list(1)``.
    """
    return {match["called"]: match["first"] for match in islice(_BEGINS_WITH.finditer(script), _MOST_COUNTS)}
