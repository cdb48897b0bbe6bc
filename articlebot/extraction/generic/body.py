"""Which blocks of a page are its article.

A classifier looks at each block, and again with what it made of the others where it is not certain of the page. Where
it stays unsure of the page as a whole, trafilatura reads the page too.
"""

from __future__ import annotations

import functools
import gzip
import json
import re
from collections.abc import Sequence
from importlib import resources
from itertools import takewhile
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from articlebot.extraction.fields.byline_labels import is_only_label
from articlebot.extraction.fields.info_line import is_byline, is_label, is_person, says_when
from articlebot.extraction.generic import context, features, opinions
from articlebot.extraction.generic.bios import without_bio
from articlebot.extraction.generic.edges import edges
from articlebot.extraction.generic.features import Array, PageHints
from articlebot.extraction.generic.followers import followers, own_chances, said_below, threads, with_posts
from articlebot.extraction.generic.gaps import with_gaps, with_wholes
from articlebot.extraction.generic.inside import FAR
from articlebot.extraction.generic.layers import without_layers
from articlebot.extraction.generic.leads import linked, summaries
from articlebot.extraction.generic.structure import Structure, structure_of
from articlebot.extraction.generic.trees import Trees
from articlebot.page.blocks import Block
from articlebot.page.metadata import article_nodes, types_of
from articlebot.page.page import Page
from articlebot.page.text import squash, units
from articlebot.page.walk import walked

# The threshold of a page is where most F1 is to be expected, within these: F1 of two sets of seven rises by .008 and
# more over .4 for all, none falls by more than .002.
_LOWEST, _HIGHEST = 0.3, 0.5
# Expected F1 below which trafilatura is asked: one article in twenty of sites not seen. At .95 it is one in five for
# .0004 to .0007 of F1 in two trainings; on other pages its reading is wrong as often as right
# (docs/decisions/0007-reading-a-page.md).
SURE: Final = 0.86
# Expected F1 of a page whose article cannot be told from the rest: of 1,354 articles of sites not seen none is below,
# of 199 other pages four, all read wrongly. Of four articles below .45 three had been read well.
REFUSE_BELOW: Final = 0.4
BLOCK_RULES: Final = ("blocks", "blocks+trafilatura")
# Expected F1 from which the second look changes no set by more than .001.
_CERTAIN: Final = 0.97
# Of a page that are judged.
MAX_BLOCKS: Final = 8000
# Of the chosen words, the part outside of comments from which comments are no text: no set of articles loses by it, two
# gain .001 and .002.
_OTHER_TEXT: Final = 0.3
# Words outside of comments that are an article, however much is said below it; where a heading says that it is said,
# a sentence is one. Its lines are doubted above a long thread: of .1 they count. No page of the corpus changes by it.
_ENOUGH_TEXT: Final = 200
_SENTENCE: Final = 10
_DOUBTED: Final = 0.1
# What is left of a comment's chance: of a long thread, .05 each was more in sum than a short article.
_SAID_CHANCE: Final = 0.01
_COMMENT, _LINKED = (features.NAMES.index(name) for name in ("class_comment", "link_density"))
_MIN_COMMENT: Final = 3  # words
_MOST_LINKED: Final = 0.5
# Lines at a text's beginning among which a byline may stand: a subtitle, a dateline.
_HEAD_LINES: Final = 4
# And at its end: a label, names, what leads back to the list; units of each.
_FOOT_LINES: Final = 4
_NAME_UNITS: Final = 60
_ABOUT: Final = re.compile(
    r"\W*(?:about the (?:authors?|writers?)|(?:über|zu) (?:den|die|der|dem) autor(?:in|en|innen)?|"
    r"zur person|à propos de l['’]auteure?s?|sobre (?:el|la|os?|as?) autor[aes]{0,2}|"
    r"(?:关于|關於)作者|作者(?:简介|簡介|介[绍紹]))\W*",
    re.I,
)
_PARAGRAPH: Final = 100  # units, from which on a line is one of the text
_MAX_OPINION_CHARS: Final = 3_000_000
# What JSON-LD calls a page that is no article, and a post of which it may have many.
_OTHERS: Final = frozenset(
    "Product ProductGroup Offer ItemList CollectionPage SearchResultsPage QAPage DiscussionForumPosting ProfilePage "
    "Service".split()
)
_POSTS: Final = frozenset({"DiscussionForumPosting", "Review", "Posting"})


class Body(NamedTuple):
    """The article's blocks in page order.

    Attributes:
        kept: empty where the page has no text at all.
        chances: of every block of the page looked at, the probability that it belongs to the article.
        rule: ``blocks`` or, where other extractors were asked, ``blocks+trafilatura``.
        comments: what readers say, in page order; never among ``kept`` but on pages of little else, as in a forum.
        confidence: expected F1 of the body, from the probabilities, and from the readings where there are any.
    """

    kept: list[Block]
    chances: Array
    rule: str
    confidence: float
    comments: Sequence[Block] = ()


def body_of(page: Page, *, sure_from: float = SURE) -> Body:
    """The article's blocks of a page.

    Args:
        sure_from: expected F1 from which no other extractor is asked; 0: never, 1: always.
    """
    blocks = page.blocks[:MAX_BLOCKS]
    if not blocks:
        return Body([], np.zeros(0, dtype=np.float32), "none", 0.0)
    model = _model()
    structure = structure_of(blocks)
    hints = hints_of(page)
    base = features.compute(blocks, structure, hints)
    lengths = np.expm1(base[:, 0])
    chances, sure = looked_at(base, structure)
    said, told = said_by_readers(blocks, base, hints)
    if told:
        chances, sure = _read_above(page, said, chances, lengths, hints) or (chances, sure)
    rule = BLOCK_RULES[0]
    if sure < sure_from and len(page.text) < _MAX_OPINION_CHARS and blocks == page.blocks:
        keys = [squash(block.text) for block in blocks]
        read = opinions.reading(keys, lengths, opinions.text_of(page))
        weighed = opinions.compared(chances, lengths, read) @ model.read_weights + model.read_bias
        chances = opinions.probability(weighed)
        rule = BLOCK_RULES[1]
    chances = own_chances(blocks, without_comments(chances, lengths, said, told=told), followers(page))
    chances = with_posts(page, blocks, chances, lambda: chosen(chances, lengths))
    keep = with_wholes(blocks, chances, with_gaps(blocks, chances, chosen(chances, lengths)))
    every = keep.tolist()
    others = summaries(blocks, chances, every) | linked(blocks, every)
    kept = [block for block, taken in zip(blocks, every, strict=True) if taken and block.index not in others]
    kept = without_bylines(without_layers(kept))
    odd = edges(kept, page.pictures, (*page.by_tag["audio"], *page.by_tag["input"]))
    kept = without_bio([block for block in kept if block.index not in odd], page, page.blocks)
    spoken = said & ~keep & (lengths >= _MIN_COMMENT) & (base[:, _LINKED] < _MOST_LINKED)
    comments = [block for index in np.flatnonzero(spoken) if not is_label(block := blocks[index])]
    return Body(kept, chances, rule, opinions.overlap(lengths, chances, keep), comments)


def without_bylines(kept: list[Block]) -> list[Block]:
    """The blocks of a text but those at its beginning and its end that only say whose it is."""
    foot = kept[-_FOOT_LINES:] if len(kept) > _FOOT_LINES else []
    label = next((number for number, block in enumerate(foot) if is_only_label(block.text)), None)
    about = next((number for number, block in enumerate(foot) if _ABOUT.fullmatch(block.text)), None)
    if about is not None:
        kept = kept[: len(kept) - len(foot) + about]
    elif label is not None and all(units(block.text) < _NAME_UNITS for block in foot[label:]):
        kept = kept[: len(kept) - len(foot) + label]
    above = [block for block in dict.fromkeys([*kept[:_HEAD_LINES], *kept[-_FOOT_LINES:]]) if is_byline(block.text)]
    # A label alone, and the names below it.
    over = next((number for number, block in enumerate(kept[:_HEAD_LINES]) if is_only_label(block.text)), None)
    if over is not None and (names := [*takewhile(lambda block: is_person(block.text), kept[over + 1 :])]):
        above += [kept[over], *names]
    # A day below a first paragraph may be a heading of the text's; the headline may be there still.
    head = takewhile(lambda block: units(block.text) < _PARAGRAPH, kept[:_HEAD_LINES])
    above += [block for block in head if block not in above and says_when(block)]
    # With its time it may stand below a summary; the entries of a running story have one each.
    timed = [block for block in kept[: 2 * _HEAD_LINES] if ":" in block.text and says_when(block)]
    above += [block for block in timed if len(timed) == 1 and block in kept[:_HEAD_LINES] and block not in above]
    return [block for block in kept if block not in above] if len(above) < len(kept) else kept


def said_by_readers(blocks: Sequence[Block], base: Array, hints: PageHints) -> tuple[NDArray[np.bool_], bool]:
    """Which blocks, with their numbers, stand in an element that is named for comments, or below a heading of them.

    And whether there is such a heading.
    """
    named = base[:, _COMMENT] < FAR
    if hints.stated < 0:  # of a thread, what stands there is text
        return named, False
    below = said_below(blocks)
    return named | below, bool(below.any())


def _read_above(
    page: Page, said: NDArray[np.bool_], chances: Array, lengths: Array, hints: PageHints
) -> tuple[Array, float] | None:
    """The chances, and their expected F1, as of a page without what readers say; None where that is not surer.

    Of a few lines above a long thread the classifier makes one more comment, or lines of the page's frame.
    """
    quiet = without_comments(chances, lengths, said, told=True)
    is_text = quiet is chances and said[chosen(chances, lengths)].any()
    if is_text or (sure := expected(quiet, lengths)) >= SURE:
        return None
    rest = walked(page.tree, threads(page.blocks[: len(said)], said)).blocks
    if not 0 < len(rest) == np.count_nonzero(~said):  # else text stands loose among what readers say
        return None
    structure = structure_of(rest)
    alone, surer = looked_at(features.compute(rest, structure, hints), structure)
    if surer <= sure:
        return None
    all_chances = np.zeros_like(chances)
    all_chances[~said] = alone
    return all_chances, surer


def without_comments(chances: Array, lengths: Array, said: NDArray[np.bool_], *, told: bool = False) -> Array:
    """The chances, those of readers' comments next to none where there is other text.

    Args:
        said: which blocks stand in an element that is named so.
        told: a heading says so.
    """
    mass = lengths * chosen(chances, lengths)
    other = mass[~said].sum()
    enough = other >= _OTHER_TEXT * mass.sum() or other >= _ENOUGH_TEXT
    enough = enough or (told and lengths[~said & (chances >= _DOUBTED)].sum() >= _SENTENCE)
    if mass[said].any() and enough:
        return np.asarray(np.where(said, chances * _SAID_CHANCE, chances), dtype=np.float32)
    return chances


def looked_at(base: Array, structure: Structure) -> tuple[Array, float]:
    """The probability of each block, and the expected F1 of those that are chosen.

    By itself and, where the page is not certain, by what its surroundings are.
    """
    lengths = np.expm1(base[:, 0])
    chances = first_look(base)
    if (sure := expected(chances, lengths)) >= _CERTAIN:
        return chances, sure
    chances = blended(chances, _model().second.probabilities(with_context(base, chances, structure)))
    return chances, expected(chances, lengths)


def first_look(base: Array) -> Array:
    """The probability of each block by itself, from :func:`features.compute`."""
    return _model().first.probabilities(base)


def with_context(base: Array, chances: Array, structure: Structure) -> Array:
    """The rows of the second look: those of the first, and what it made of the surroundings."""
    return np.hstack([base, context.compute(chances, np.expm1(base[:, 0]), structure)])


def blended(first: Array, second: Array) -> Array:
    """Both looks together, the mean of their log-odds: the second alone is wrong where the first is lost."""
    return opinions.probability((opinions.log_odds(first) + opinions.log_odds(second)) / 2)


def expected(chances: Array, lengths: Array) -> float:
    """The F1 to be expected of the blocks that are chosen."""
    return opinions.overlap(lengths, chances, chosen(chances, lengths))


def chosen(chances: Array, lengths: Array) -> NDArray[np.bool_]:
    """The likeliest blocks, as many as most F1 is to be expected of, within bounds; at least one.

    Args:
        lengths: of each block, in words.
    """
    order = np.argsort(-chances)
    mass = np.cumsum((lengths * chances)[order])
    best = int(np.argmax(2 * mass / np.maximum(np.cumsum(lengths[order]) + mass[-1], 1e-6)))
    threshold = min(max(float(chances[order[best]]), _LOWEST), _HIGHEST)
    return np.asarray(chances >= min(threshold, float(chances.max())))


def hints_of(page: Page) -> PageHints:
    """What the page's head says about its article, for comparison with the blocks."""
    title = next(iter(page.meta.get("og:title", ())), "") or page.title
    description = next((page.meta[key][0] for key in ("og:description", "description") if key in page.meta), "")
    texts = [text for node in article_nodes(page.jsonld) if isinstance(text := node.get("articleBody"), str)]
    return PageHints(title, description, max(texts, key=len, default=""), _stated(page))


def _stated(page: Page) -> float:
    og = next(iter(page.meta.get("og:type", ())), "").lower()
    article = any(types_of(node) - _POSTS for node in article_nodes(page.jsonld))
    if article or og == "article" or "article:published_time" in page.meta:
        return 1.0
    if og.startswith("product") or any(types_of(node) & _OTHERS for node in page.jsonld):
        return -1.0
    return -0.5 if og == "website" else 0.0


class _Model(NamedTuple):
    """Both looks, and what a reading weighs."""

    first: Trees
    second: Trees
    read_weights: Array
    read_bias: float


@functools.cache
def _model() -> _Model:
    packed = resources.files(__package__).joinpath("blocks.json.gz").read_bytes()
    data: dict[str, Any] = json.loads(gzip.decompress(packed))
    read = data["reading"]
    return _Model(
        Trees(data["first"]), Trees(data["second"]), np.array(read["weights"], dtype=np.float32), read["bias"]
    )
