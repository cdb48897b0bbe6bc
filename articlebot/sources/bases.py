"""What a script puts before the addresses that it asks for."""

from __future__ import annotations

import re

from articlebot.sources.names import Names
from articlebot.sources.wrappers import GIVEN

CALLED = re.compile(
    r"(?:fetch|get|getJSON|getScript|ajax|axios|load|request|open|useSWR|XMLHttpRequest|EventSource|"
    r"(?:\b|(?:list|ajax|data|req|request)_?)url\s*+[:=]|\.src\s*=|endpoint|api\w{0,30}\s*+[:=]|"
    r"(?:next|more)(?:_?(?:url|page|href))?\s*+[:=])"
    r"[\s(\"'`,{]*+(?:[\"'`]?(?:GET|url)[\"'`]?\s*+[,:]\s*+)?\Z",
    re.I,
)
# What the page itself has in an attribute: el.dataset.url + "?page=", $(el).data("endpoint") + "?page=".
_READ_BEFORE = re.compile(
    r"(?:document\.)?[\w$]{1,40}(?:\((?:[\w$.]{1,20}|[\"'][\w.#\s>-]{1,60}[\"'])\))?\."
    r"(?:dataset\.\w{1,40}|(?:data|getAttribute|attr)\([\w\"'-]{1,60}\))\s{0,9}\+\s{0,9}\Z"
)
_BARE = re.compile(r"[\w-]{1,40}(?:/[\w-]{1,40}){1,5}+(?:\?|\Z)")
_BEFORE = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$.]{0,50})\s{0,9}\+\s{0,9}\Z")


def base_of(names: Names, address: str, before: str) -> tuple[str | None, str]:
    """What is put before an address, None where that cannot be told, by a name of its own or for the whole API; and the
    text before that.
    """
    if address.startswith("&"):  # it goes on behind what has parameters already: box.dataset.url + "&page="
        base, before = base_of(names, f"?{address}", before)
        return base if base and "?" in base else None, before
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
        if names.reads(called):  # the page has no such attribute
            return None, before
    name = match[1].rpartition(".")[2] if match else "baseURL"
    before = before[: match.start()] if match else before
    # root + "wp/v2/posts?page=": without a slash it goes behind what has the rest of it, or is no address.
    is_bare = _BARE.match(address) is not None
    goes_behind = (is_bare or address.startswith("/")) and (match or CALLED.search(before))
    base = next(iter(names.texts(name)), "") if goes_behind else ""
    if is_bare:
        return (base.rstrip("/") + "/" if base.startswith(("http://", "https://", "/")) else None), before
    if base and not base.startswith(("http://", "https://", "/")):
        return (None if match else ""), before  # the middle of an address that is put together elsewhere
    return base.rstrip("/"), before
