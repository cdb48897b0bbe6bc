"""The headline of an article, without the site's name."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import NamedTuple

from articlebot.errors import RefusedError
from articlebot.extraction.generic.blocks import Block
from articlebot.extraction.generic.features import squash, tokens, units
from articlebot.extraction.generic.words import TEXT_GROUPS, TEXT_PATTERNS
from articlebot.extraction.metadata import article_nodes, document_title
from articlebot.extraction.page import Page
from articlebot.urls import site as site_of

_SEPARATOR = re.compile(
    r"\s+[-–—‒|•·»›«‹:/~]+\s+|\s*[|｜ㅣ»›«‹_]+\s*|\s*--+\s*|\s*::\s*|—{2,}|\s+[-–—|]|[-–—](?=[\u4e00-\u9fff])"
)
_MAX_CHARS = 300
_ON_TOPIC = 0.5  # share of a title's words that the body has; what has fewer names the site or its section
_HEADINGS = {"h1": 3.0, "h2": 1.6, "h3": 1.0, "h4": 0.6, "h5": 0.4, "h6": 0.3}
# What newspapers, stations and portals call themselves in many places.
_MEDIUM = re.compile(
    r"(?:新闻|新聞|日报|日報|晚报|晚報|早报|早報|电子报|電子報|网|網|频道|頻道|电视台|電視台|通讯社|通訊社|일보|신문|뉴스)\S{0,4}\s*\Z|"
    r"\b(?:News|Newspaper|Times|Daily|Gazette|Herald|Online|Tribune|Journal|Magazine|Radio|TV|Press|Network|\w+\.(?:com|net|org))\s*\Z"
)
_HEADLINE_NAMES = re.compile(r"head(?:line|er-?title|ing)|title|\btit\b|entry-name|biaoti")
_OTHER_NAMES = re.compile(r"site|logo|brand|nav|widget|related|sidebar|section|block-?title|comment|module|card|teaser")

_NOT_HEADLINES = [
    index for index, name in enumerate(TEXT_GROUPS) if name in {"byline", "date", "copyright", "sign_up", "share"}
]


class Title(NamedTuple):
    """A headline, the rule that gave it, and 0..1 how sure that is."""

    text: str
    rule: str
    confidence: float


def title_of(page: Page, body: Sequence[Block]) -> Title:
    """The headline of a page whose article is made of the blocks ``body`` (may be empty).

    A heading of the page wins when the page's own statements about its title (JSON-LD, OpenGraph, ``title``) contain
    it: that is the headline as readers see it, without the site's name. Otherwise the statements, stripped.
    """
    stated = _stated(page)
    names = _site_names(page)
    heading = _heading(page, body, [text for _, text in stated], names)
    if heading is not None:
        return _with_kicker(heading, stated)
    above = _above(page, body, stated, names)
    if above is not None:
        return above
    for rule, text in stated:
        cleaned = strip_site(text, names, strict=rule != "title")
        if cleaned and squash(cleaned) not in names:
            agreed = sum(squash(cleaned) in squash(other) for _, other in stated)
            return Title(cleaned, rule, 0.85 if agreed > 1 else 0.6)
    for tag in ("h1", "h2"):
        for block in page.blocks:
            if (
                block.node.tag == tag
                and not block.node.hidden
                and 1 < units(block.text) < 50
                and squash(block.text) not in names
            ):
                return Title(block.text, tag, 0.4)
    return Title("", "none", 0.0)


def _with_kicker(heading: Title, stated: list[tuple[str, str]]) -> Title:
    """The heading with the words before its colon, where all statements but the document's title have them, too."""
    said = {text for rule, text in stated if rule != "title"}
    whole = said.pop() if len(said) == 1 and sum(rule != "title" for rule, _ in stated) > 1 else ""
    kicker, colon, rest = whole.partition(": ")
    if colon and len(kicker) < len(rest) and squash(rest) == squash(heading.text):
        return Title(whole, heading.rule, heading.confidence)
    return heading


def strip_site(text: str, names: set[str], *, strict: bool = False) -> str:
    """A document title without its parts that name the site or section.

    Args:
        text: such as ``Headline - Section | Site``.
        names: squashed names of the site; a part equal to one, or contained in a host name, goes.
        strict: only such parts go; otherwise the longest part is taken when it clearly is the headline.
    """
    text = " ".join(text.split())[:_MAX_CHARS]
    parts = [(match.start(), match.end()) for match in _SEPARATOR.finditer(text)]
    if not parts:
        return text
    bounds = [0, *[edge for pair in parts for edge in pair], len(text)]
    pieces = [(bounds[i], bounds[i + 1]) for i in range(0, len(bounds), 2)]
    first, last = 0, len(pieces)
    while last - first > 1 and _is_name(text[slice(*pieces[last - 1])], names):
        last -= 1
    while last - first > 1 and _is_name(text[slice(*pieces[first])], names):
        first += 1
    kept = text[pieces[first][0] : pieces[last - 1][1]].strip()
    if strict or last - first < 2 or (first, last) != (0, len(pieces)):
        return kept
    sizes = [units(text[slice(*piece)]) if text[slice(*piece)].strip() else 0 for piece in pieces]
    if _MEDIUM.search(text[slice(*pieces[-1])]) and sizes[-1] <= 8 and sum(sizes[:-1]) >= max(4, sizes[-1]):
        return text[: pieces[-2][1]].strip()
    longest = max(range(len(pieces)), key=lambda index: sizes[index])
    if sizes[longest] >= 4 and sizes[longest] > 1.5 * (sum(sizes) - sizes[longest]):
        return text[slice(*pieces[longest])].strip()
    if sizes[-1] <= 3 and sum(sizes[:-1]) >= 4:
        return text[: pieces[-2][1]].strip()
    return kept


def _is_name(part: str, names: set[str]) -> bool:
    key = squash(part)
    return not key or any(
        key == name or (len(key) > 3 and key in name) or (len(name) > 4 and key.startswith(name)) for name in names
    )


def _site_names(page: Page) -> set[str]:
    names = {
        squash(value)
        for key in ("og:site_name", "application-name", "al:ios:app_name", "twitter:site")
        for value in page.meta.get(key, ())
    }
    for node in article_nodes(page.jsonld):
        publisher = node.get("publisher")
        if isinstance(publisher, dict) and isinstance(publisher.get("name"), str):
            names.add(squash(publisher["name"]))
    try:
        host = site_of(page.url) if page.url else ""
    except RefusedError:
        host = ""
    if host:
        host = host.removeprefix("www.")
        names |= {squash(host), squash(host.partition(".")[0])}
    return {name for name in names if len(name) > 1}


def _stated(page: Page) -> list[tuple[str, str]]:
    """What the page says its title is, best first."""
    found: list[tuple[str, str]] = []
    for node in article_nodes(page.jsonld):
        for key in ("headline", "name"):
            value = node.get(key)
            if isinstance(value, str) and value.strip():
                found.append(("jsonld", value))
                break
    for key in (
        "og:title",
        "twitter:title",
        "headline",
        "dc.title",
        "dcterms.title",
        "sailthru.title",
        "parsely-title",
        "articletitle",
        "title",
    ):
        found.extend((key, value) for value in page.meta.get(key, ())[:1])
    document = document_title(page.tree)
    if document:
        found.append(("title", document))
    return [(rule, " ".join(html.unescape(text).split())[:_MAX_CHARS]) for rule, text in found]


def _heading(page: Page, body: Sequence[Block], stated: list[str], names: set[str]) -> Title | None:
    """The heading on the page that the statements about its title contain."""
    keys = [(squash(text), set(tokens(text.lower()))) for text in stated]
    start = body[0].index if body else len(page.blocks)
    best: tuple[float, Block] | None = None
    for block in page.blocks:
        if len(block.text) > _MAX_CHARS or block.index > start + 60:
            continue
        score = _heading_score(block, keys, start)
        if score > 0 and (best is None or score > best[0]) and squash(block.text) not in names:
            best = (score, block)
    if best is None:
        return None
    return Title(best[1].text, best[1].node.tag, min(0.97, 0.6 + best[0] / 20))


def _heading_score(block: Block, keys: list[tuple[str, set[str]]], start: int) -> float:
    heading = _HEADINGS.get(block.node.tag, 0.0)
    key = squash(block.text)
    if len(key) < 3:
        return 0.0
    whole = max((len(key) / len(other) for other, _ in keys if other and key in other), default=0.0)
    around = max((len(other) / len(key) for other, _ in keys if len(other) > 8 and other in key), default=0.0)
    match = max(whole, around * 0.95 if around > 0.5 else 0.0)
    named = 1.0 if _HEADLINE_NAMES.search(block.node.names) and not _OTHER_NAMES.search(block.node.names) else 0.0
    if heading == _HEADINGS["h1"] and match < 0.5:
        match = max(match, _close_h1(block, keys, start))
    if not match:
        return 0.0
    if not heading and ((not named and match < 0.5) or units(block.text) < 3):
        return 0.0
    if match < 0.2 or (match < 0.3 and (heading < 3 or units(block.text) < 3)):
        return 0.0
    score = 6.0 * match + heading + named
    if block.link_chars > 0.8 * len(block.text):
        score -= 2.0
    if block.node.hidden:
        score -= 3.0
    if block.index > start:
        score -= 1.5
    return score


def _close_h1(block: Block, keys: list[tuple[str, set[str]]], start: int) -> float:
    """How much a first-level heading is worth that no statement contains: shared words, or its place above the body."""
    words = set(tokens(block.text.lower()))
    if len(words) < 3 or any(flag in block.node.names for flag in ("logo", "site", "brand")):
        return 0.0
    shared = max((len(words & other) / len(words) for _, other in keys), default=0.0)
    near = 0.3 if 0 <= start - block.index <= 15 else 0.0
    return max(near, 0.6 * shared if shared >= 0.3 else 0.0)


def _above(page: Page, body: Sequence[Block], stated: list[tuple[str, str]], names: set[str]) -> Title | None:
    """The heading-like line right above the body, where all that the page states is the name of the site or section."""
    if not body:
        return None
    said = set(tokens(" ".join(block.text for block in body).lower()))
    told = 0.0
    for _, text in stated:
        cleaned = strip_site(text, names, strict=True)
        if units(cleaned) >= 5 and squash(cleaned) not in names:
            told = max(told, _on_topic(cleaned, said))
            if told >= _ON_TOPIC and len(_SEPARATOR.findall(text)) < 2:
                return None
    start = body[0].index
    found: tuple[float, Block] | None = None
    for block in page.blocks[max(0, start - 12) : start + 2]:
        score = _line_score(block, start - block.index)
        if score > 1.0 and (found is None or score > found[0]) and squash(block.text) not in names:
            found = (score, block)
    if found is None or (told and _on_topic(found[1].text, said) <= told):
        return None
    return Title(found[1].text, "above", 0.4)


def _on_topic(text: str, said: set[str]) -> float:
    """The share of a line's words (long ones, and Chinese characters) that the article's text has, too."""
    words = {word for word in tokens(text.lower()) if len(word) > 3 or word > "\u3000"}
    return len(words & said) / len(words) if words else 0.0


def _line_score(block: Block, distance: int) -> float:
    size = units(block.text)
    if not 3 <= size <= 25 or block.link_chars > 0.5 * len(block.text) or block.node.hidden:
        return 0.0
    low = block.text.lower()
    if any(TEXT_PATTERNS[index].search(low) for index in _NOT_HEADLINES) or block.text[-1] in ".:。：,;":
        return 0.0
    heading = 1.5 if block.node.tag in _HEADINGS else 0.0
    bold = 1.0 if block.marked_chars > 0.8 * len(block.text) else 0.0
    named = 1.5 if _HEADLINE_NAMES.search(block.node.names) else 0.0
    return 1.0 + heading + bold + named - 0.1 * distance
