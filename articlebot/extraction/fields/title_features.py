"""What speaks for and against each candidate for a headline, as numbers. None of them is a word of a site."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice
from typing import Final
from urllib.parse import unquote, urlsplit

from articlebot.extraction.fields.title_candidates import (
    ALTERNATIVE,
    FAR,
    HEADINGS,
    SEPARATOR,
    SEPARATORS,
    Candidate,
    Said,
    heading_of,
)
from articlebot.extraction.generic.words import TEXT_PATTERNS
from articlebot.page.blocks import Block
from articlebot.page.page import Page
from articlebot.page.text import squash, tokens, word_count

# All but advertising, which is not among the features.
_WORDINGS = TEXT_PATTERNS[:6] + TEXT_PATTERNS[7:9]
# What newspapers, stations and portals call themselves in many places.
_MEDIUM = re.compile(
    r"(?:新闻|新聞|日报|日報|晚报|晚報|早报|早報|电子报|電子報|网|網|频道|頻道|电视台|電視台|通讯社|通訊社|일보|신문|뉴스)\S{0,4}\s*\Z|"
    r"\b(?:News|Newspaper|Times|Daily|Gazette|Herald|Online|Tribune|Journal|Magazine|Radio|TV|Press|Network|\w+\.(?:com|net|org))\s*\Z"
)
_HEADLINE_NAMES = re.compile(r"head(?:line|er-?title|ing)|title|\btit\b|\bhe?a?d\b|entry-name|biaoti")
_SUBTITLE_NAMES = re.compile(r"sub-?(?:title|head)|dec?k\b|stand-?first|summary|kicker|overline|eyebrow|teaser|lead")
_UNSEEN_NAMES = re.compile(r"seo|sr-?only|visually|screen-?reader|hidden|a11y|offscreen|invisible")
_CRUMB_LEVELS = 6
_KICKER_END = re.compile(r": | [-–—|] ")
_OTHER_NAMES = re.compile(
    r"site|logo|brand|nav|widget|related|sidebar|section|block-?title|comment|module|card|teaser|menu|crumb|foot"
)

FEATURES: Final = (
    "jsonld og twitter meta document agreed contained_in contains share_of_longest share_of_document document_starts "
    "document_ends og_contains jsonld_contains words_og words_jsonld words_document is_block heading h1_count "
    "heading_order first_h1 named subtitle_named other_named hidden link_share marked before_body behind_body times "
    "in_crumbs behind_links headings_between units chars separators ends_stop question colon upper site_name "
    "site_within medium part part_of_heading piece on_topic on_lead alternative slug slug_size in_slug "
    "page_statements page_agree page_h1_said copyright byline date more share sign_up photo notice digits "
    "longer_stated quoted next_to_h1 h1_within within_h1 unseen h1_as_jsonld document_as_jsonld og_as_jsonld h1_as_og "
    "h1_as_document h1_as_alternative slug_to_best on_topic_to_best words_document_to_best in_slug_to_best"
).split()
# Columns that say more when compared with the best candidate of the page.
_COMPARED = tuple(FEATURES.index(name) for name in ("slug", "on_topic", "words_document", "in_slug"))


class _Frame:
    """What is the same for all candidates of a page."""

    def __init__(self, page: Page, body: Sequence[Block], said: Sequence[Said], names: set[str]) -> None:
        self.blocks, self.names = page.blocks, names
        self.said = [one for one in said if one.rule != ALTERNATIVE]
        self.alternative = next((one.key for one in said if one.rule == ALTERNATIVE), "")
        self.start = body[0].index if body else len(page.blocks)
        text = " ".join([block.text for block in body[:40]])[:6000].lower()
        first = min(800, sum(len(block.text) + 1 for block in body[:3]))
        self.lead = set(tokens(text[:first]))
        self.words = self.lead | set(tokens(text[first:]))
        headings = [(block, tag) for block in page.blocks[: self.start + FAR] if (tag := heading_of(block))]
        self.headings = [block.index for block, _ in headings if block.index < self.start]
        self.ranks = {block.index: HEADINGS[tag] for block, tag in headings}
        crumb = next((block for block, tag in headings if tag == "h1"), None)
        shown = _shown_below(crumb, headings, page.blocks, said, self.start) if crumb is not None else None
        if crumb is not None and shown is not None:
            self.ranks |= {crumb.index: 0.0, shown.index: HEADINGS["h1"]}
        self.by_rule = {
            rule: next((s for s in said if s.rule == rule), None) for rule in ("jsonld", "og:title", "title")
        }
        self.said_words = {rule: set(tokens(s.text.lower())) if s else set() for rule, s in self.by_rule.items()}
        self.h1 = [block for block, _ in headings if self.ranks[block.index] == HEADINGS["h1"]]
        self.h1_keys = [squash(block.text) for block in self.h1]
        self.slug = _slug(page.url)
        self.quarrel = self._quarrel()
        self.statements = len({s.key for s in self.said})
        self.agree = max((sum(s.key == t.key for t in self.said) for s in self.said), default=0)
        self.h1_said = max(
            (len(k) / len(s.key) for k in self.h1_keys for s in self.said if k and k in s.key), default=0.0
        )
        self.longest = max((len(s.key) for s in self.said), default=0)

    def _quarrel(self) -> list[float]:
        """Which places say the same (1) and which do not (0); -1 where one of the two is silent."""
        jsonld, og, document = (said.key if said else "" for said in self.by_rule.values())
        h1 = next((key for key in self.h1_keys if key), "")

        def same(one: str, other: str) -> float:
            return float(one in other or other in one) if one and other else -1.0

        agree = [same(h1, jsonld), same(document, jsonld), same(og, jsonld), same(h1, og), same(h1, document)]
        return [*agree, same(h1, self.alternative)]


def _plain(text: str) -> str:
    """Latin letters as addresses spell them: ``gruen`` for ``grün``."""
    for letter, spelled in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("ø", "o"), ("æ", "ae"), ("ı", "i")):
        text = text.replace(letter, spelled)
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def _slug(url: str) -> set[str]:
    """The words of the address' last segments that look like a headline."""
    try:
        parts = urlsplit(url)
        segments = [s for s in re.split(r"[/&?]", unquote(f"{parts.path}?{parts.query}").lower()) if s]
    except ValueError:
        return set()
    best = max((set(re.findall(r"[^\W\d_]{2,}", s)) for s in segments), key=len, default=set())
    return best if len(best) > 2 else set()


def rows(
    page: Page, body: Sequence[Block], said: Sequence[Said], names: set[str], found: Sequence[Candidate]
) -> list[list[float]]:
    """The features of each candidate, in the order of :data:`FEATURES`."""
    frame = _Frame(page, body, said, names)
    table = [_row(candidate, frame) for candidate in found]
    for column in _COMPARED:
        best = max((row[column] for row in table), default=0.0)
        for row in table:
            row.append(row[column] - best)
    return table


def _row(c: Candidate, f: _Frame) -> list[float]:
    words = set(tokens(c.text.lower()))
    plain = words if c.text.isascii() else words | set(tokens(_plain(c.text.lower())))
    long_words = {word for word in words if len(word) > 3 or word > "\u3000"}
    return [*_agreement(c, f, words), *_place(c, f), *_wording(c, f, plain, long_words)]


def _agreement(c: Candidate, f: _Frame, words: set[str]) -> list[float]:
    key, rules = c.key, {s.rule for s in f.said if s.key == c.key}
    within = [s for s in f.said if key in s.key]
    document, og, jsonld = f.by_rule["title"], f.by_rule["og:title"], f.by_rule["jsonld"]
    return [
        *(float(rule in rules) for rule in ("jsonld", "og:title", "twitter:title", "meta", "title")),
        float(sum(s.key == key for s in f.said)),
        float(len(within)),
        float(sum(len(s.key) > 4 and s.key in key for s in f.said)),
        len(key) / f.longest if f.longest else -1.0,
        len(key) / len(document.key) if document and document.key and key in document.key else -1.0,
        float(document is not None and document.key.startswith(key)),
        float(document is not None and document.key.endswith(key)),
        float(og is not None and key in og.key),
        float(jsonld is not None and key in jsonld.key),
        *(_overlap(words, f.said_words[rule]) for rule in ("og:title", "jsonld", "title")),
    ]


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one and other else -1.0


def _place(c: Candidate, f: _Frame) -> list[float]:
    if not c.blocks:
        return [0.0, 0.0, float(len(f.h1)), -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 99.0, -1.0, 0.0, 0.0, 0.0, -1.0]
    best = max(c.blocks, key=lambda b: (not b.node.hidden, f.ranks.get(b.index, 0.0), -abs(f.start - b.index)))
    names, size = best.node.names, max(1, len(best.text))
    order = sum(block.index < best.index for block in f.h1)
    return [
        1.0,
        f.ranks.get(best.index, 0.0),
        float(len(f.h1)),
        float(order),
        float(f.ranks.get(best.index) == HEADINGS["h1"] and order == 0),
        float(_HEADLINE_NAMES.search(names) is not None),
        float(_SUBTITLE_NAMES.search(names) is not None),
        float(_OTHER_NAMES.search(names) is not None),
        float(best.node.hidden),
        best.link_chars / size,
        best.marked_chars / size,
        float(min(99, max(-5, f.start - best.index))),
        float(max(-1, best.index - f.start)),
        float(len(c.blocks)),
        float(_in_crumbs(best)),
        float(_behind_links(best, f.blocks)),
        float(len(f.headings) - bisect_right(f.headings, best.index)),
    ]


def _shown_below(
    h1: Block, headings: Sequence[tuple[Block, str]], blocks: Sequence[Block], said: Sequence[Said], start: int
) -> Block | None:
    """The heading that is shown for the headline where the ``h1`` is the end of the breadcrumbs above it.

    It is one that OpenGraph states, whole or behind a kicker, or JSON-LD twice.
    """
    if not (_in_crumbs(h1) or _behind_links(h1, blocks)):
        return None
    key = squash(h1.text)
    by_rule = {one.rule: one for one in reversed(said)}
    og, jsonld, other = (by_rule.get(rule) for rule in ("og:title", "jsonld", ALTERNATIVE))
    wordings = {squash(text) for text in (og.text, *_KICKER_END.split(og.text, maxsplit=1)[1:])} if og else set()
    if jsonld and other and jsonld.key == other.key:
        wordings.add(jsonld.key)
    for block, _ in headings:
        if h1.index < block.index < start and squash(block.text) != key and squash(block.text) in wordings:
            return block
    return None


def _in_crumbs(block: Block) -> bool:
    """Whether a line is the end of a page's breadcrumbs, where some have an ``h1`` that is not their headline."""
    nodes = islice(block.node.ancestors(), _CRUMB_LEVELS)
    return any(node.tag == "nav" or "crumb" in node.names for node in nodes)


def _behind_links(block: Block, blocks: Sequence[Block]) -> bool:
    """Whether the element before it, of the same parent, is made of links."""
    parent = block.node.parent
    if not block.index or parent is None:
        return False
    before = blocks[block.index - 1]
    near = before.node is parent or before.node is parent.parent
    return near and before.link_chars * 10 > 8 * len(before.text)


def _wording(c: Candidate, f: _Frame, words: set[str], long_words: set[str]) -> list[float]:
    text, low = c.text, c.text.lower()
    letters = [char for char in text if char.isalpha()]
    return [
        word_count(text),
        math.log1p(len(text)),
        0.0 if SEPARATORS.isdisjoint(text) else float(len(SEPARATOR.findall(text))),
        float(text[-1] in ".。:：,;，"),
        float(text[-1] in "?？!！"),
        float(":" in text or "：" in text),
        sum(map(str.isupper, letters)) / len(letters) if letters else 0.0,
        float(_is_site(text, f.names)),
        float(any(len(name) > 4 and name in c.key for name in f.names)),
        float(_MEDIUM.search(text) is not None),
        float(c.part),
        float(c.part and c.rule in HEADINGS),
        float(c.piece),
        len(long_words & f.words) / len(long_words) if long_words else -1.0,
        len(long_words & f.lead) / len(long_words) if long_words else -1.0,
        float(bool(f.alternative) and c.key == f.alternative),
        len(f.slug & words) / len(f.slug) if f.slug else -1.0,
        float(len(f.slug)),
        len(f.slug & words) / len(long_words) if f.slug and long_words else -1.0,
        float(f.statements),
        float(f.agree),
        f.h1_said,
        *(float(pattern.search(low) is not None) for pattern in _WORDINGS),
        sum(map(str.isdigit, text)) / len(text),
        float(any(len(s.key) > len(c.key) and c.key in s.key for s in f.said)),
        float(text[0] in "\"'“‘«„「"),
        float(any(abs(b.index - h.index) == 1 for b in c.blocks for h in f.h1)),
        float(any(key and key != c.key and key in c.key for key in f.h1_keys)),
        float(any(key != c.key and c.key in key for key in f.h1_keys)),
        float(any(_UNSEEN_NAMES.search(b.node.names) is not None for b in c.blocks)),
        *f.quarrel,
    ]


def _is_site(part: str, names: set[str]) -> bool:
    """Whether a part of a title is a name of the site."""
    key = squash(part)
    return not key or any(
        key == name or (len(key) > 3 and key in name) or (len(name) > 4 and key.startswith(name)) for name in names
    )
