"""The values in a page's scripts: JSON, what is assigned to variables, escaped text, markup. All bounded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from articlebot.page.js_values import called
from articlebot.page.page import Page

MIN_CHARS = 120
MAX_VALUES = 200_000
_MAX_REFERENCES = 30
_MAX_SCRIPT_CHARS = 4_000_000
_MAX_ALL_CHARS = 8_000_000
_MAX_SCRIPTS = 200
_MAX_JSON_STARTS = 40
_MAX_LITERALS = 200
_ASSIGNED = re.compile(r"""(?:=|\bpush\(|\breturn|\bparse\(|:)\s*(?=[\[{"'])""")
_LITERAL = re.compile(rf"""\"((?:[^"\\\n]|\\.){{{MIN_CHARS},}}+)\"|'((?:[^'\\\n]|\\.){{{MIN_CHARS},}}+)'""")
_CODE = re.compile(r"javascript|ecmascript|json|module|importmap")
_HEAD_CHARS = 4000
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
# What a template has in place of an address.
_PLACEHOLDER = re.compile(r"href\s{0,9}=\s{0,9}[\"']?[^\"'<>\s]{0,100}?(?:\{\{|\$\{|<%|\{[a-z]|#[a-z]{1,20}#)", re.I)
_FLIGHT_TEXT = re.compile(r"(?:^|\n)[0-9a-f]+:T([0-9a-f]+),")
_FLIGHT_JSON = re.compile(r"(?:^|\n)[0-9a-f]+:(?=[\[{])")


def scripts(page: Page) -> Iterator[tuple[str, str]]:
    """Long scripts without an address of their own, and their type."""
    chars = 0
    for count, script in enumerate(page.by_tag["script"]):
        text = script.text or ""
        if count >= _MAX_SCRIPTS or chars > _MAX_ALL_CHARS:
            return
        kind = (script.get("type") or "").lower()
        if len(text) >= MIN_CHARS and "ld+json" not in kind and not script.get("src"):
            text = text[:_MAX_SCRIPT_CHARS]
            chars += len(text)
            text = text.strip()
            # <script id="RENDER_DATA" type="application/json">%7B%22app…
            yield unquote(text) if text.startswith(("%7B", "%5B", "%7b", "%5b")) else text, kind


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


def values_of(text: str) -> Iterator[Any]:
    """The JSON values of a script: all of it, what it assigns, and what it has as text of JSON."""
    if text[0] in "[{":
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            pass
        else:
            yield _hydrated(value) if isinstance(value, list) else value
            return
    yield from called(text)
    decoder = json.JSONDecoder(strict=False)
    end, flight = 0, []
    for tries, match in enumerate(_ASSIGNED.finditer(text)):
        if match.end() < end:
            continue
        if tries >= _MAX_JSON_STARTS:
            break
        try:
            value, end = decoder.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, str):
            value = loaded(value)
        elif "__next_f" in text[max(0, match.start() - 30) : match.end()] and isinstance(value, list):
            flight += [part for part in value if isinstance(part, str)]
            continue
        if isinstance(value, dict | list) and value:
            yield value
    if flight:
        yield from _flight("".join(flight))


def loaded(text: str) -> Any:
    if text[:1] not in ("{", "["):
        return text if len(text) < MIN_CHARS else [text]
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _flight(text: str) -> Iterator[Any]:
    """Values of what React's server components stream: lines of ``id:json`` and texts with their length in bytes."""
    decoder = json.JSONDecoder(strict=False)
    for match in _FLIGHT_TEXT.finditer(text):
        size = int(match[1][:7], 16)
        yield [text[match.end() : match.end() + size].encode()[:size].decode("utf-8", "ignore")]
    for match in _FLIGHT_JSON.finditer(text):
        try:
            yield decoder.raw_decode(text, match.end())[0]
        except (ValueError, RecursionError):
            continue


def _hydrated(values: list[Any]) -> Any:
    """Nuxt's payload, a list in which numbers stand for the places of values, as the values; other lists unchanged."""
    if len(values) < 3 or not all(isinstance(v, int) for v in _inner(values[0])) or not _inner(values[0]):
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


def _inner(value: Any) -> list[Any]:
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [part for part in parts if not isinstance(part, str)]


def literals(text: str) -> Iterator[str]:
    """Long strings of a script that is no JSON, without their escapes."""
    for count, match in enumerate(_LITERAL.finditer(text)):
        if count >= _MAX_LITERALS:
            return
        raw = match[1] or match[2].replace("\\'", "'").replace('"', '\\"')
        try:
            value = json.loads(f'"{raw}"', strict=False)
        except ValueError:
            continue
        yield value
