"""Everything on a page that could be its headline.

A page says its headline in several places that seldom agree to the letter: headings, JSON-LD, OpenGraph, ``title`` with
the names of section and site. A candidate is one wording, wherever it stands.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from articlebot.errors import RefusedError
from articlebot.extraction.fields.byline_labels import names_in_line
from articlebot.extraction.fields.info_line import is_day, is_filed
from articlebot.page.blocks import Block
from articlebot.page.metadata import article_nodes
from articlebot.page.page import Page
from articlebot.page.text import line_of, squash
from articlebot.urls import same_site
from articlebot.urls import site as site_of

MAX_CHARS, _MAX_CANDIDATES, _MAX_PARTS, _MAX_NAME, _MAX_PIECES = 300, 80, 6, 30, 6
_MOST_ABOVE = 60  # links of a page's head among which those to the folders above are looked for
_MIN_LINE, _MIN_SAID, _ABOVE, _BELOW, FAR = 8, 6, 25, 3, 60
# The longest day alone, credit and byline.
_DAY_CHARS, _CREDIT_CHARS, _BYLINE_CHARS = 40, 40, 60
# Who wrote it, where it comes from, which frames have for a title, or when it came and how often it was read.
_CREDIT = re.compile(
    r"\W{0,3}(?:作者|撰文|(?:责任)?编辑|(?:責任)?編輯|来源|來源|(?:发布|发表|更新|录入|添加|發布|發表)(?:时间|日期|時間)|(?:浏览|点击|阅读|瀏覽|點擊)(?:次数|次數|量|数)?|(?:公開|掲載|更新|登録)日時?|(?:작성|등록|입력|게시)일시?)\s?[:：]"
)
SEPARATOR = re.compile(
    r"(?<!\s)\s+[-–—‒|•·»›«‹:/~]+\s+|(?:(?<!\s)\s+)?(?:[|｜ㅣ»›«‹_]+|--+|::)\s*|—{2,}|(?<!\s)\s+[-–—|]|[-–—](?=[\u4e00-\u9fff])"
)
SEPARATORS = frozenset("-–—‒|•·»›«‹:/~｜ㅣ_")  # without one of them there is no separator
# Where only a second look tells a separator from a hyphen or colon of the headline itself.
_LOOSE = re.compile(
    r"(?<!\s)\s+[-–—:]+\s+|(?:(?<!\s)\s+)?(?:[|｜»›«‹_]+|--+)\s*|:\s+|：|[-–—]\s|\s[-–—]|(?<=[^\W\d_])-(?=[A-Z])|\(|\)"
)
_LOOSE_SIGNS = frozenset("-–—:|｜»›«‹_：()")
HEADINGS = {"h1": 6.0, "h2": 5.0, "h3": 4.0, "h4": 3.0, "h5": 2.0, "h6": 1.0}
ALTERNATIVE = "alternative"  # rule of JSON-LD's alternativeHeadline: another headline, or a sentence about the article
# An entity that is text: a template escaped it twice.
_ESCAPED = re.compile(r"&(?:#\d{2,5}|#x[0-9a-fA-F]{2,4}|amp|quot|apos|nbsp);")
_INVISIBLE = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF))
_KICKER = re.compile(
    r"kicker|over-?(?:line|title)|eyebrow|top-?line|catch-?line|(?:pre|super)-?title|roof-?line|dachzeile|spitzmarke|"
    r"sur-?titre|ante-?titulo|occhiello|\blabel\b"
)
# What a forum has before a thread's title: [公告], "Thread:".
THREAD_KIND = re.compile(r"\[[^\[\]]{1,10}\]|(?:thread|topic|主题)\s?[:：]", re.I)
BEHIND_KICKER, _ENDS = 2, " \t\n-–—:|•·/»›"  # the first of `Candidate.piece`
_META_RULES = ("headline", "dc.title", "dcterms.title", "sailthru.title", "parsely-title", "articletitle", "title")


class Candidate:
    """One wording of the headline.

    Attributes:
        text: as the page shows it; rule: where it stands, such as ``h1``, ``jsonld``, ``title``.
        blocks: the blocks that are this wording.
        part: it is a part of what some place states, not all of it.
        piece: it is an element of its own inside of a heading, behind (2) or without (1) one named as a kicker; else 0.
    """

    __slots__ = ("blocks", "key", "part", "piece", "rule", "text")

    def __init__(self, text: str, key: str, rule: str, *, part: bool) -> None:
        self.text, self.key, self.rule, self.part = text, key, rule, part
        self.piece = 0
        self.blocks: list[Block] = []


class Said(NamedTuple):
    """What the page states for its title in one place; rule ``meta`` and ``title`` are the document's own."""

    rule: str
    text: str
    key: str


def stated(page: Page) -> list[Said]:
    """What the page says its title is, best first."""
    found: list[tuple[str, str]] = []
    for node in article_nodes(page.jsonld):
        for key in ("headline", "name"):
            value = node.get(key)
            if isinstance(value, str) and value.strip():
                found.append(("jsonld", value))
                break
    for key in ("og:title", "twitter:title", *_META_RULES):
        rule = key if key in ("og:title", "twitter:title") else "meta"
        found.extend((rule, value) for value in page.meta.get(key, ())[:1])
    if page.title:
        found.append(("title", page.title))
    found = found[:12]
    alternatives = (node.get("alternativeHeadline") for node in article_nodes(page.jsonld))
    found += [(ALTERNATIVE, text) for text in alternatives if isinstance(text, str) and text.strip()][:1]
    cleaned = [(rule, " ".join(html.unescape(text).translate(_INVISIBLE).split())[:MAX_CHARS]) for rule, text in found]
    return [Said(rule, text, squash(text)) for rule, text in cleaned if not _is_credit(text)]


def site_names(page: Page) -> set[str]:
    """The squashed names by which the page calls its site, and its host's."""
    names = {
        squash(value)
        for key in ("og:site_name", "application-name", "al:ios:app_name", "twitter:site")
        for value in page.meta.get(key, ())
    }
    for node in article_nodes(page.jsonld):
        publisher = node.get("publisher")
        if isinstance(publisher, dict) and isinstance(publisher.get("name"), str):
            names.add(squash(publisher["name"]))
    names.update(host_name(page.url))
    return {name for name in names if 1 < len(name) <= _MAX_NAME}


def names_above(page: Page) -> set[str]:
    """What names the site: words with which the document's title begins or ends and a link says that leads to the
    front, or to a folder well above; the name in brackets behind it, as of wikis; the front page's own; squashed.

    The folder right above may be an article's first page, to which its headline leads back, as /?p=9 to itself."""
    title, own = squash(page.title), _path(page.url)
    before, _, behind = page.title.rpartition("[")
    named = (page.front.title, behind if before and behind.endswith("]") else "")
    deep, found = own.rstrip("/").count("/"), set(map(squash, named)) - {""}
    for element in page.by_tag["a"][:_MOST_ABOVE] if title else ():
        key = squash("".join(map(str, element.itertext()))[:MAX_CHARS])
        if 1 < len(key) < len(title) and (title.startswith(key) or title.endswith(key)):
            there = page.resolve(element.get("href") or "")
            path = _path(there)
            above = path.endswith("/") and own.startswith(path) and path.rstrip("/").count("/") + 1 < deep
            if (path == "/" or above) and there.partition("#")[0] != page.url and same_site(there, page.url):
                found.add(key)
    return found


def _path(url: str) -> str:
    """The path of an absolute address, "/" where it has none."""
    return "/" + url.partition("://")[2].partition("/")[2].partition("?")[0].partition("#")[0]


def host_name(url: str) -> tuple[str, str]:
    """The squashed host of an address without ``www.``, and its first label; empty where there is none."""
    try:
        host = site_of(url).removeprefix("www.") if url else ""
    except RefusedError:
        host = ""
    return squash(host), squash(host.partition(".")[0])


def candidates(page: Page, body: Sequence[Block], said: Sequence[Said]) -> list[Candidate]:
    """The wordings worth a look, at most 80: statements, their parts, headings, and lines above the body."""
    found = _Found(host_name(page.url))
    for block in _lines(page, body, said):
        one = found.add(block.text, heading_of(block) or block.node.tag, part=False)
        if one is not None:
            one.blocks.append(block)
    headings = [c for c in found.by_key.values() if c.rule in ("h1", "h2")]
    lower = [c for c in found.by_key.values() if c.rule == "h3"] if not headings else []
    for statement in said:
        found.add(statement.text, statement.rule, part=False)
    whole = [(statement.rule, statement.text) for statement in said if statement.rule != ALTERNATIVE]
    for rule, text in whole + [(c.rule, c.text) for c in headings[:4]]:
        for part in _parts(text, loose=rule not in HEADINGS):
            found.add(part, rule, part=True)
    for block in [block for c in headings or lower for block in c.blocks][:_MAX_PIECES]:
        for text, piece in _pieces(block):
            found.add_piece(text, heading_of(block), piece)
    return list(found.by_key.values())


class _Found:
    """The candidates so far, by their squashed wording."""

    def __init__(self, host: tuple[str, str]) -> None:
        self.by_key: dict[str, Candidate] = {}
        self._host = host

    def add(self, text: str, rule: str, *, part: bool) -> Candidate | None:
        """The candidate of this wording, None where it can be none or there are too many."""
        text = wording(text)
        key = squash(text)
        if len(key) < 2 or len(text) > MAX_CHARS or key in self._host:
            return None
        known = self.by_key.get(key)
        if known is None:
            if len(self.by_key) >= _MAX_CANDIDATES:
                return None
            known = self.by_key[key] = Candidate(text, key, rule, part=part)
        elif not part and (known.part or (rule in HEADINGS and known.rule not in HEADINGS)):
            known.part, known.text, known.rule = False, text, rule  # crumbs may repeat a heading in small letters
        return known

    def add_piece(self, text: str, rule: str, piece: int) -> None:
        """Adds a part of a heading as its markup cuts it, which is better than a cut at some separator."""
        one = self.add(text, rule, part=True)
        if one is not None:
            one.piece = max(one.piece, piece)
            one.text = text if one.part else one.text


def wording(text: str) -> str:
    """A text without unseen characters, and with those that a template has escaped twice."""
    return _ESCAPED.sub(lambda match: html.unescape(match[0]), text.translate(_INVISIBLE)).strip()


def heading_of(block: Block) -> str:
    """The tag of the heading that a block is, or that is one of the two elements around it; "" for none."""
    node = block.node
    if node.tag in HEADINGS:
        return node.tag
    above = node.parent
    if above is None or above.tag in HEADINGS:
        return above.tag if above is not None else ""
    above = above.parent
    return above.tag if above is not None and above.tag in HEADINGS else ""


def _pieces(block: Block) -> list[tuple[str, int]]:
    """The elements and the rest that a heading is made of, each with what `Candidate.piece` is for it."""
    element = block.node.element
    while len(element) == 1 and not (element.text or "").strip() and not (element[0].tail or "").strip():
        element = element[0]
    found: list[tuple[str, int]] = []
    kicker, begun = False, bool((element.text or "").strip())
    for child in islice(element, _MAX_PIECES):
        text = line_of(child).strip(_ENDS)
        tail = " ".join((child.tail or "").split()).strip(_ENDS)
        if text:
            found.append((text, BEHIND_KICKER if kicker else 1))
        marked = (
            _KICKER.search((child.get("class") or "").lower()) is not None or THREAD_KIND.fullmatch(text) is not None
        )
        kicker = kicker or (not begun and marked)
        if tail:
            found.append((tail, BEHIND_KICKER if kicker else 1))
    return found if len(found) > 1 else []


def _lines(page: Page, body: Sequence[Block], said: Sequence[Said]) -> list[Block]:
    """Headings, lines that a statement contains, and the lines right above the body."""
    start = body[0].index if body else len(page.blocks)
    near = range(start - _ABOVE, start + _BELOW)
    kept = []
    for block in page.blocks[: start + FAR]:
        size = len(block.text)
        if size > MAX_CHARS or size < 2 or (size <= _DAY_CHARS and is_day(block.text)) or _is_credit(block.text):
            continue
        tag = heading_of(block)
        heading = bool(tag) and (block.index <= start + _BELOW or tag in ("h1", "h2"))
        if heading or (size >= _MIN_LINE and (_may_be_headline(block, near) or _is_said(block, said))):
            kept.append(block)
    if len(kept) > _MAX_CANDIDATES:
        kept.sort(key=lambda block: (heading_of(block) != "h1", abs(block.index - start)))
        kept = sorted(kept[: _MAX_CANDIDATES * 3 // 4], key=lambda block: block.index)
    return kept


def _is_credit(text: str) -> bool:
    return (len(text) <= _CREDIT_CHARS and _CREDIT.match(text) is not None) or is_filed(text)


def _may_be_headline(block: Block, near: range) -> bool:
    """Whether a line stands where headlines do, neither a link nor a byline: ``By Ann Lee``, ``本报记者 王小明``.

    Of 55,783 headlines of the corpus three read as bylines.
    """
    is_near = block.index in near and block.link_chars * 2 < len(block.text)
    return is_near and not (len(block.text) <= _BYLINE_CHARS and names_in_line(block.text))


def _is_said(block: Block, said: Sequence[Said]) -> bool:
    word = block.text.split(None, 1)[0].lower()
    if word.isalnum() and not any(word in one.key for one in said):
        return False  # most lines; to squash them all takes longer
    key = squash(block.text)
    return len(key) >= _MIN_SAID and any(key in one.key for one in said)


def _parts(text: str, *, loose: bool) -> list[str]:
    """What is left of a title when parts are cut off at either end; ``loose``: at colons and single dashes, too."""
    found: list[str] = []
    for pattern, signs in ((SEPARATOR, SEPARATORS), (_LOOSE, _LOOSE_SIGNS)):
        if signs.isdisjoint(text) or (signs is _LOOSE_SIGNS and not loose):
            continue
        matches = list(pattern.finditer(text))[:_MAX_PARTS]
        for match in matches:
            found += [text[: match.start()], text[match.end() :]]
        found += [text[a.end() : b.start()] for a, b in pairwise(matches)]
    return found
