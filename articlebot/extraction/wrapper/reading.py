"""What a wrapper's rules take from one page: the containers, the kept and the cut blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from articlebot.errors import StateError
from articlebot.extraction.wrapper.labels import CAPTION, is_linked, is_title
from articlebot.extraction.wrapper.model import Rules
from articlebot.extraction.wrapper.notes import is_byline, is_caption, is_note
from articlebot.extraction.wrapper.paths import LINKED, STRANGE, Projector, key_of, outermost, split_step, state_of
from articlebot.extraction.wrapper.samples import Namer, NodePaths, line_key, page_title, squeeze
from articlebot.page.blocks import Block, Picture, paragraphs, walked
from articlebot.page.tags import HEADINGS, is_hidden
from articlebot.page.text import units

if TYPE_CHECKING:
    from articlebot.page.page import Page

_HEAD_LINES = 6


@dataclass(slots=True)
class Reading:
    """A page as a wrapper sees it.

    Attributes:
        named: the elements of each key.
        kept: the body's lines in page order.
        cut: (rule, text) of what was cut.
        images: image elements, each with the number of kept lines before it.
        captions: of those whose caption stands among the lines.
    """

    named: dict[str, list[Any]]
    containers: list[Any]
    kept: list[Block] = field(default_factory=list)
    cut: list[tuple[str, str]] = field(default_factory=list)
    images: list[tuple[int, Any]] = field(default_factory=list)
    captions: dict[Any, str] = field(default_factory=dict)

    @property
    def units(self) -> float:
        """Length of the body."""
        return float(sum(line.units for line in self.kept))


class _Key:
    """The key of an element, prepared to be looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        steps = text.split("/")
        named = [number for number, step in enumerate(steps) if split_step(step)[1]]
        self._named = max(1, len(named))
        last = named[-1] if named else 0
        self._anchor, self._below = steps[last], steps[last + 1 :]
        tag, names = split_step(self._anchor)
        self._tag = tag.rstrip(STRANGE)
        # Naming each element of a page would take longer than its walk; 0 stands for any digits.
        literal = max((name for name in names if "0" not in name), key=len, default="")
        self._attribute, self._part = "id" if literal[:1] == "#" else "class", literal[1:]

    def found(self, page: Page, namer: Namer) -> list[Any]:
        """The outermost elements of a page that the key names."""
        part, attribute = self._part, self._attribute
        among: list[Any] = page.by_tag[self._tag]
        if part:
            among = [element for element in among if part in (element.get(attribute) or "")]
        among = [element for element in among if namer(element) == self._anchor]
        for step in self._below:
            among = [child for element in among for child in element if namer(child) == step]
        matches = [element for element in among if key_of(element, namer, named=self._named) == self.text]
        if len(matches) < 2:
            return matches
        among = page.by_tag[matches[0].tag] if self._below else []
        chosen = set(matches)
        return outermost([element for element in among if element in chosen] or matches)


class Reader:
    """Applies the rules of one wrapper; keeps what is derived from them.

    Raises:
        StateError: a pattern that is no regular expression.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.projector = Projector(rules.names)
        self._states: dict[str, bool] = {}
        self._keys = [_Key(key) for key in (*rules.body, rules.title, rules.author, rules.date, rules.source) if key]
        self._repeated = frozenset(rules.repeated)
        try:
            self._patterns = [re.compile(p) for p in rules.patterns]
        except re.error as error:
            raise StateError(f"wrapper: pattern {error.pattern!r}: {error}") from None

    def named(self, page: Page) -> dict[str, list[Any]]:
        """The outermost elements of a page that each key of the rules names."""
        return {key.text: key.found(page, self.projector.namer) for key in self._keys}

    def read(self, page: Page) -> Reading:
        """The page's body by the learned containers and rules."""
        named = self.named(page)
        containers = [element for key in self.rules.body for element in named[key]]
        if len(self.rules.body) > 1 and len(containers) > 1:
            containers = in_order(page.tree, outermost(containers))
        reading = Reading(named, containers)
        title = page_title(page)
        for container in containers:
            path = NodePaths(self.projector.namer)
            for one in in_turn(container):
                where = path(one.node)
                if isinstance(one, Block):
                    self._take(one, where, title, reading, page.url)
                elif state_of(where, self.rules.paths, self._states) or CAPTION.search(where.rpartition("/")[2]):
                    reading.images.append((len(reading.kept), one.element))
        return reading

    def _take(self, block: Block, path: str, title: str, reading: Reading, url: str) -> None:
        rule = self._cut_by_path(block, path, url)
        if rule:
            reading.cut.append((rule, block.text))
            return
        below = reading.images and reading.images[-1][0] == len(reading.kept)
        if below and block.tag not in HEADINGS and is_caption(block.text):
            reading.cut.append(("caption", block.text))
            reading.captions[reading.images[-1][1]] = block.text
            return
        head = len(reading.kept) < _HEAD_LINES
        for line in block.lines:
            reason = self._cut_line(line.text, block, title if head else "", head=head)
            if reason:
                reading.cut.append((reason, line.text))
            else:
                reading.kept.append(line)

    def _cut_by_path(self, block: Block, path: str, url: str) -> str:
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


def in_turn(container: Any) -> Iterator[Block | Picture]:
    """The paragraphs and the images of an element as they follow each other."""
    blocks, pictures = walked(container)
    waiting = [one for one in reversed(pictures) if not one.node.hidden and not is_hidden(one.element)]
    for block in paragraphs(blocks):
        while waiting and waiting[-1].before <= block.index:
            yield waiting.pop()
        yield block
    yield from reversed(waiting)


def in_order(tree: Any, elements: Sequence[Any]) -> list[Any]:
    """Elements in the order in which they stand on their page."""
    wanted = set(elements)
    tags = {e.tag for e in elements}
    return [e for e in tree.iter(*tags) if e in wanted]
