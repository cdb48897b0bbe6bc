"""Lists that a page's own scripts fetch by POST: the address, and what is sent, read out of the scripts' texts.

What is sent is kept as the query of the address, so that a list by POST has one address like any other. ``Job.forms``
and ``Job.json_forms`` name the addresses whose query is sent instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.page import Page
from articlebot.sources.asked_for import PAIR
from articlebot.sources.attributes import MOST_VALUES, Attributes
from articlebot.sources.counters import counts_behind
from articlebot.sources.counting import CURSOR_KEYS, SIZE_KEYS, START_KEYS
from articlebot.sources.data import TITLES
from articlebot.sources.fetches import OTHER, own_scripts
from articlebot.sources.handed import hands_as_begun, paged
from articlebot.sources.holes import OF_ROUTE, USUAL_SIZE
from articlebot.sources.names import OF_SECTION, Names
from articlebot.urls import asking, canonical_or_none, same_site

_MOST, _MOST_SCRIPT = 3, 1_000_000
# Requests that are looked at, .4 ms each: of 959 files of the corpus none has more than 36.
_MOST_REQUESTS = 1000
# Characters around the word POST in which its address and what is sent stand.
_BEFORE, _BEHIND = 300, 600
_POST = re.compile(
    r"\.post\(|\.open\(\s{0,9}[\"']POST[\"']\s{0,9},|(?:method|type)[\"']?\s{0,9}:\s{0,9}[\"']POST[\"']", re.I
)
_PLACE = (
    r"(?:[\"'`](?:\$\{(?P<base>[\w$.]{1,60})\})?(?P<literal>[^\"'`\s<>${}]{1,300})[\"'`]|"
    r"(?P<name>[A-Za-z_$][\w$.]{0,80})(?:\s{0,9}\+\s{0,9}[\"'`](?P<rest>[^\"'`\s<>${}]{1,300})[\"'`])?)"
)
# Of jQuery and ``fetch``, an object is sent as a form unless it says otherwise; of axios and its like, as JSON.
_FORMS = re.compile(r"(?:\$|jQuery)(?:\.ajax\b[^;]*)?\Z|\bfetch\(")
_FIRST = re.compile(rf"\s{{0,9}}{_PLACE}")
_URL = re.compile(rf"\burl[\"']?\s{{0,9}}:\s{{0,9}}{_PLACE}")
_FETCH = re.compile(rf"(?:fetch|open|request)\(\s{{0,9}}{_PLACE}\s{{0,9}},")
_SENT = re.compile(
    r"(?:(?P<json>JSON\.stringify\()|URLSearchParams\(|\bdata[\"']?\s{0,9}:|\bparams[\"']?\s{0,9}:|,)\s{0,9}\{(?P<pairs>[^{}]{1,500})\}"
)
_TEXT = re.compile(
    r"(?:(?:body|data)[\"']?\s{0,9}:|\bsend\()\s{0,9}[\"'`](?P<text>[\w.-]{1,40}=[^\"'`<>]{0,200})[\"'`]"
    r"(?P<rest>(?:\s{0,9}\+\s{0,9}(?:[\w$.\[\]]{1,60}|[\"'`][^\"'`<>]{0,200}[\"'`])){0,20})"
)
_JOINED = re.compile(r"\+\s{0,9}(?:([\w$.\[\]]{1,60})|[\"'`]([^\"'`<>]{0,200})[\"'`])")
# data: data, where data = {action: "more", page: at.current_page} stands before, as WordPress' plug-ins have it.
_HANDED = re.compile(r"\b(?:data|body)[\"']?\s{0,9}:\s{0,9}(?P<name>[A-Za-z_$][\w$]{0,40})\s{0,9}[,}]")
# client.post("/list", e): what is sent stands where the function around it is called.
_NAMED = re.compile(r"\s{0,9}[\"'`][^\"'`\s]{1,300}[\"'`]\s{0,9},\s{0,9}[\w$]{1,40}\s{0,9}\)")
_QUOTED = re.compile(r"[\"'`]([^\"'`]{0,120})[\"'`]")
_WORD = re.compile(r"[A-Za-z_$][\w$]{0,40}")
_LAST_WORD = re.compile(r"([A-Za-z_$][\w$]{0,60})[^\w$]{0,9}\Z")

# A query of GraphQL, where it is asked, what it has to ask for, and its variables: ($page: Int!, $tag: String = "x").
_GRAPHQL = re.compile(
    r"[\"'`]((?:https?://[\w.:-]{1,80})?/(?:[\w.-]{1,40}/){0,4}(?:graphql|gql)[\w/.-]{0,40})[\"'`]", re.I
)
_QUERY = re.compile(
    r"`\s{0,40}(?P<long>query\b[^`$]{0,200}(?:\$\w[^`$]{0,500}){0,40})`|[\"'](?P<line>query\b[^\"'\n]{10,3000})[\"']"
)
_TITLED = re.compile(rf"\b(?:{'|'.join(TITLES)})\b", re.I)
_VARIABLE = re.compile(
    r"\$(?P<name>\w{1,60})\s{0,4}:\s{0,4}\[?(?P<type>\w{1,60})[\]!]{0,3}(?P<needed>(?<=!))?\s{0,4}(?P<default>=)?"
)
_VARIABLES = re.compile(r"\bvariables[\"']?\s{0,4}:\s{0,4}\{(?P<pairs>[^{}]{1,500})\}")
_SIZES = SIZE_KEYS | {"first", "take"}
_MOST_QUERIES = 100
_MOST_LETTERS = 2  # of a name that says nothing

_Pair = tuple[str, Sequence[str]]


class Posted(NamedTuple):
    """A list by POST.

    Attributes:
        url: canonical, with what is sent as its query, of the page that follows the one that is shown.
        as_json: it is sent as JSON, not as a form.
        own: the parameters with which the query begins and that are not sent, but stay in the address.
    """

    url: str
    as_json: bool
    own: str = ""

    @property
    def place(self) -> str:
        """The address to which it is sent."""
        return self.url.partition("?")[0] + (f"?{self.own}" if self.own else "")

    @property
    def sent(self) -> str:
        """How it is sent, see ``jobs.model.sent_as``."""
        return ("json" if self.as_json else "form") + (f"?{self.own}" if self.own else "")


def posts(
    page: Page, links: int, script: str | None = None, menu: Sequence[Mapping[str, str]] = ()
) -> tuple[Posted, ...]:  # fmt: skip
    """The lists that a page's scripts ask for by POST, each to be tried once: with a page's number or a cursor.

    Args:
        links: articles that the page itself lists: what is fetched begins behind them.
        script: one that the page takes from another address, to be looked through instead of its own.
        menu: what an answer of the site calls its sections, each by field.
    """
    attributes, own = Attributes(page), "\n".join(own_scripts(page))[:_MOST_SCRIPT]
    whole = own if script is None else script[:_MOST_SCRIPT]
    # What the page's own scripts assign counts for those that it takes, too: WordPress hands over its address so.
    names = Names(whole, attributes, menu, Names(own, attributes))
    whole = names.text
    found = {one: Posted(one, as_json=True) for one in _of_graphql(names, page, links)}
    for match in islice(_POST.finditer(whole), _MOST_REQUESTS):
        before, behind = (
            whole[max(0, match.start() - _BEFORE) : match.start()],
            whole[match.end() : match.end() + _BEHIND],
        )
        direct = match[0].endswith(("(", ","))
        address = _address(names, before, behind, direct=direct)
        by = {word for word in _WORD.findall(behind) if names.number(word) is not None}
        as_begun = (
            counts_behind(whole, match.start(), match.end(), by)
            or any(map(names.is_handed, by))
            or (_NAMED.match(behind) is not None and hands_as_begun(whole))
        )
        begins = 0 if as_begun else links
        pairs, as_json = _sent(names, before, behind, is_api=_FORMS.search(before) is None, links=begins)
        url = canonical_or_none(page.resolve(address)) if address else None
        goes_on = any(_goes_on(key) for key, _ in pairs)
        if not url or not goes_on or not same_site(url, page.url) or OTHER.search(urlsplit(url).path):
            continue
        for at in range(max(len(values) for _, values in pairs)):
            sent = [(key, values[at] if at < len(values) else values[0]) for key, values in pairs]
            if (one := canonical_or_none(asking(url, urlencode(sent)))) is not None:
                found.setdefault(one, Posted(one, as_json, urlsplit(url).query))
    # Of a list that is asked for by its section, each section is one.
    places = [*dict.fromkeys(one.place for one in found.values())][:_MOST]
    return tuple(one for one in found.values() if one.place in places)[: MOST_VALUES + len(menu)]


def _of_graphql(names: Names, page: Page, links: int) -> Iterator[str]:
    """The addresses of a script's GraphQL queries for lists that go on, each with its text and its variables."""
    place = _GRAPHQL.search(names.text)
    url = page.resolve(place[1]) if place else ""
    if not url or not same_site(url, page.url):
        return
    for match in islice(_QUERY.finditer(names.text), _MOST_QUERIES):
        text = " ".join(re.sub(r"\\[nrt]", " ", match["long"] or match["line"]).split())
        given = _VARIABLES.search(names.text, match.end()) or _VARIABLES.search(names.text)
        pairs = {one["key"]: one["value"] or one["key"] for one in PAIR.finditer(given["pairs"] if given else "")}
        asked = _TITLED.search(text) and _variables(names, text.partition("{")[0], links, pairs)
        if asked:
            sent = {"query": text, "variables": json.dumps(asked, separators=(",", ":"))}
            if (one := canonical_or_none(f"{url}?{urlencode(sent)}")) is not None:
                yield one


def _variables(names: Names, declared: str, links: int, pairs: Mapping[str, str]) -> dict[str, Any]:
    """What a query's variables are to be, where one counts pages or entries or is a cursor; else nothing.

    Args:
        pairs: as what the script hands them over.
    """
    asked, goes_on = dict[str, Any](), False
    for one in _VARIABLE.finditer(declared):
        name, key = one["name"], one["name"].lower()
        said = pairs.get(name, name)
        if key in CURSOR_KEYS:  # without, the list begins
            goes_on = True
        elif _counts(key):
            goes_on, asked[name] = True, int(_value(names, key, said, links)[0])
        elif key in _SIZES:
            asked[name] = int(said) if said.isdecimal() else names.number(name) or USUAL_SIZE
        elif name in pairs or (one["needed"] is not None and not one["default"]):
            values = [text for text in _value(names, key, said, links) if text]
            if not values and one["needed"] is None:
                continue
            if not values:
                return {}
            asked[name] = int(values[0]) if one["type"] == "Int" and values[0].isdecimal() else values[0]
    return asked if goes_on else {}


def _counts(key: str) -> bool:
    return key.lower() in PAGE_KEYS | START_KEYS


def _goes_on(key: str) -> bool:
    return _counts(key) or key.lower() in CURSOR_KEYS


def _address(names: Names, before: str, behind: str, *, direct: bool) -> str:
    """Where it is sent to: the first argument, the object's ``url``, or what was handed to ``fetch`` last."""
    if direct:
        match = _FIRST.match(behind)
    else:
        last = next(iter([*_URL.finditer(before)][-1:]), None)
        # What stands in the same object is its address, not the next request's.
        same = last is not None and "}" not in before[last.end() :]
        match = last if same else _URL.search(behind[:_BEFORE]) or last
        match = match or next(iter([*_FETCH.finditer(before)][-1:]), None)
    if match is None:
        return ""
    name = match["name"] or match["base"] or ("baseURL" if match["literal"].startswith("/") else "")
    base = next(iter(names.texts(name.rpartition(".")[2])), "")
    rest = match["literal"] or match["rest"] or ""
    return base.rstrip("/") + rest if rest.startswith("/") else base + rest


def _sent(names: Names, before: str, behind: str, *, is_api: bool, links: int) -> tuple[list[_Pair], bool]:
    """What is sent, and whether as JSON; ``is_api`` where it would be, unless it says otherwise."""
    if handed := _handed(before, behind):
        return list(_of_pairs(names, handed, links, behind)), is_api
    elsewhere = paged(names.text) if _NAMED.match(behind) else ""
    match = _SENT.search(behind) or next(iter([*_SENT.finditer(before)][-1:]), None)
    # An object that counts nothing is another's, as a list of sections before it is.
    counts = match is not None and any(_goes_on(one["key"]) for one in PAIR.finditer(match["pairs"]))
    if match is not None and counts and not elsewhere:
        return list(_of_pairs(names, match["pairs"], links)), bool(match["json"]) or (
            is_api and "URLSearchParams" not in match[0]
        )
    text = _TEXT.search(behind) or next(iter([*_TEXT.finditer(before)][-1:]), None)
    if text and not elsewhere:
        joined = "".join(said or f"${{{hole}}}" for hole, said in _JOINED.findall(text["rest"]))
        return list(_of_text(names, text["text"] + joined, links)), False
    # request({url: "/list", method: "post", data: e}): what is sent stands where that function is called.
    return list(_of_pairs(names, paged(names.text), links)), is_api


def _handed(before: str, behind: str) -> str:
    """The pairs of the object that is handed over by its name, "" where there is none."""
    match = _HANDED.search(behind) or next(iter([*_HANDED.finditer(before)][-1:]), None)
    if match is None:
        return ""
    made = re.findall(rf"(?<![\w$.]){re.escape(match['name'])}\s{{0,9}}=\s{{0,9}}\{{([^{{}}]{{1,500}})\}}", before)
    return str(made[-1]) if made else ""


def _of_pairs(names: Names, pairs: str, links: int, behind: str = "") -> Iterator[_Pair]:
    """The pairs of an object with their values; ``behind`` is what the script does when the answer has come."""
    for one in PAIR.finditer(pairs):
        key, said = one["key"], one["value"] or one["key"]
        if OF_ROUTE.search(said):
            continue
        word = _LAST_WORD.search(said)
        # What is counted up afterwards is sent as the page states it: WordPress adds one itself.
        later = word and _counts(key) and re.search(rf"{re.escape(word[1])}\s?(?:\+\+|\+=)", behind)
        stated = next((text for text in names.texts(word[1]) if text.isdecimal()), "") if later and word else ""
        yield key, (stated,) if stated else _value(names, key, said, links)


def _of_text(names: Names, text: str, links: int) -> Iterator[_Pair]:
    """The pairs of ``action=more&page=${n}``."""
    for pair in text.split("&"):
        key, _, value = pair.partition("=")
        yield key, _value(names, key, f'"{value}"' if value and "$" not in value else value, links)


def _value(names: Names, key: str, said: str, links: int) -> Sequence[str]:
    """What a parameter is sent with: the number of the page that follows, a literal, what a name stands for.

    Several where that is the name of each section.
    """
    word = _LAST_WORD.search(said)
    if key.lower() in START_KEYS:
        return (str(links or (word and names.number(word[1])) or 0),)
    if key.lower() in CURSOR_KEYS:
        name = word[1] if word else ""
        return ((links and names.read(said, name, last=not names.is_begun(name))) or names.cursor,)
    number = names.number(word[1]) if word else None
    if _counts(key):
        return (str(1 if number == 0 else max(2, number or 0)) if links else str(1 if number is None else number),)
    if word and len(tabs := names.tabs(word[1], key)) > 1:
        return tabs
    # Sections that an answer names, of which the script has the first, or that the script lists under another name.
    if each := names.listed(key) or (names.listed(word[1]) if word and OF_SECTION.search(key) else ()):
        return each
    if quoted := _QUOTED.search(said):
        return (quoted[1],)
    if word is None:
        return (said.strip() if said.strip().isdecimal() else "",)
    if known := next(iter(names.texts(word[1])), "") or names.read(said, word[1], last=False) or names.stated(word[1]):
        return (known,)
    # A compiler leaves one letter of a name: the page's data may have it under what it is sent as.
    if number is None and len(word[1]) <= _MOST_LETTERS:
        number = names.number(key)
    if number is None and key.lower() in SIZE_KEYS:  # another part of the program has it
        number = USUAL_SIZE
    name = word[1] if len(word[1]) > _MOST_LETTERS else key
    return (str(number),) if number is not None else names.sections(name) or ("",)
