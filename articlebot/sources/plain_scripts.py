"""Scripts as people write them: what compilers and bundlers make of texts, of functions and of what is asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.sources.counting import START_KEYS

# What hands an address to an API's client as it is: get = (e,t)=>http.get(e,{params:t}).
_ONWARD = re.compile(
    r"(?<![\w.$])(?:function\s{1,9}(?P<named>[A-Za-z_$][\w$]{0,40}+)|(?P<assigned>[A-Za-z_$][\w$]{0,40}+)\s{0,9}+[:=]"
    r"\s{0,9}+(?:async\b)?)\s{0,9}+\(?\s{0,9}+(?P<first>[A-Za-z_$][\w$]{0,40}+)(?:,[^()]{0,60}+)?+\)?\s{0,9}+(?:=>)?"
    r"\s{0,9}+\{?\s{0,9}+(?:return\b)?\s{0,9}+[\w$.]{1,60}(?P<how>\.get|\.post)\(\s{0,9}+(?P=first)\s{0,9}+[,)]"
)
_TO_TEXT = re.compile(r"(?<![\w.$])([A-Za-z_$][\w$]{0,40})\(\s{0,9}(?=[\"'`]/?\w)")
# "/list?cat=".concat(t, "&page=").concat(n): what compilers make of a template for browsers of old.
_CONCAT = re.compile(r"(?<=[\"'`])(?:\.concat\((?:[^()]|\([^()]{0,80}\)){1,200}\)){1,8}+")
# What an object is given where there is one: {page: e, ...t?{topic:t}:{}}.
_SPREAD = re.compile(
    r",?\.\.\.\(?[\w$.!]{1,40}\s{0,4}(?:\?|&&)\s{0,4}\{[^{}]{0,200}\}(?:\s{0,4}:\s{0,4}\{\s{0,4}\})?\)?"
)
# `/list?${new URLSearchParams({page: n})}`
_INLINE = re.compile(
    r"`([^`\s$]{1,200}[?&])\$\{\s{0,9}new URLSearchParams\(\s{0,9}\{([^{}]{1,300})\}\s{0,9}\)"
    r"(?:\.toString\(\))?\s{0,9}\}`"
)
# What the page's own address says: its path, a folder of that, location.pathname.split("/")[1], or a parameter,
# new URLSearchParams(location.search).get("id"), getQueryString("id").
_OWN_PATH = re.compile(
    r"(?<![\w$.])(?:window\.|document\.|self\.)?location\.pathname(?:"
    r"\.(?:slice|substring|substr)\(\s?(?P<from>1)\s?(?:,\s?(?P<to>-1)\s?)?\)|"
    r"(?P<folders>\.split\(\s?[\"']/[\"']\s?\))(?:(?P<filled>\.filter\(\s?Boolean\s?\))?"
    r"(?:\[\s?(?P<place>\d)\s?\]|(?P<last>\.pop\(\))))|"
    r"(?P<trimmed>\.replace\(\s?/[\\/^$|+*]{1,12}/g?\s?,\s?(?:\"\"|'')\s?\))|(?!\.\w|\s{0,4}=|\[))"
)
_OF_ADDRESS = (
    r"new\sURL(?:SearchParams)?\(\s?(?:window\.|document\.|self\.)?location[\w.]{0,20}(?:\.\w{5,9}\(1\))?\s?\)"
)
_OWN_PARAMETERS = re.compile(rf"(?<![\w$.])([A-Za-z_$][\w$]{{0,40}})\s{{0,4}}=\s{{0,4}}{_OF_ADDRESS}(?=[\s;,])")
_OWN_PARAMETER = re.compile(
    rf"(?<![\w$.])(?:(?:{_OF_ADDRESS}|(?P<named>[A-Za-z_$][\w$]{{0,40}}))(?:\.searchParams)?\.get|"
    r"(?:[\w$]{1,20}\.)?[gG]et_?(?:[qQ]uery|[uU]rl|URL|[pP]aram|[rR]equest)\w{0,20})"
    r"\(\s?[\"'](?P<key>[\w-]{1,40})[\"']\s?\)"
)
_PLAIN = re.compile(r"[\w.:/%@~+=-]{1,300}")
# What jQuery puts the name of a function in for: $.getJSON("/list?callback=?").
_CALLBACK = re.compile(r"(?<=[?&])(\w{1,20}=)\?(?=[\"'`&])")
_FILLED_HOLE = re.compile(r"\$\{\s?\"([^\"]{0,300})\"\s?\}")
# Where the page lies, as addresses begin that are its own: location.origin + "/api",
# `${location.protocol}//${location.host}/api`.
_OWN_PLACE = re.compile(
    r"\$\{(?:window\.|self\.)?location\.(?:origin\}|protocol\}//\$\{(?:window\.|self\.)?location\.host(?:name)?\})|"
    r"(?:window\.|self\.)?location\.(?:origin|protocol\s{0,4}\+\s{0,4}[\"']//[\"']\s{0,4}\+\s{0,4}(?:window\.|self\.)?location\.host(?:name)?)"
    r"\s{0,4}\+\s{0,4}(?=[\"'`]/)"
)
# What a template adds where there is one: `/list?limit=12${last ? `&after=${last}` : ""}`.
_ADDED = re.compile(r"\$\{[^{}`]{1,60}\?\s{0,4}[`\"']([^`\"']{0,120})[`\"']\s{0,4}:\s{0,4}(?:\"\"|''|``)\s{0,4}\}")
# What compilers make of async functions: function f(t){return g.apply(this,arguments)}function g(){return g=h(r().mark(
# function e(n){…, and f=function(){var t=h(r().mark((function e(n){…
_ASYNC = re.compile(
    r"\bfunction\s(?P<named>[\w$]{1,40})\([^()]{0,80}\)\{return\s(?P<inner>[\w$]{1,40})\.apply\(this,arguments\)\}"
    r"function\s(?P=inner)\(\)\{[^{}]{0,120}?\bfunction\s?[\w$]{0,40}(?=\()|"
    r"(?<![\w$.])(?P<assigned>[\w$]{1,40})=function\(\)\{var\s[^{};]{0,80}?\.(?:mark|m)\(\(?function\s?[\w$]{0,40}(?=\()"
)
# What they make of {page: e, ...t}, where it is one function's alone: function(t){for(var e=1;…}return t}({page:e},t).
_SPREAD_MADE = re.compile(
    r"function\((?P<into>[\w$]{1,3})\)\{for\(var\s(?P<at>[\w$]{1,3})=1;(?P=at)<arguments\.length;(?P=at)\+\+\)\{.{0,600}?"
    r"\}return\s(?P=into)\}\(",
    re.S,
)
# new URLSearchParams(e), where e={page:t,size:n} stands before.
_PARAMS_NAMED = re.compile(r"(?<=URLSearchParams\()\s{0,9}([A-Za-z_$][\w$]{0,40})\s{0,9}(?=\))")
# What is put into an address is told by what is encoded: encodeURIComponent(search || "").
_ENCODED = re.compile(r"\bencodeURI(?:Component)?\(\s?([\w$.\[\]]{1,60}(?:\s?\|\|\s?(?:\"\"|''))?)\s?\)")
_ARGUMENT = re.compile(r"(?:[\"'][^\"']{0,200}[\"']|[^,()\"']|\([^()]{0,80}\)){1,100}")
_OBJECT = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]{0,40})\s{0,9}=\s{0,9}(\{[^{}]{1,300}\})")
_ABOVE = 300  # characters before a name's use in which it is given

# Names of one or two letters where they are given: e=1, e=>…, (e,t)=>…, (e,t){, ({section:t}.
_GIVEN_NAME = re.compile(
    r"(?<![\w.$])([A-Za-z_$][\w$]?)\s{0,4}=(?!=)|(?<!\bif)(?<!\bwhile)\(([A-Za-z_$][\w$]?(?:\s{0,4},\s{0,4}[A-Za-z_$][\w$]?){0,9})\)\s{0,4}(?:=>|\{)|"
    r"[:,{]\s{0,4}([A-Za-z_$][\w$]?)\s{0,4}\}(?:=\{\})?\)\s{0,4}(?:=>|\{)"
)
_DECLARES, _DECLARED = re.compile(r"(?:\b(?:var|let|const)\s|,\s?)\Z"), 7
_COUNTER = re.compile(r"\s{0,4}(\d{1,3})(?![\w.])")


def written(script: str, url: str = "") -> str:
    """A script with the texts that it puts together by ``concat`` as sums, as people write them.

    Args:
        url: of the page that it stands in, which it may read.
    """
    onward = {match["named"] or match["assigned"]: match["how"] for match in _ONWARD.finditer(script)}
    if onward:
        script = _TO_TEXT.sub(lambda match: onward.get(match[1], match[1]) + match[0][len(match[1]) :], script)
    if "..." in script:
        script = _SPREAD.sub("", script)
    if "arguments" in script:
        script = _SPREAD_MADE.sub("", script)
        script = _ASYNC.sub(
            lambda one: f"{one['assigned']}=function" if one["assigned"] else f"function {one['named']}", script
        )
    if "URLSearchParams" in script:
        script = _PARAMS_NAMED.sub(_object_before, script)
        script = _INLINE.sub(r"`\1` + new URLSearchParams({\2})", script)
    if "location" in script or "?" in url:
        script = _OWN_PLACE.sub("", _located(script, url))
    if "${" in script:
        script = _ADDED.sub(lambda match: match[1] if _asks_for_page(match[1]) else "", script)
    if "=?" in script:
        script = _CALLBACK.sub(r"\1callback", script)
    if "encodeURI" in script:
        script = _ENCODED.sub(r"\1", script)
    if ".concat(" not in script:
        return script
    return _CONCAT.sub(lambda match: "".join(f"+{one}" for one in _arguments(match[0])), script)


def _located(script: str, url: str) -> str:
    """A script with what it reads of its page's address as texts."""
    path, query = urlsplit(url).path or "/", dict(parse_qsl(urlsplit(url).query))
    query = {key: value for key, value in query.items() if _PLAIN.fullmatch(value)}
    if _PLAIN.fullmatch(path):
        script = _OWN_PATH.sub(lambda match: f'"{_of_path(path, match)}"', script)
    if query:
        names = {None, *_OWN_PARAMETERS.findall(script)}
        script = _OWN_PARAMETER.sub(
            lambda one: f'"{query[one["key"]]}"' if one["key"] in query and one["named"] in names else one[0], script
        )
    return _FILLED_HOLE.sub(r"\1", script)


def _of_path(path: str, match: re.Match[str]) -> str:
    """What a script takes of its page's path."""
    if match["folders"]:
        folders = [one for one in path.split("/") if one or not match["filled"]]
        place = -1 if match["last"] else int(match["place"])
        return folders[place] if -1 <= place < len(folders) and folders else ""
    return path.strip("/") if match["trimmed"] else path[1:-1] if match["to"] else path[1:] if match["from"] else path


def _object_before(name: re.Match[str]) -> str:
    """The object that a name has been given last, as it is written; the name where there is none."""
    above = name.string[max(0, name.start() - _ABOVE) : name.start()]
    return next((made for given, made in reversed(_OBJECT.findall(above)) if given == name[1]), name[0])


def _asks_for_page(added: str) -> bool:
    return any(key.lower() in PAGE_KEYS | START_KEYS for key in re.findall(r"[?&](\w{1,20})=", added))


def _arguments(calls: str) -> Iterator[str]:
    for call in calls[len(".concat(") : -1].split(").concat("):
        yield from filter(None, map(str.strip, _ARGUMENT.findall(call)))


def given(script: str) -> Counter[str]:
    """How often each name of one or two letters is given in a script; the same number again, as a counter is, once."""
    found, counters = Counter[str](), set[str]()
    for match in _GIVEN_NAME.finditer(script):
        if match[1] and not _DECLARES.search(script, max(0, match.start() - _DECLARED), match.start()):
            continue  # what was declared elsewhere is given something else
        if match[1] and (number := _COUNTER.match(script, match.end())):
            if (told := f"{match[1]}={number[1]}") in counters:
                continue
            counters.add(told)
        found.update(re.findall(r"[\w$]+", match[1] or match[2] or match[3]))
    return found
