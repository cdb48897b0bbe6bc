"""From a page's text to its tree, bounded in time and depth, and with the damage repaired that hides most of a page.

libxml2 compares every attribute of a tag with every other and gives up below 2,048 levels, so the few pages that
would reach those limits are cut or flattened first. A page cut in transfer can lose the end of a title, script or
quoted value; by the standard everything up to the next such end then belongs to it, and the article is gone. Where
far fewer elements come out of the parser than tags went in, the missing ends are put in and the page parsed again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from math import inf
from typing import Any, NamedTuple, cast

from lxml import etree

MAX_ELEMENTS = 200_000
_MAX_ATTRIBUTES = 1000
# Over bytes, because libxml2 reads bytes and a pass over them costs a quarter of one over the text.
_CONTROL = bytes([*range(9), 11, 12, *range(14, 32), 127])
NO_CHARACTERS = ("\ufffe", "\uffff")
# libxml2 ends with the first </html>; by the standard (13.2.6.4.19) what stands behind it is the body's.
_GOES_ON = re.compile(rb"</html\s*+>(?:\s++|<!--[^<>]*+>)*+<[a-z]", re.I)
_ENDS = re.compile(rb"</(?:html|body)\s*+>", re.I)
_COMMENT = "!--(?:[^-]++|-(?!->))*+"
_ATTRIBUTE_PATTERN = r"""[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?)?"""
_ATTRIBUTE = re.compile(_ATTRIBUTE_PATTERN)
_FEW_ATTRIBUTES = rf"(?:[\s/]*+{_ATTRIBUTE_PATTERN}){{0,{_MAX_ATTRIBUTES}}}+[\s/]*+>"
# As nearly all are written, which is told a quarter faster.
_FEW_PLAIN = rf"""(?:\s++[\w:-]++="[^"]*+"){{0,{_MAX_ATTRIBUTES}}}+\s*+/?>"""
# Matches a page to its end when no tag has too many attributes. One expression without backtracking, because a loop
# over the tags in Python costs more than the parse itself; of the alternatives behind "<", the commonest first.
# Only names are read in either case: of all else that takes a fifth longer.
_RAW = "|".join(rf"(?i:{tag})\b{_FEW_ATTRIBUTES}(?:[^<]++|<(?!/(?i:{tag})))*+" for tag in ("script", "style"))
_TAME = re.compile(
    (
        rf"[^<]*+(?:<(?:/|(?!(?i:s(?:cript|tyle))\b)[a-zA-Z][^\s/>]*+(?:{_FEW_PLAIN}|{_FEW_ATTRIBUTES})|{_RAW}|{_COMMENT}"
        r"|(?![a-zA-Z]))[^<]*+)*+"
    ).encode()
)
_TAG = re.compile(
    rf"<{_COMMENT}|(<(?:(script|style)(?![^\s/>])|[a-z][^\s/>]*+)(?:[\s/]*+{_ATTRIBUTE_PATTERN})*+[\s/]*+>?)"
    r"(?(2)(?:[^<]++|<(?!/\2))*+)",
    re.I,
)
_FLAT = re.compile(
    r"</?(?!(?:p|a|br|li|ul|h[1-6]|title|meta|head|body|html|script|style|time|img)\b)[a-zA-Z][^<>]*>", re.I
)
_FEW = 0.45  # elements per closing tag in the source below which a page counts as damaged
_CHANGES = (
    (re.compile(r"<html\b[^<>]*>", re.I), "<html>"),
    (re.compile(r"(<title\b[^<>]*>[^<]*)(?=<(?!/title))", re.I), r"\1</title>"),
    (re.compile(r"""(=\s*)("|')([^"'<>]*)(?=>)"""), r"\1\2\3\2"),
    (re.compile(r"""(=\s*)("|')([^"'<>]*)(?=<)"""), r"\1\2\3\2>"),
)
_SWALLOWING = re.compile(r"<(script|style|textarea|select|noscript|iframe)\b[^<>]*>", re.I)
_SWALLOWING_ENDS = {
    name: re.compile(f"</{name}", re.I) for name in ("script", "style", "textarea", "select", "noscript", "iframe")
}
_OUTSIDE = re.compile(r"</head|<body|</p>|</div>\s*+<div|</td>", re.I)
_FEW_ENDS = 20
_SWALLOWED = re.compile(r"</?body|</head|</html", re.I)
_MAX_REPAIR_BYTES = 3_000_000
_IN_HEAD = frozenset("base basefont bgsound link meta noframes noscript script style template title".split())
_VOID, _PLAYERS = ("embed", "source", "track"), frozenset({"picture", "video", "audio"})
# Each is looked for among all that stand beside it.
_MOST_VOID = 100
_SHADOW, _MOST_SHADOWS = "shadowrootmode", 2000
_IMAGE_DATA = b";base64,"
_MIN_DATA_BYTES = 1000
# What the value ends with that begins so: a quoted attribute, an address in a style sheet, a quote that is escaped.
_VALUE_ENDS = {b'"': b'"', b"'": b"'", b"(": b")", b";": b"&"}
_MAX_TYPE_BYTES = 60


def without_image_data(raw: bytes) -> bytes:
    """A page without the long data of ``data:`` addresses in it, which take most of the time of a page that has some.

    What is left of them begins as before, so that they are known for what they are.
    """
    at = raw.find(_IMAGE_DATA)
    parts: list[bytes] = []
    done = 0
    while at >= 0:
        start = at + len(_IMAGE_DATA)
        named = raw.rfind(b"data:", max(done, at - _MAX_TYPE_BYTES), at)
        closing = _VALUE_ENDS.get(raw[named - 1 : named]) if named > 0 else None
        # Goes on behind that end: the time grows with the page's length only, whatever it consists of.
        end = raw.find(closing, start) if closing else start
        if end < 0:
            break
        if end - start >= _MIN_DATA_BYTES and raw.find(b"<", start, end) < 0 and raw.find(b">", start, end) < 0:
            parts.append(raw[done:start])
            done = end - 1 if raw[end - 1 : end] == b"\\" else end  # the backslash belongs to the quote
        at = raw.find(_IMAGE_DATA, end)
    return b"".join([*parts, raw[done:]]) if parts else raw


class Parsed(NamedTuple):
    """A root element, None where the parser found nothing at all, and the first 200,000 elements in page order.

    ``by_tag`` has the same elements by their tags.
    """

    tree: etree._Element | None
    elements: list[etree._Element]
    by_tag: defaultdict[str, list[etree._Element]]


def parse(text: str) -> Parsed:
    """The tree of a page's text."""
    for none in NO_CHARACTERS:
        text = text.replace(none, "")
    return parse_utf8(text.encode("utf-8", "ignore"))


def parse_utf8(raw: bytes) -> Parsed:
    """The tree of a page that is UTF-8 without :data:`NO_CHARACTERS`; sequences that are none are dropped."""
    raw = raw.translate(None, _CONTROL)
    if _GOES_ON.search(raw):
        raw = _ENDS.sub(b"", raw)
    if b"<" not in raw:
        raw = b"<html><body><pre>" + raw + b"</pre></body></html>"
    match = _TAME.match(raw)
    if match is None or match.end() < len(raw):
        raw = _TAG.sub(_shorten, raw.decode("utf-8", "replace")).encode("utf-8", "ignore")
    tree, too_deep = _tree(raw)
    if too_deep:
        return _parsed(_tree(_FLAT.sub(" ", raw.decode("utf-8", "replace")).encode())[0])
    if tree is not None and _SHADOW.encode() in raw:
        _attach_shadows(tree)
    parsed = _parsed(tree)
    found = len(parsed.elements)
    # Single characters are counted ten times as fast, and most pages have enough elements for all of their tags.
    if (
        len(raw) < _MAX_REPAIR_BYTES
        and found < _FEW * raw.count(b"<")
        and found < _FEW * (ends := raw.count(b"</") - _held(parsed))
    ):
        repaired, _ = _tree(_repair(raw.decode("utf-8", "replace")).encode()) if ends > _FEW_ENDS else (None, False)
        again = _parsed(repaired)
        if len(again.elements) > 1.5 * found:
            return again
    return parsed


def _parsed(tree: etree._Element | None) -> Parsed:
    if tree is not None and (head := tree.find("head")) is not None:
        _end_head(tree, head)
    elements = list(islice(tree.iter(), MAX_ELEMENTS)) if tree is not None else []
    by_tag: defaultdict[str, list[etree._Element]] = defaultdict(list)
    for element in cast("list[Any]", elements):  # neither comments nor instructions are among them
        by_tag[element.tag].append(element)
    # Most pages have none; to walk over the tree for them takes an eighth of the parse. What is moved keeps its order.
    if tree is not None and any(tag in by_tag for tag in _VOID):
        _end_void(tree)
    return Parsed(tree, elements, by_tag)


def _held(parsed: Parsed) -> int:
    """Closing tags in texts that scripts hold as data; a script whose end was lost has the page's own."""
    texts = (one.text or "" for one in parsed.by_tag.get("script", ()))
    return sum(text.count("</") for text in texts if not _SWALLOWED.search(text))


def _end_head(tree: etree._Element, head: etree._Element) -> None:
    """Moves what a head cannot hold to the body: libxml2 does not see that HTML5's elements and unknown ones end it.

    Source: HTML standard, 13.2.6.4.4, "the in head insertion mode".
    """
    children = list(head)
    first = next((number for number, child in enumerate(children) if child.tag not in _IN_HEAD), None)
    if first is None:
        return
    body = tree.find("body")
    if body is None:
        body = etree.SubElement(tree, "body")
    body[:0] = children[first:]


def _attach_shadows(tree: etree._Element) -> None:
    """Reads shadow trees that stand in the markup as a browser shows them: the host's own children in their slots.

    Source: HTML standard, 4.12.3, ``shadowrootmode``, and DOM standard, 4.2.2, slots. Children without a slot stay.
    """
    hosts: dict[etree._Element | None, etree._Element] = {}  # with the first of its templates, which alone counts
    for one in islice(tree.iter("template"), _MOST_SHADOWS):
        if one.get(_SHADOW) is not None:
            hosts.setdefault(one.getparent(), one)
    roots = set(hosts.values())
    slots = [(slot, next(slot.iterancestors("template"), None)) for slot in islice(tree.iter("slot"), _MOST_SHADOWS)]
    hosted: dict[etree._Element, defaultdict[str, list[etree._Element]]] = {}
    for slot, root in slots:
        if root is None or root not in roots:
            continue
        if root not in hosted:
            hosted[root] = defaultdict(list)
            for child in islice(root.itersiblings(), _MOST_SHADOWS):
                hosted[root][child.get("slot", "")].append(child)
        slot.extend(hosted[root].pop(slot.get("name", ""), ()))
    for root in roots:
        root.tag = "div"


def _end_void(tree: etree._Element) -> None:
    """Moves what stands in elements that hold nothing behind them: libxml2 does not know all, and they are skipped.

    Source: HTML standard, 13.1.2, void elements. Inside of a player or a picture nothing but more of them follows.
    """
    for element in list(islice(tree.iter(*_VOID), _MOST_VOID)):
        parent, children = element.getparent(), list(element)
        if parent is None or parent.tag in _PLAYERS or not (children or element.text):
            continue
        behind = element.tail or ""
        element.tail, element.text = element.text, None
        place = parent.index(element) + 1
        parent[place:place] = children
        last = children[-1] if children else element
        last.tail = (last.tail or "") + behind


def _tree(raw: bytes) -> tuple[etree._Element | None, bool]:
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, collect_ids=False
    )
    try:
        tree = etree.fromstring(raw, parser)
    except (etree.LxmlError, ValueError, AssertionError):
        return None, False
    return tree, any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log)


def _repair(text: str) -> str:
    for pattern, replacement in _CHANGES:
        text = pattern.sub(replacement, text)
    return _without_swallowing(text)


def _without_swallowing(text: str) -> str:
    """A page without the tags that take what stands outside of them for their text, up to an end far below."""
    ahead: dict[re.Pattern[str], float] = {}

    def following(pattern: re.Pattern[str], start: int) -> float:
        # Looked for once for all that stand before it: ten thousand open tags may have the same end, or none.
        if ahead.get(pattern, -1) < start:
            found = pattern.search(text, start)
            ahead[pattern] = found.start() if found else inf
        return ahead[pattern]

    def kept(match: re.Match[str]) -> str:
        end = following(_SWALLOWING_ENDS[match[1].lower()], match.end())
        return "" if following(_OUTSIDE, match.end()) < end < inf else match[0]

    return _SWALLOWING.sub(kept, text)


def _shorten(match: re.Match[str]) -> str:
    """The tag with its first attributes only, and the text of a script as it is."""
    tag = match[1]
    if tag is None or len(tag) < 2 * _MAX_ATTRIBUTES:
        return match[0]
    end = 0
    for count, attribute in enumerate(_ATTRIBUTE.finditer(tag)):
        if count > _MAX_ATTRIBUTES:
            return tag[:end] + ">" + match[0][len(tag) :]
        end = attribute.end()
    return match[0]
