"""The values in a page's scripts: JSON, what is assigned to variables, escaped text, markup. All bounded."""

from __future__ import annotations

import html
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any
from urllib.parse import unquote

from articlebot.page.js_values import called, encodable, joined_pairs, unescaped
from articlebot.page.page import Page

MIN_CHARS = 120
_MIN_PROPS = 400  # shorter ones count clicks and set up sliders
MAX_VALUES = 200_000
_MAX_REFERENCES = 30
_MOST_KIND = 11  # of what Astro serialises: https://github.com/withastro/astro, runtime/server/serialize.ts
_MAX_SCRIPT_CHARS = 4_000_000
_MAX_ALL_CHARS = 8_000_000
_MAX_SCRIPTS = 200
_MAX_JSON_STARTS = 40
_MAX_LITERALS = 200
# What a script takes a text through before it is JSON or markup: JSON.parse(decodeURIComponent("%7B…")).
_ASSIGNED = re.compile(
    r"""(?:=|\bpush\(|\breturn|\bparse\(|:)\s*(?:(?:decodeURI(?:Component)?|unescape|escape|(?:window\.)?atob)\s?\(\s?){0,3}"""
    r"""(?=[\[{"'`])"""
)
# Bundlers take the quotes that save most: JSON.parse(`[{"title":"It's…`), unless something is to be put in.
_QUOTED = re.compile(r"'(?:[^'\\\n]++|\\.)*+'|`(?:[^`\\$]++|\\.|\$(?!\{))*+`", re.S)
_PERCENT = re.compile(r"(?:[^%<>]{0,40}%(?:u[0-9a-fA-F]{4}|[0-9a-fA-F]{2})){6}")
_PERCENT_U = re.compile(r"%u([0-9a-fA-F]{4})")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{40,}+={0,2}")
_LITERAL = re.compile(rf"""\"((?:[^"\\\n]|\\.){{{MIN_CHARS},}}+)\"|'((?:[^'\\\n]|\\.){{{MIN_CHARS},}}+)'""")
_CODE = re.compile(r"javascript|ecmascript|json|module|importmap")
_HEAD_CHARS = 4000
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
_WRITTEN = re.compile(r"""document\.write(?:ln)?\(\s{0,9}("(?:[^"\\\n]++|\\.)*+"|'(?:[^'\\\n]++|\\.)*+')\s{0,9}\)""")
# What a template has in place of an address.
_PLACEHOLDER = re.compile(r"href\s{0,9}=\s{0,9}[\"']?[^\"'<>\s]{0,100}?(?:\{\{|\$\{|<%|\{[a-z]|#[a-z]{1,20}#)", re.I)
_ESCAPED, _ANGULAR = re.compile(r"[\[{\s]{1,4}&(q|quot);"), re.compile("&([qslga]);")
_OF_ANGULAR = {"q": '"', "s": "'", "l": "<", "g": ">", "a": "&"}
# What a component is given stands in an attribute: <div id="app" data-page="{&quot;component… (Inertia, react-rails).
_PROPS = re.compile(r"""=\s?["']\s?[\[{]""")
_FLIGHT, _PUSHED = "__next_f", re.compile(r"__next_f\.push\(\s?\[\s?1\s?,\s?(?=\")")
_FLIGHT_ROW = re.compile(rb"([0-9a-f]{1,8}):(?:T([0-9a-f]{1,7}),)?")
_FLIGHT_TEXT = re.compile(r"\$[0-9a-f]{1,8}")


def scripts(page: Page) -> Iterator[tuple[str, str]]:
    """Long scripts without an address of their own, and their type; behind them what attributes hold as JSON."""
    chars, flight = 0, []
    for count, script in enumerate(page.by_tag["script"]):
        text = script.text or ""
        if count >= _MAX_SCRIPTS or chars > _MAX_ALL_CHARS:
            break
        kind = (script.get("type") or "").lower()
        if _FLIGHT in text:  # one stream, cut anywhere
            flight.append(text)
            chars += len(text)
            continue
        if len(text) >= MIN_CHARS and "ld+json" not in kind and not script.get("src"):
            chars += len(text)
            if text := text[:_MAX_SCRIPT_CHARS].strip():
                yield _plain(text), kind
    if flight:
        yield "\n".join(flight), ""
    if _PROPS.search(page.text):
        given = (str(value) for one in page.elements for value in one.values() if len(value) >= _MIN_PROPS)
        props = (value[:_MAX_SCRIPT_CHARS].strip() for value in given if value.lstrip()[:1] in ("{", "["))
        yield from ((value, "application/json") for value in islice(props, _MAX_JSON_STARTS))


def _plain(text: str) -> str:
    """A script's text as it is parsed: <script id="RENDER_DATA" type="application/json">%7B%22app…

    Angular 15 and before escapes what it hands over: <script id="app-state" type="application/json">{&q;feed&q;:…
    """
    if text.startswith(("%7B", "%5B", "%7b", "%5b")):
        return unquote(text)
    if (escaped := _ESCAPED.match(text)) is None:
        return text
    return html.unescape(text) if escaped[1] == "quot" else _ANGULAR.sub(lambda one: _OF_ANGULAR[one[1]], text)


def markup_in(page: Page) -> str:
    """The markup with links that scripts of another type than code hold, as records of XML do; templates are none.

    Content systems send a list so and let a script show it: ``<script type="text/xml"><record><![CDATA[<li>…``.
    """
    parts = [
        text for text, kind in scripts(page)
        if kind and not _CODE.search(kind) and "<a " in text and not _PLACEHOLDER.search(text)
    ]  # fmt: skip
    if not parts and "<![CDATA[" in page.text[:_HEAD_CHARS]:  # such records by themselves, as an answer
        parts = [page.text]
    return _CDATA.sub("", "\n".join(parts))


def written(text: str) -> str:
    """The markup that a script writes into the page where it stands, as old systems make their lists."""
    return "\n".join(unescaped(match[1]) for match in _WRITTEN.finditer(text[:_MAX_SCRIPT_CHARS]))


def values_of(text: str) -> Iterator[Any]:
    """The JSON values of a script: all of it, what it assigns, and what it has as text of JSON."""
    text = encodable(text)
    if text[0] in "[{":
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            pass
        else:
            yield _revived(value) if _is_island(value) else hydrated(value)
            return
    if _FLIGHT in text:
        yield from _flight("".join(_pushed(text)))
        return
    text = text.replace(":undefined", ":null")  # what a front end writes that is hardly JSON
    yield from called(text)
    decoder = json.JSONDecoder(strict=False)
    # A whole program assigns much; what it parses is data.
    end, tries, last = 0, [0, 0], text.rfind("parse(")
    for match in _ASSIGNED.finditer(text):
        parsed = match[0].startswith("parse(")
        if tries[False] >= _MAX_JSON_STARTS and match.start() > last:
            break
        if match.end() < end or tries[parsed] >= _MAX_JSON_STARTS:
            continue
        tries[parsed] += 1
        try:
            value, end = _at(text, match.end(), decoder)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list) and value:
            yield value


def _at(text: str, at: int, decoder: json.JSONDecoder) -> tuple[Any, int]:
    """The value that begins there, and where it ends; a text's is what it holds."""
    if (quoted := _QUOTED.match(text, at)) is None:
        value, end = decoder.raw_decode(text, at)
        return loaded(value) if isinstance(value, str) else value, end
    value = loaded(unescaped(quoted[0]))
    # What is a text and no more is one of the script's literals.
    is_text = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return None if is_text else value, quoted.end()


def loaded(text: str) -> Any:
    """What a script's text is: the value of its JSON, else the text itself, a long one as a list of it alone."""
    text = plain(text)
    if text[:1] not in ("{", "[", '"'):
        return text if len(text) < MIN_CHARS else [text]
    try:
        value = json.loads(encodable(text), strict=False)
    except (ValueError, RecursionError):
        return None
    return loaded(value) if isinstance(value, str) and len(value) < len(text) else value


def plain(text: str) -> str:
    """A text as scripts show it: out of percent-encoding or Base64, where it looks so."""
    if _PERCENT.match(text):
        return unquote(joined_pairs(_PERCENT_U.sub(lambda code: chr(int(code[1], 16)), text)))
    if _BASE64.fullmatch(text):
        try:
            return b64decode(text).decode()
        except ValueError:
            return text
    return text


def _pushed(text: str) -> Iterator[str]:
    """The parts of what React's server components stream."""
    decoder = json.JSONDecoder(strict=False)
    for match in _PUSHED.finditer(text):
        try:
            yield decoder.raw_decode(text, match.end())[0]
        except ValueError:
            continue


def _flight(stream: str) -> Iterator[Any]:
    """The values of the stream: rows of ``id:json``, one a line, and texts of so many bytes, which others refer to."""
    texts: dict[str, str] = {}
    rows: list[Any] = []
    at, data = 0, encodable(stream).encode("utf-8", "replace")
    while at < len(data):
        match, end = _FLIGHT_ROW.match(data, at), data.find(b"\n", at) + 1 or len(data)
        if match is not None and match[2]:
            end = match.end() + int(match[2], 16)
            texts["$" + match[1].decode()] = data[match.end() : end].decode("utf-8", "ignore")
        elif match is not None and data[match.end() : match.end() + 1] in (b"{", b"["):
            with suppress(ValueError, RecursionError):
                rows.append(json.loads(data[match.end() : end], strict=False))
        at = end
    yield from (_with_texts(row, texts) for row in rows)
    yield from ([text] for text in texts.values())


def _with_texts(value: Any, texts: dict[str, str]) -> Any:
    """A value with the texts in place of their names, each once: every place costs its length. Changed in place."""
    stack, left = [value] if texts else [], MAX_VALUES
    while stack and left > 0:
        one = stack.pop()
        left -= 1
        for key, inner in one.items() if isinstance(one, dict) else enumerate(one):
            if isinstance(inner, dict | list):
                stack.append(inner)
            elif isinstance(inner, str) and _FLIGHT_TEXT.fullmatch(inner):
                one[key] = texts.pop(inner, inner)
    return value


def _is_island(value: Any) -> bool:
    """Whether a value is what an island of Astro is given: of each field a pair, its kind and itself."""
    return isinstance(value, dict) and bool(value) and all(map(_is_pair, value.values()))


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and type(value[0]) is int and 0 <= value[0] <= _MOST_KIND


def _revived(value: Any, depth: int = 0) -> Any:
    """What an island is given without the kinds: 0 stands before values and objects, 1 before lists."""
    if depth > _MAX_REFERENCES:
        return None
    if isinstance(value, dict):
        return {key: _revived(one[1], depth + 1) if _is_pair(one) else one for key, one in value.items()}
    if isinstance(value, list):
        return [_revived(one[1], depth + 1) if _is_pair(one) else one for one in value]
    return value


def hydrated(values: Any) -> Any:
    """Nuxt's payload, a list in which numbers stand for the places of values, as the values; any other value unchanged.

    Its first value holds places alone, or stands for one behind the name of a kind: ``["ShallowReactive",1]``.
    """
    if not isinstance(values, list) or len(values) < 3 or not _places(values[0], len(values)):
        return values
    left = MAX_VALUES

    def value(place: Any, depth: int) -> Any:
        nonlocal left
        left -= 1
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(values):
            return place
        if left < 0 or depth > _MAX_REFERENCES:
            return None
        one = values[place]
        if isinstance(one, dict):
            return {key: value(inner, depth + 1) for key, inner in one.items()}
        if isinstance(one, list):
            return [value(inner, depth + 1) for inner in one]
        return one

    return value(0, 0)


def _places(value: Any, most: int) -> bool:
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, list) and parts and isinstance(parts[0], str):
        parts = parts[1:]
    # One that is not there is told by a number below 0.
    return bool(parts) and all(type(one) is int and one < most for one in parts)


def referred(holder: dict[str, Any], root: Any) -> dict[str, Any]:
    """An object with what Apollo's cache has in place of its references: {"author": {"__ref": "Person:7"}}."""
    if not isinstance(root, dict) or not any(isinstance(value, dict | list) for value in holder.values()):
        return holder

    def meant(value: Any) -> Any:
        if isinstance(value, list):
            return [meant(one) if isinstance(one, dict) else one for one in value]
        return root.get(str(value["__ref"]), value) if isinstance(value, dict) and "__ref" in value else value

    return {key: meant(value) for key, value in holder.items()}


def literals(text: str) -> Iterator[str]:
    """Long strings of a script that is no JSON, without their escapes."""
    for count, match in enumerate(_LITERAL.finditer(text)):
        if count >= _MAX_LITERALS:
            return
        raw = match[1] or match[2].replace("\\'", "'").replace('"', '\\"')
        try:
            value = json.loads(encodable(f'"{raw}"'), strict=False)
            inner = json.loads(encodable(value), strict=False) if value[:1] == value[-1:] == '"' else value
        except ValueError:
            continue
        yield plain(inner)
