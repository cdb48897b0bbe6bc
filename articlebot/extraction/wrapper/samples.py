"""What is counted of one site's pages before anything is learned: their blocks, and which lines repeat.

The pattern library of a site: every line of text, hashed, with the number of pages that carry it. A line of an article
stands on one page; what stands on several was put there by the site.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from articlebot.extraction.fields.info_line import is_person
from articlebot.extraction.generic.followers import followers, without_followers
from articlebot.page.blocks import Block, Node, paragraphs
from articlebot.page.page import Page
from articlebot.page.tags import HEADINGS, step
from articlebot.page.text import units

MAX_PAGES = 60
MAX_DEPTH = 100
_SHARED, _MOST = frozenset({"li", "td", "th", "dd", "dt", "pre"}), 0.5  # elements, and a part of the pages
_CELLS, _CELL = frozenset({"td", "th", "li", "dt", "dd", "code"}), 25  # and units of one
# Units of a heading, and the share of a line in bold that makes it one, or a question.
_HEADING, _MARKED = 60, 0.9
_TURNS = 3
Namer = Callable[[Any], str]
_DIGITS, _DIGIT = re.compile(r"\d+"), re.compile(r"\d")
# A day with its year, or a time, without white space; a year alone may be a price.
_WHEN = re.compile(
    r"(?<!\d)(?:19|20)\d\d[-/.年년]\d|\d[./-]\d{1,2}[./-]\d\d|\d[:：]\d\d|"
    r"\d[^\W\d_]{3,14},?(?:19|20)\d\d(?!\d)|\d\.[^\W\d_]{3,14}(?:19|20)\d\d(?!\d)|"
    r"[^\W\d_]{3}\.?\d{1,2},(?:19|20)\d\d(?!\d)"
)
_STOP = re.compile(r"[.!?。！？][\"'”’」』）)]?\Z")
# Of the pages that have a line, those on which its numbers are others; units of a line that is no counter, with a stop
# and without, and of one that may say no more than when.
_DIFFERENT, _SENTENCE, _LINE, _DATE_LINE = 0.5, 20, 40, 100


@dataclass(slots=True)
class Sample:
    """One page as the learner sees it.

    Attributes:
        blocks, paths: the page's paragraphs, and where each stands: the names from body down.
        keys: every line of the page, squeezed, digits made equal, but those that are a report's (see `gather`).
        labels: of each block, how much of it is article text, 0 to 1.
        weights, linked: of each block, its weight among the page's text, and whether it is one link into the site.
    """

    page: Page
    blocks: list[Block]
    paths: list[str]
    lines: list[list[str]]
    labels: list[float] = field(default_factory=list)
    fresh: list[float] = field(default_factory=list)
    title: str = ""
    keys: frozenset[str] = frozenset()
    weights: list[float] = field(default_factory=list)
    linked: list[bool] = field(default_factory=list)

    @property
    def article_weight(self) -> float:
        """Weight of the page's article text; never 0."""
        return sum(weight * label for weight, label in zip(self.weights, self.labels, strict=True)) or 1.0


class NodePaths:
    """Where nodes stand: the names of the elements down to them.

    Args:
        namer: gives an element's name.
        starts: elements below which paths begin; None: they begin with the name of the topmost node.
    """

    def __init__(self, namer: Namer, *, starts: frozenset[Any] | None = None) -> None:
        self._namer, self._starts = namer, starts
        self._known: dict[Node, str | None] = {}

    def __call__(self, node: Node) -> str | None:
        """The names down to a node, by ``/``, at most 100 of them; None of one outside of ``starts``."""
        known, starts = self._known, self._starts
        chain: list[Node] = []
        above: Node | None = node
        while above is not None and above not in known:
            chain.append(above)
            above = above.parent
        path = known[above] if above is not None else "" if starts is None else None
        for one in reversed(chain):
            if path is None:
                path = "" if starts is not None and one.element in starts else None
            elif one.depth < MAX_DEPTH:
                name = self._namer(one.element)
                path = f"{path}/{name}" if path else name
            known[one] = path
        return path


def squeeze(text: str) -> str:
    """A text without white space: extractors differ in blanks, not in characters."""
    return "".join(text.split())


def line_key(line: str) -> str:
    """The pattern library's name of a line: 12 hex digits of the hash of its text, digits made equal."""
    return blake2b(_DIGITS.sub("0", line).encode("utf-8", "replace"), digest_size=6).hexdigest()


def gather(pages: Iterable[Page]) -> list[Sample]:
    """The samples of at most 60 pages; pages without text and pages that repeat another one's text are left out."""
    samples: list[Sample] = []
    long: list[set[str]] = []
    for page in pages:
        if page.tree is None:
            continue
        items = without_followers(paragraphs(page.blocks, hidden=True), followers(page))
        lines = [[squeeze(line) for line in b.text.split("\n")] for b in items]
        keys = frozenset(_DIGITS.sub("0", line) for on_block in lines for line in on_block)
        mine = {line for on_block in lines for line in on_block if units(line) >= 80}
        if items and not any(_same_text(mine, theirs) for theirs in long):
            path = NodePaths(step)
            paths = [path(block.node) or "" for block in items]
            samples.append(Sample(page, items, paths, lines, title=page_title(page), keys=keys))
            long.append(mine)
        if len(samples) >= MAX_PAGES:
            break
    varied = _varied(samples)
    # What says something else on most pages by its numbers alone: prices, the weather. A counter is shorter.
    reported = {key for key in varied if units(key) >= (_SENTENCE if _STOP.search(key) else _LINE)}
    for sample in samples:
        sample.keys -= reported
    counts = page_counts(samples)
    again = {key for key, count in counts.items() if repeats(count, len(samples), units(key) + 1)}
    # Articles share items, cells and lines of code, which are the site's own where most pages have the same.
    often = {key for key in again - varied if counts[key] >= _MOST * len(samples)}
    for sample in samples:
        sample.fresh = [
            _fresh(lines, often if block.tag in _SHARED and not block.links else again)
            for block, lines in zip(sample.blocks, sample.lines, strict=True)
        ]
    return samples


def _varied(samples: Sequence[Sample]) -> frozenset[str]:
    """The lines, digits made equal, that have other numbers on most pages."""
    forms: defaultdict[str, set[str]] = defaultdict(set)
    counts: Counter[str] = Counter()
    for sample in samples:
        told = {line for lines in sample.lines for line in lines if _DIGIT.search(line)}
        for key, line in {_DIGITS.sub("0", line): line for line in told}.items():
            forms[key].add(line)
            counts[key] += 1
    return frozenset(
        key for key, count in counts.items() if varies(forms[key], count) and not tells_when(key, forms[key])
    )


def varies(forms: Collection[str], count: int) -> bool:
    """Whether a line has other numbers on most of the ``count`` pages on which it stands in these forms."""
    return len(forms) > max(1.0, _DIFFERENT * count)


def tells_when(key: str, forms: Collection[str]) -> bool:
    """Whether a line may say no more than when: a day or a time is in each of its forms, all squeezed."""
    return units(key) < _DATE_LINE and all(map(_WHEN.search, forms))


def _same_text(mine: set[str], theirs: set[str]) -> bool:
    """Whether two pages show the same article: their long lines agree, which chrome alone never makes them."""
    return len(mine) >= 3 and len(mine & theirs) >= 0.9 * max(len(mine), len(theirs))


def page_counts(samples: Sequence[Sample]) -> Counter[str]:
    """On how many pages each line stands."""
    counts: Counter[str] = Counter()
    for sample in samples:
        counts.update(sample.keys)
    return counts


def _fresh(lines: Sequence[str], again: Collection[str]) -> float:
    """Share of a block's text that stands on this page only, 0 to 1.

    Args:
        again: the lines, digits made equal, that are the site's own.
    """
    total = fresh = 0.0
    for line in lines:
        length = units(line) + 1
        total += length
        fresh += length if _DIGITS.sub("0", line) not in again else 0.0
    return fresh / total if total else 1.0


def repeats(count: int, pages: int, length: float) -> bool:
    """Whether a line that stands on ``count`` of ``pages`` pages is the site's own; short ones may recur by chance."""
    if length >= 40:
        return count >= 2
    return count >= max(2, 0.25 * pages) if length >= 12 else count >= max(3, 0.4 * pages)


def may_recur(block: Block, line: str, below: Block | None) -> bool:
    """Whether a line of a block is of a sort that different articles share: a heading, a short cell or item, code.

    Args:
        below: the next line of the page; above the first item of a list without links stands a heading.
    """
    heading = block.tag in HEADINGS or (not block.links and block.marked_chars >= _MARKED * len(block.text))
    if heading and units(line) < _HEADING:
        return True
    if block.tag == "pre" or (block.tag in _CELLS and units(line) < _CELL):
        return True
    if below is None or block.tag == below.tag == "li":  # an item above another is no heading
        return False
    if below.tag == "pre":
        return line.endswith((":", "："))
    item = below.tag == "li" or below.text[:1] in "•‣▪■●" or below.text.startswith(("1.", "1)", "1、"))
    return item and not (block.links or below.links) and units(line) < _HEADING


def speaks(line: str, blocks: Sequence[Block]) -> bool:
    """Whether a line is a name that stands above what its bearer says in turn: three of the blocks are it, no cells."""
    return is_person(line) and sum([block.text == line and block.tag not in _CELLS for block in blocks]) >= _TURNS


def page_title(page: Page) -> str:
    """The page's own title, squeezed: og:title where there is one."""
    stated = (*page.meta.get("og:title", ()), *page.meta.get("twitter:title", ()), page.title)
    return squeeze(stated[0])
