"""The headline of an article, without the site's name."""

from __future__ import annotations

import functools
import gzip
import json
import re
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Final, NamedTuple
from urllib.parse import unquote

import numpy as np

from articlebot.extraction.fields.info_line import is_day
from articlebot.extraction.fields.title_candidates import (
    BEHIND_KICKER,
    MAX_CHARS,
    SEPARATOR,
    SEPARATORS,
    THREAD_KIND,
    Candidate,
    Said,
    candidates,
    heading_of,
    names_above,
    site_names,
    stated,
    wording,
)
from articlebot.extraction.fields.title_features import FEATURES, rows
from articlebot.extraction.generic.trees import Array, Trees
from articlebot.page.blocks import Block
from articlebot.page.page import Page
from articlebot.page.text import squash, units

_SLUG: Final = FEATURES.index("slug")
_STATED_BY_JSONLD: Final = FEATURES.index("jsonld")
_STATED_BY_OG: Final = FEATURES.index("og")
_SAID: Final = FEATURES.index("contained_in")
_DOCUMENT_STARTS: Final = FEATURES.index("document_starts")
_IS_BLOCK, _BEFORE_BODY, _UNITS, _ON_TOPIC, _HEADING, _MARKED, _NAMED, _LINKED, _SITE_NAME = (
    FEATURES.index(name)
    for name in "is_block before_body units on_topic heading marked named link_share site_name".split()
)
_SEPARATORS, _MEDIUM, _DATE = (FEATURES.index(name) for name in "separators medium date".split())
# What a line is that is no headline.
_OTHER: Final = [
    FEATURES.index(name) for name in "byline date more share sign_up photo ends_stop subtitle_named hidden".split()
]
_UNLIKELY: Final = 0.05  # probability below which the classifier knows no headline
_ABOVE, _MAX_UNITS = 25, 35
_NO_HEADLINE, _UNSEEN, _ALL_BOLD = -10.0, 0.8, 0.8
_DATA: Final = frozenset({"jsonld", "og:title"})
# On every second page of the corpus, WCXB and the redesigns all 765 headings that data state were the classifier's
# choice; of the long ones that a title alone begins with, all 160 on the sets, WCXB and every third of the redesigns.
_AGREED: Final = 0.99
_LONG: Final = 20  # units
# Which of an article's pages it is, as Japanese and Chinese sites print it: （1/2 ページ）. And a separator of crumbs.
_PAGE: Final = re.compile(
    r"(?<!\s)\s{0,3}[（(]\s?\d{1,2}\s?[/／]\s?\d{1,2}\s?(?:ページ|页|頁)\s?[）)]\Z|(?<!\s)\s[|•·/»›]\Z"
)
_LEAST_NAME: Final = 4
_NUMBERS: Final = re.compile(r"\d{6,}")  # a day, 28 11 2026
_CLEARLY: Final = 0.3  # share of the address' words by which one wording must be nearer to it than another


class Title(NamedTuple):
    """A headline, the place that gave it (a tag, ``jsonld``, ``og:title`` ...), and 0..1 how sure that is."""

    text: str
    rule: str
    confidence: float


def without_author(title: str, authors: Sequence[str]) -> str:
    """A headline without the name of who wrote it, which Chinese papers print before that of an essay: 何晓东：远山."""
    name, colon, rest = title.partition("：")
    return rest.strip() if colon and rest.strip() and name.strip() in authors else title


def title_of(page: Page, body: Sequence[Block]) -> Title:
    """The headline of a page whose article is made of the blocks ``body`` (may be empty).

    Headings, what the page states for its title, the parts of both, and the lines above the body are candidates; a
    classifier that has seen how pages of many sites state their headlines chooses among them. It is not asked where
    the page's only main heading is what its data state.
    """
    found = next(titles_of(page, body), Title("", "none", 0.0))
    return found._replace(text=headline(found.text, page))


def headline(text: str, page: Page) -> str:
    """What an element of a page says, as its article's headline: without unseen characters, page number and site."""
    return _closed(_without_site(_PAGE.sub("", wording(text)), page), page)


def _closed(text: str, page: Page) -> str:
    """A headline with the mark that ends its last quotation, which is a separator of crumbs elsewhere."""
    if text.count("«") <= text.count("»"):
        return text
    whole = " ".join(page.title.split())
    return next((text + end for end in ("»", " »") if text + end in whole), text)


def _without_site(text: str, page: Page) -> str:
    """A headline without the site's name at its end, which some templates set within their headings, too.

    Behind a bar the name may go on: ``| Splunk Blog``.
    """
    cut = None if SEPARATORS.isdisjoint(text) else next(reversed([*SEPARATOR.finditer(text)]), None)
    if cut is None or not cut.start():
        return text
    names, behind = site_names(page), squash(text[cut.end() :])
    goes_on = "|" in cut[0] and behind.startswith(tuple(name for name in names if len(name) >= _LEAST_NAME))
    return text[: cut.start()] if behind in names or goes_on else text


def titles_of(page: Page, body: Sequence[Block]) -> Iterator[Title]:
    """All candidates for a page's headline, best first."""
    said = stated(page)
    if (agreed := _agreed(page, said)) is not None:
        yield agreed
    yield from _ranked(page, body, said)


def _agreed(page: Page, said: Sequence[Said]) -> Title | None:
    """The page's only main heading, where JSON-LD or OpenGraph state just that, and all that they state has it.

    Where they state nothing, it is a long one that the document's title begins with.
    """
    keys = {one.key for one in said if one.rule in _DATA}
    documents = [one.text for one in said if one.rule == "title"]
    headings = [block for block in page.blocks if heading_of(block) == "h1"] if keys or documents else []
    if not headings or len({squash(block.text) for block in headings}) > 1:
        return None
    text = wording(headings[0].text)
    key = squash(text)
    # The heading may have a sign besides, as that of a permanent link.
    whole = next((one.text for one in said if one.key == key and one.text in text), text)
    begins = not keys and units(text) >= _LONG and all(document.startswith(text) for document in documents)
    plain = (key in keys or begins) and len(key) > 1 and len(text) <= MAX_CHARS and not THREAD_KIND.match(text)
    if not plain or not all(key in one for one in keys) or key in (*site_names(page), squash(page.front.title)):
        return None
    return Title(whole, "h1", _AGREED)


def _ranked(page: Page, body: Sequence[Block], said: Sequence[Said]) -> list[Title]:
    found = candidates(page, body, said)
    if not found:
        return []
    table = np.array(rows(page, body, said, site_names(page), found), dtype=np.float32)
    above = names_above(page)
    # What leads to the pages above is none, though old templates mark it as they mark a headline.
    likely = [
        one.key not in above and not _is_page_name(one.text, page.url) and not _NUMBERS.fullmatch(one.key)
        for one in found
    ]
    chances = _model().probabilities(table) * np.array(likely)
    best = choose(found, table, chances)
    order = sorted(range(len(found)), key=lambda index: (index != best, -chances[index]))
    return [Title(found[index].text, found[index].rule, float(chances[index])) for index in order]


def choose(found: Sequence[Candidate], table: Array, chances: Array) -> int:
    """The index of the headline.

    The likeliest, but JSON-LD's in two cases: the page's address clearly has its words and the document's title has not
    (heading and title are then rewritten for search engines), or it is the heading with the words before a colon that
    OpenGraph has, too. Of a wording that was cut short the whole one, as of a heading of several lines. Where nothing
    is likely at all, because the page states nothing but names and has no headings, the line that looks most like one.
    """
    best = int(chances.argmax())
    if chances[best] < _UNLIKELY and not (table[best, _HEADING] and table[best, _SAID]):
        # 0 is of what leads to the pages above.
        likely = [index for index in range(len(found)) if chances[index]] or [best]
        return _behind_day(found, max(likely, key=lambda i: _like_a_headline(table[i]) + float(chances[i])))
    start = found[best].text.rstrip(". …")
    if found[best].text.endswith(("...", "…")):
        longer = (i for i, one in enumerate(found) if one.text.startswith(start) and len(one.text) > len(start) + 3)
        best = next((i for i in longer if not found[i].text[len(start) :].startswith(("...", "…"))), best)
    best = _behind_crumbs(found, _of_all_lines(found, best))
    for index, one in enumerate(found):
        # A kicker inside of the heading, where what the page states goes without.
        if one.piece == BEHIND_KICKER and one.key in found[best].key and not table[best, _SAID] and table[index, _SAID]:
            return index
        if one.piece and THREAD_KIND.fullmatch(found[best].text.removesuffix(one.text).strip()):
            return index
    for index, candidate in enumerate(found):
        if index == best or not table[index, _STATED_BY_JSONLD]:
            continue
        nearer = table[index, _SLUG] - table[best, _SLUG] >= _CLEARLY and not table[index, _DOCUMENT_STARTS]
        kicker, _, rest = candidate.text.partition(": ")
        prefixed = rest == found[best].text and len(kicker) < 2 * len(rest) and bool(table[index, _STATED_BY_OG])
        if nearer or prefixed:
            return index
    return _behind_day(found, best)


def _behind_day(found: Sequence[Candidate], best: int) -> int:
    """The candidate that stands in a heading behind its day, an element of its own: ``2026-11-28 Old bridge``."""
    text = found[best].text
    pieces = (index for index, one in enumerate(found) if one.piece and is_day(text.removesuffix(one.text).strip()))
    return next(pieces, best)


def _of_all_lines(found: Sequence[Candidate], best: int) -> int:
    """The candidate that has all lines of a heading that is broken into some, where the best is one of these."""
    nodes = {block.node for block in found[best].blocks if heading_of(block) and block.node.blocks > 1}
    lines = sorted((block.index, one.key) for one in found for block in one.blocks if block.node in nodes)
    whole = "".join(key for _, key in lines)
    return next((index for index, one in enumerate(found) if len(nodes) == 1 and one.key == whole), best)


def _behind_crumbs(found: Sequence[Candidate], best: int) -> int:
    """The candidate in which a line ends that begins with links alone, as crumbs do: ``Notes / posts / Ferry``."""
    text = found[best].text
    for linked in {block.link_chars for block in found[best].blocks if block.link_chars}:
        for index, one in enumerate(found):
            head = text.removesuffix(one.text)
            if one.text and head != text and len(squash(head)) <= linked <= len(head):
                return index
    return best


def _is_page_name(text: str, url: str) -> bool:
    """Whether a wording is what the page's address calls it, as wikis show it: ``news:ferry_times``."""
    return (":" in text or "_" in text) and " " not in text and unquote(url).endswith(text)


def _like_a_headline(row: Array) -> float:
    """How much a line looks like the headline of the body below it: near, short, not linked, and of the same words.

    What the document's title begins with can be one, too, though it is nowhere on the page.
    """
    if row[_SITE_NAME] or not 2 < row[_UNITS] <= _MAX_UNITS:
        return _NO_HEADLINE
    said = 2.0 * max(0.0, float(row[_ON_TOPIC])) + max(0.0, float(row[_SLUG]))
    if not row[_IS_BLOCK] and row[_DOCUMENT_STARTS]:
        return said - _UNSEEN - float(row[_SEPARATORS]) / 3 - float(row[_MEDIUM] + row[_DATE])
    # Of the body: it may begin with the headline.
    first = row[_BEFORE_BODY] == 0 and (row[_MARKED] > _ALL_BOLD or row[_HEADING] > 0)
    if not (row[_IS_BLOCK] and (first or 0 < row[_BEFORE_BODY] <= _ABOVE)):
        return _NO_HEADLINE
    made = float(row[_HEADING] > 0) + float(row[_MARKED] > _ALL_BOLD) / 2 + float(row[_NAMED]) / 2 - float(row[_LINKED])
    return said + made - float(row[_BEFORE_BODY]) / 20 - 0.7 * float(row[_OTHER].sum())


@functools.cache
def _model() -> Trees:
    packed = resources.files(__package__).joinpath("titles.json.gz").read_bytes()
    return Trees(json.loads(gzip.decompress(packed)))
