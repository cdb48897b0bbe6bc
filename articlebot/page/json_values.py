"""The values of JSON documents, also of those behind a callback's or variable's name, and of JSON in their texts."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from typing import Any

from articlebot.page.js_values import encodable, records
from articlebot.page.script_values import hydrated, values_of

_MOST_BYTES = 8_000_000
# Objects within each other whose texts may hold JSON, and characters of such a text at least.
_LAYERS, _LEAST_INSIDE = 3, 100
_DECODER = json.JSONDecoder(strict=False)
# What stands before data: a variable's name, or a callback's, as Express and Sina write it too
# (/**/ typeof f === 'function' && f({…}), try{f({…});}catch(e){}).
BEFORE = (
    r"(?:(?:(?:var|let|const)\s{1,4}|window\.)?[\w.$]{1,80}\s{0,4}=|(?:/\*[^*]{0,40}\*/)?\s{0,4}(?:try\s{0,4}\{)?\s{0,4}"
    r"(?:[\w.$ ='\"]{1,120}&&\s{0,4})?[\w.$]{1,80}\s{0,4}\()\s{0,20}(?=[{\[])"
)
_BEFORE = re.compile(BEFORE)


def loaded(body: bytes) -> Any:
    """The value of a JSON document (also behind a callback's or variable's name), or a script's lists; else None."""
    try:
        text = body[:_MOST_BYTES].decode()
    except UnicodeDecodeError:  # too few letters tell a charset; what is as old as callbacks is Chinese mostly
        text = body[:_MOST_BYTES].decode("gb18030", "replace")
    text = encodable(text.lstrip("\ufeff \t\r\n"))
    before = _BEFORE.match(text)
    if before is None and text[:1] not in ("{", "["):
        return [*values_of(text), *records(text)] or None if text else None
    try:
        value = _DECODER.raw_decode(text, before.end())[0] if before else json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return [*records(text)] or None
    return opened(hydrated(value))


def opened(value: Any, layers: int = _LAYERS) -> Any:
    """A value with the JSON that objects in it hold as a text, plain or in Base64: {"data": "W3sidGl0…"}."""
    if not isinstance(value, dict) or not layers:
        return value
    return {
        key: opened(_inside(one) if isinstance(one, str) and len(one) >= _LEAST_INSIDE else one, layers - 1)
        for key, one in value.items()
    }


def _inside(text: str) -> Any:
    try:
        inner = text if text[0] in "{[" else b64decode(text, validate=True).decode()
        return json.loads(encodable(inner), strict=False) if inner[:1] in ("{", "[") else text
    except (ValueError, RecursionError):
        return text
