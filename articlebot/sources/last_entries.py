"""What comes behind the last entry of a list, as the script tells it that shows the list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

# What is sent on under a key: "&last=" + at, "last=" + at, `&last=${at}`, {last: at}, url.searchParams.set("last", at).
_SENT = (
    r"(?:[?&\"'`]{key}=(?:\$\{{|[\"'`]\s{{0,4}}\+\s{{0,4}})|[{{,]\s{{0,20}}[\"']?{key}[\"']?\s{{0,4}}:\s{{0,4}}|"
    r"\.(?:set|append)\(\s{{0,4}}[\"']{key}[\"']\s{{0,4}},\s{{0,4}})(?:[\w$]{{1,40}}\.){{0,3}}(?P<name>[A-Za-z_$][\w$]{{0,40}})"
    r"(?![\w$.(])"
)
# Where that is told: at = list[list.length - 1].time, or by who calls the function: more(list.at(-1).time).
_TOLD = r"(?<![\w$]){name}\s{{0,4}}[=:]\s{{0,4}}[^;={{}}]{{1,120}}?\.(?P<field>\w{{1,40}})(?=\s{{0,4}}(?:[;,)}}\n]|\Z))"
_CALLED = r"(?<![\w$.]){name}\(\s{{0,4}}[^;={{}}]{{1,120}}?\.(?P<field>\w{{1,40}})\s{{0,4}}\)"
_TAKES = (
    r"(?:\bfunction\s{{1,4}}(?P<named>[A-Za-z_$][\w$]{{0,40}})|(?<![\w$])(?P<assigned>[A-Za-z_$][\w$]{{0,40}})\s{{0,4}}[=:]\s{{0,4}}"
    r"(?:async\s{{0,4}})?(?:function\s{{0,4}})?)\s{{0,4}}\(\s{{0,4}}{name}\s{{0,4}}[,)=]"
)
_MOST = 20  # places of a script that are looked at


def last_told(script: str, key: str, entry: Mapping[str, Any]) -> str:
    """What a list's last entry has in the field that a script sends on under a key; "" where it names none."""
    for field in _fields(script, key):
        if type(value := entry.get(field)) in (str, int) and value != "":
            return str(value)
    return ""


def _fields(script: str, key: str) -> Iterator[str]:
    names = {one["name"]: None for one in _found(_SENT, script, key=key)} | {key: None}
    for name in names:
        yield from (one["field"] for one in _found(_TOLD, script, name=name))
        for one in _found(_TAKES, script, name=name):
            yield from (two["field"] for two in _found(_CALLED, script, name=one["named"] or one["assigned"]))


def _found(pattern: str, script: str, **words: str) -> Iterator[re.Match[str]]:
    filled = pattern.format(**{word: re.escape(said) for word, said in words.items()})
    return islice(re.finditer(filled, script), _MOST)
