"""What a wrapper's rules take from one page: the containers, the kept and the cut blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from articlebot.extraction.generic.bios import without_bio
from articlebot.extraction.generic.body import without_bylines
from articlebot.extraction.generic.edges import edges
from articlebot.extraction.generic.features import Array
from articlebot.extraction.generic.followers import followers, outside, without_followers
from articlebot.extraction.generic.gaps import with_gaps, with_wholes
from articlebot.extraction.generic.leads import inserted, leading_on, linked, summaries
from articlebot.extraction.generic.opinions import Choice, overlap
from articlebot.extraction.wrapper.keys import Key
from articlebot.extraction.wrapper.labels import is_linked, is_title
from articlebot.extraction.wrapper.model import Rules
from articlebot.extraction.wrapper.paths import LINKED, STRANGE, Projector, is_aside, outermost, state_of
from articlebot.extraction.wrapper.samples import NodePaths, line_key, may_recur, page_title, speaks, squeeze
from articlebot.extraction.wrapper.surroundings import judged, region
from articlebot.page.blocks import Block, Walked, paragraphs
from articlebot.page.page import Page
from articlebot.page.tags import INLINE
from articlebot.page.text import word_count

OUTSIDE = "outside"
# A box inside of the containers whose names no other page of the site has, or a place of which its pages say nothing.
UNKNOWN = "unknown"
EDGE = "edge"
# A link between lines that are none, or beside one that is no item, at a path of which the site's pages say nothing.
LONE_LINK = "link"
# A line at a path that is cut, which repeats besides.
AGAIN = "again"
_EVEN = math.log(0.4 / 0.6)  # a line is kept above .4
# Log odds that the site's rules add to a line's chance; none where its pages have said nothing: outside of the
# containers, in a box that no other page has, at a place on which they had no text (`Rules.likely`). A path that is cut
# gets -.4, so that its lines are kept above .5: on 97 sites one lost by it (.0007) and seven gained (.0015 to .036);
# with the same outside of the containers one site more was worse than its first pages, with -.8 for both seven more.
# Where the page's lines are not sure by themselves, what the rules keep gets 4, what stands below the containers -1:
# teasers do. A path that is cut gets -2 then: of 70 layouts learned from six pages each the mean rises from .973 to
# .980 (first pages .969), one of 343 bodies was wrong and none is, and no page of 29 other sites changes (-1: .978).
# Classifiers that had not seen the site, 530 pages of 47 sites, half of them to choose by: mean f1page of first pages
# is .9715 and .9617, with this .9743 and .9675, and no site is worse than its first pages by more than .0021. With .3
# more for all that is kept, and 4 whatever the pages said, it was .9744 and .9674, and 3 sites were worse by more. What
# repeats has to be cut surely: with -3 the mean was lower by .001, with none for what is likely by .003.
_IN_DOUBT = {"": 4.0, OUTSIDE: -1.0, "path": -2.0, AGAIN: -2.0}
_LIKELY = 0.5  # of a line: as likely text as not
_TAKEN = frozenset({"", UNKNOWN, LONE_LINK})
_SURE = 0.95
# What repeats at a path that is cut is kept above .75: a blog's notice of .9 is in its texts' gold.
_CUT, _CUT_TWICE, _SURELY_CUT = -0.4, -1.5, -8.0
# A lone link is kept above .65: of 103 sites no more than two lose by it (.0005, .0006), with -2 one loses .0014. So is
# one at a path that is cut: of 35 such links between lines of texts 29 are in the gold, all above .7.
_LONE = -1.0
_HEADLINE = -20.0
_LEAST = 1e-6
_HEAD_LINES = 6


@dataclass(slots=True)
class Line:
    """A line of text below the region's root, and what is known of it.

    Attributes:
        rule: why the site's rules cut it, "" where they keep it.
        chance: that it belongs to the article, as the block classifier sees the page.
        kept: whether it is a line of the body.
        path: where it stands in its container, None outside of them.
        container: the one that it stands in, None outside of them.
    """

    block: Block
    rule: str
    chance: float
    kept: bool = False
    path: str | None = None
    container: Any = None


@dataclass
class Reading:
    """A page as a wrapper sees it; what was kept is asked for when all is decided.

    Attributes:
        named: the elements of each key.
        walk: the text and images of the region that holds headline and body.
        lines: of the region, in page order.
        sure: expected F1 of these lines among those of the region.
    """

    named: dict[str, list[Any]]
    containers: list[Any]
    walk: Walked
    lines: list[Line] = field(default_factory=list)
    sure: float = 1.0

    @cached_property
    def kept(self) -> list[Block]:
        """The body's lines."""
        return [line.block for line in self.lines if line.kept]

    @property
    def cut(self) -> list[tuple[str, str]]:
        """(rule, text) of what was cut inside the containers."""
        return [
            ("unlikely" if line.rule in _TAKEN else line.rule, line.block.text)
            for line in self.lines
            if not line.kept and line.rule != OUTSIDE
        ]

    @cached_property
    def units(self) -> float:
        """Length of the body."""
        return float(sum(line.units for line in self.kept))


class Reader:
    """Applies the rules of one wrapper; keeps what is derived from them."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.projector = rules, Projector(rules.names)
        # Beside the site's text may stand what no page had, such as a list.
        self._ruled = {path.rpartition("/")[0]: True for path, kept in rules.paths.items() if kept} | rules.paths
        self._states: dict[str, bool] = {}
        self._keys = [Key(key) for key in (*rules.body, rules.title) if key]
        self._repeated, self._likely = frozenset(rules.repeated), frozenset(rules.likely)

    def named(self, page: Page) -> dict[str, list[Any]]:
        """The outermost elements of a page that each key of the rules names."""
        return {key.text: key.found(page, self.projector.namer) for key in self._keys}

    def read(self, page: Page) -> Reading:
        """The page's body by the learned containers and rules, held against what the block classifier says."""
        named = self.named(page)
        containers = [_block_level(element) for key in self.rules.body for element in named[key]]
        if len(self.rules.body) > 1 and len(containers) > 1:
            containers = in_order(page.tree, outermost(containers))
        below = frozenset[Any]() if self.rules.by_hand else followers(page)
        if not (containers := outside(containers, below)):
            return Reading(named, containers, Walked([], []))
        headlines = named.get(self.rules.title) or page.by_tag["h1"]
        walk = region(page, containers, headlines)
        reading = Reading(named, containers, walk)
        chance = judged(walk.blocks, page, self.rules.typical).tolist()
        titles = [page_title(page), *(squeeze("".join(map(str, element.itertext()))) for element in headlines[:1])]
        longest = 2 * max(map(len, titles))
        held = frozenset(containers)
        path = NodePaths(self.projector.namer, starts=held)
        inside = 0  # lines inside the containers so far
        blocks = without_followers(paragraphs(walk.blocks, hidden=True), below)  # hidden: until a script has run
        spoken = [block for block in blocks if chance[block.index] >= _LIKELY]
        for block, after in zip(blocks, [*blocks[1:], None], strict=False):  # none after none
            where = path(block.node)
            if where is not None and is_linked(block, page.url):
                where = f"{where}/{LINKED}" if where else LINKED
            rule = OUTSIDE if where is None else self._cut_by_path(where)
            container = next((one for node in block.node.ancestors() if (one := node.element) in held), None)
            for line, next_line in zip(block.lines, [*block.lines[1:], after], strict=True):
                text = line.text
                near = inside < _HEAD_LINES and len(text) <= longest
                if near and any(is_title([squeeze(text)], title) for title in titles):
                    reason = "title"
                else:
                    cut = self.is_repeated(text) and not (may_recur(line, text, next_line) or speaks(text, spoken))
                    taken = rule == OUTSIDE or rule in _TAKEN
                    reason = ("repeated" if taken else f"{AGAIN} {where}") if cut else rule
                reading.lines.append(Line(line, reason, chance[line.index], path=where, container=container))
                inside += rule in _TAKEN
        decide(reading, by_rules_alone=self.rules.by_hand)
        if not self.rules.by_hand:
            _finish(reading, page)
        return reading

    def _cut_by_path(self, path: str) -> str:
        likely = not self._likely or path in self._likely
        if path.endswith(LINKED) and not self.rules.paths.get(path, False):
            return UNKNOWN if path in self._likely else f"path {path}"
        if not path.endswith(LINKED) and not state_of(path, self._ruled, self._states):
            return f"path {path}"
        return UNKNOWN if STRANGE in path or not likely else ""

    def is_repeated(self, line: str) -> bool:
        """Whether the site put a line there."""
        return bool(self._repeated) and line_key(squeeze(line)) in self._repeated


def _finish(reading: Reading, page: Page) -> None:
    """Corrects what was chosen as on a first page: code and headings between lines are kept, what frames it is not."""
    lines, blocks = reading.lines, [line.block for line in reading.lines]
    likely = np.array([line.chance for line in lines], dtype=np.float32)
    last = _last_beside(lines)
    own = [line.rule in _TAKEN or (line.rule == OUTSIDE and at <= last) for at, line in enumerate(lines)]
    chances = likely * np.array(own, dtype=np.float32)
    keep = with_gaps(blocks, chances, np.array([line.kept for line in lines], dtype=np.bool_))
    every = with_wholes(blocks, likely, keep).tolist()
    for line, kept in zip(lines, every, strict=True):
        line.kept = kept
    # What the site repeats may say of the links below it what they are.
    labelled = [line.block for line in lines if line.kept or line.rule == "repeated"]
    others = summaries(blocks, likely, every) | linked(blocks, every) | inserted(labelled) | leading_on(labelled)
    chosen = [line.block for line in lines if line.kept]
    kept = without_bylines(chosen)
    odd = edges(kept, reading.walk.pictures, (*page.by_tag["audio"], *page.by_tag["input"]))
    kept = without_bio([block for block in kept if block.index not in odd], page, reading.walk.blocks)
    odd = others | ({block.index for block in chosen} - {block.index for block in kept})
    for line in lines:
        if line.kept and line.block.index in odd:
            line.kept, line.rule = False, EDGE


def _block_level(element: Any) -> Any:
    """The element, or the innermost block-level one around it."""
    while element.tag in INLINE and element.getparent() is not None:
        element = element.getparent()
    return element


def in_order(tree: Any, elements: Sequence[Any]) -> list[Any]:
    """Elements in the order in which they stand on their page."""
    wanted = set(elements)
    tags = {e.tag for e in elements}
    return [e for e in tree.iter(*tags) if e in wanted]


def decide(reading: Reading, *, by_rules_alone: bool) -> None:
    """Choose the lines of the body: by the classifier's chances, with what the site has taught as a prior."""
    _mark_lone_links(reading.lines)
    chances = np.array([line.chance for line in reading.lines], dtype=np.float32)
    if by_rules_alone:
        chances = np.array([float(line.rule in _TAKEN) for line in reading.lines], dtype=np.float32)
    lengths = np.array([word_count(line.block.text) for line in reading.lines], dtype=np.float32)
    priors = np.array([_prior(line.rule) for line in reading.lines], dtype=np.float32)
    odds = np.log((chances + np.float32(_LEAST)) / (1 - chances + np.float32(_LEAST))) + priors
    sure, keep = _chosen(lengths, odds)
    if sure < _SURE:
        odds += np.array(_in_doubt(reading.lines), dtype=np.float32)
        sure, keep = _chosen(lengths, odds)
    reading.sure = sure
    for line, kept in zip(reading.lines, keep.tolist(), strict=True):
        line.kept = kept


def _mark_lone_links(lines: Sequence[Line]) -> None:
    """Tells links that lead on from those of a list of references."""
    linked = [False, *(line.path is not None and line.path.endswith(LINKED) for line in lines), False]
    for number, line in enumerate(lines, 1):
        if line.rule == UNKNOWN and linked[number]:
            alone = not (linked[number - 1] or linked[number + 1])
            if alone or all(node.tag != "li" for node in line.block.node.ancestors()):
                line.rule = LONE_LINK


def _in_doubt(lines: Sequence[Line]) -> list[float]:
    """What the rules add where lines are not sure by themselves: above the containers stand decks, below teasers."""
    taken = [number for number, line in enumerate(lines) if line.rule in _TAKEN]
    last = max(taken[-1] if taken else -1, _last_beside(lines))
    # Of several containers, as of a key without names, those with nothing that is likely say nothing for a line.
    likely = {line.container for line in lines if line.rule in _TAKEN and line.chance >= _LIKELY}
    return [
        0.0
        if (line.rule == OUTSIDE and number <= last) or (not line.rule and likely and line.container not in likely)
        else _IN_DOUBT.get(line.rule.partition(" ")[0], 0.0)
        for number, line in enumerate(lines)
    ]


def _last_beside(lines: Sequence[Line]) -> int:
    """The last line in the element that holds the containers, where each is but a paragraph of it; -1 else.

    A list or a table beside them stands in the text, not below it.
    """
    held = {node for line in lines for node in line.block.node.ancestors() if node.element is line.container}
    around = {node.parent for node in held}
    holder = next(iter(around), None)
    if len(held) < 2 or len(around) > 1 or holder is None or holder.tag == "body":
        return -1
    return max(number for number, line in enumerate(lines) if line.block.index < holder.last)


def _chosen(lengths: Array, odds: Array) -> tuple[float, Choice]:
    """The lines that are likely enough, and their expected F1."""
    keep = odds > _EVEN
    return (overlap(lengths, (1 / (1 + np.exp(-odds))).astype(np.float32), keep) if len(keep) else 0.0), keep


@lru_cache(maxsize=8192)
def _prior(rule: str) -> float:
    """Log odds that the site's rules add to a line's chance."""
    name, _, path = rule.partition(" ")
    if name in ("path", AGAIN):
        steps = [step.removesuffix(STRANGE) for step in path.split("/") if step != LINKED]
        once = _LONE if path.endswith(LINKED) else _CUT
        return _SURELY_CUT if any(map(is_aside, steps)) else once if name == "path" else _CUT_TWICE
    return {"": 0.0, OUTSIDE: 0.0, UNKNOWN: 0.0, LONE_LINK: _LONE, "title": _HEADLINE}.get(name, _SURELY_CUT)
