"""What a wrapper's rules take from one page: the containers, the kept and the cut blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from articlebot.errors import StateError
from articlebot.extraction.wrapper.blocks import Block, blocks_and_images, units
from articlebot.extraction.wrapper.labels import CAPTION, HEADINGS, is_linked, is_title
from articlebot.extraction.wrapper.model import Rules
from articlebot.extraction.wrapper.notes import is_byline, is_note
from articlebot.extraction.wrapper.paths import LINKED, STRANGE, Projector, key_of, outermost, split_step, state_of
from articlebot.extraction.wrapper.samples import line_key, page_title, squeeze

if TYPE_CHECKING:
    from articlebot.extraction.page import Page

_HEAD_LINES = 6


@dataclass(slots=True)
class Reading:
    """A page as a wrapper sees it. ``kept`` holds each kept block with its remaining lines, ``cut`` (rule, text)."""

    containers: list[Any]
    kept: list[tuple[Block, list[str]]]
    cut: list[tuple[str, str]]
    images: list[tuple[int, Any]] = field(default_factory=list)
    captions: list[tuple[Any, str]] = field(default_factory=list)
    urls: dict[Any, str] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """The body's lines in page order."""
        return [line for _, lines in self.kept for line in lines]

    @property
    def units(self) -> float:
        """Length of the body."""
        return float(sum(units(line) for line in self.lines))


class Reader:
    """Applies the rules of one wrapper; keeps what is derived from them.

    Raises:
        StateError: a pattern that is no regular expression.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.projector = Projector(rules.names)
        self._states: dict[str, bool] = {}
        self._repeated = frozenset(rules.repeated)
        try:
            self._patterns = [re.compile(p) for p in rules.patterns]
        except re.error as error:
            raise StateError(f"wrapper: pattern {error.pattern!r}: {error}") from None

    def find(self, tree: Any, key: str) -> list[Any]:
        """The outermost elements of a page that a key names."""
        namer = self.projector.namer
        last = key.rpartition("/")[2]
        named = max(1, sum(1 for step in key.split("/") if split_step(step)[1]))
        found = [e for e in self._candidates(tree, last) if namer(e) == last and key_of(e, namer, named=named) == key]
        return outermost(found) if len(found) > 1 else found

    def _candidates(self, tree: Any, step: str) -> Iterable[Any]:
        """The elements that may have a step's name: naming each of a page's would take longer than its walk."""
        tag, names = split_step(step)
        literal = max((n for n in names if "0" not in n), key=len, default="")  # 0: any digits
        if not literal:
            return cast("Iterable[Any]", tree.iter(tag.rstrip(STRANGE)))
        attribute, name = "id" if literal[0] == "#" else "class", literal[1:]
        return (element for element in tree.iter(tag) if name in (element.get(attribute) or ""))

    def read(self, page: Page) -> Reading:
        """The page's body by the learned containers and rules."""
        containers: list[Any] = []
        for key in self.rules.body:
            containers.extend(self.find(page.tree, key))
        if len(self.rules.body) > 1 and len(containers) > 1:
            containers = in_order(page.tree, outermost(containers))
        reading = Reading(containers, [], [])
        title = page_title(page.tree)
        for container in containers:
            items, images = blocks_and_images(container, self.projector.namer)
            pending = iter(images)
            image = next(pending, None)
            for block in items:
                while image is not None and image[0] <= block.order:
                    self._take_image(image[1], image[2], reading)
                    image = next(pending, None)
                self._take(block, title, reading, page.url)
            while image is not None:
                self._take_image(image[1], image[2], reading)
                image = next(pending, None)
        return reading

    def _take_image(self, image: Any, path: str, reading: Reading) -> None:
        steps = path.rpartition("/")[2]
        if state_of(path, self.rules.paths, self._states) or CAPTION.search(steps):
            reading.images.append((len(reading.kept), image))

    def _take(self, block: Block, title: str, reading: Reading, url: str) -> None:
        rule = self._cut_by_path(block, url)
        if rule:
            reading.cut.append((rule, block.text))
            if block.tag == "figcaption" or CAPTION.search(block.path):
                reading.captions.append((block.element, block.text))
            return
        kept = []
        head = len(reading.kept) < _HEAD_LINES
        for line in block.text.split("\n"):
            reason = self._cut_line(line, block, title if head else "", head=head)
            if reason:
                reading.cut.append((reason, line))
            else:
                kept.append(line)
        if kept:
            reading.kept.append((block, kept))

    def _cut_by_path(self, block: Block, url: str) -> str:
        path = block.path
        if is_linked(block, url):
            linked = f"{path}/{LINKED}" if path else LINKED
            kept = self.rules.paths.get(linked, False)
            return "" if kept else f"path {linked}"
        return "" if state_of(path, self.rules.paths, self._states) else f"path {path}"

    def _cut_line(self, line: str, block: Block, title: str, *, head: bool) -> str:
        if title and is_title([squeeze(line)], title):
            return "title"
        if is_note(line) or (head and is_byline(line)):
            return "note"
        if self._repeated and not _may_recur(block, line) and line_key(squeeze(line)) in self._repeated:
            return "repeated"
        for pattern in self._patterns:
            if pattern.match(line):
                return f"pattern {pattern.pattern}"
        return ""


def _may_recur(block: Block, line: str) -> bool:
    """Whether a line is of a sort that different articles share: a heading, a short cell or item, a line of code."""
    if block.tag in HEADINGS:
        return units(line) < 60
    return block.tag == "pre" or (block.tag in ("td", "th", "li", "dt", "dd", "code") and units(line) < 25)


def in_order(tree: Any, elements: Sequence[Any]) -> list[Any]:
    """Elements in the order in which they stand on their page."""
    wanted = set(elements)
    tags = {e.tag for e in elements}
    return [e for e in tree.iter(*tags) if e in wanted]
