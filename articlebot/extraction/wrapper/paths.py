"""The path library of a site, and the rules that follow from it.

All paths of text are merged over the site's pages into one tree; each of its nodes knows how much of the text that
stands there is article text. The rules are the cheapest way to say which nodes to keep: starting from "nothing is kept"
at the root, each change of mind on the way down ("keep this", "cut that") costs a fixed price, each unit of text kept
wrongly or cut wrongly costs its length. So a rare tag inside the body goes with its container, and a rule is made only
where it pays over the pages seen (minimum description length; a tree labelling by dynamic programming).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from articlebot.extraction.wrapper.labels import ASIDE, CAPTION
from articlebot.extraction.wrapper.samples import MAX_DEPTH, Namer, Sample
from articlebot.page.tags import stable_names

_T = TypeVar("_T")
_BEFORE_NAME = re.compile(r"(?=[#.])")
RULE_PRICE = 0.04
LINKED = "@linked"
STRANGE = "~"
_CONTAINERS = frozenset("div article section main td table tbody tr body center form font dd span fieldset".split())


@dataclass(slots=True)
class Node:
    """A path of the library: the weight of article text (``good``) and other text (``bad``) that stands there."""

    good: float = 0.0
    bad: float = 0.0
    pages: set[int] = field(default_factory=set)
    children: dict[str, Node] = field(default_factory=dict)


_BOXES = frozenset("div section aside form figure article dl details".split())


def vocabulary(samples: Sequence[Sample]) -> frozenset[str]:
    """The names (``#id``, ``.class``) that recur over the pages; the others are made for one page or one section."""
    counts: Counter[str] = Counter()
    for sample in samples:
        counts.update({name for path in sample.paths for name in names_in(path)})
    floor = max(2.0, 0.25 * len(samples)) if len(samples) > 2 else 1.0
    return frozenset(name for name, count in counts.items() if count >= floor)


@lru_cache(maxsize=65536)
def split_step(step: str) -> tuple[str, tuple[str, ...]]:
    """(tag, names) of a step such as ``div#main.story``."""
    tag, *names = _BEFORE_NAME.split(step)
    return tag, tuple(names)


def names_in(path: str) -> set[str]:
    """All names of a path's steps."""
    return {name for step in path.split("/") for name in split_step(step)[1]}


class Projector:
    """Steps reduced to a vocabulary; remembers those of elements, because a site has few of them."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self._elements: dict[tuple[str, str | None, str | None], str] = {}

    def _named(self, tag: str, names: Sequence[str]) -> str:
        kept = [n for n in names if n in self.names]
        if kept:
            return tag + "".join(kept)
        return tag + STRANGE if names and tag in _BOXES else tag

    def namer(self, element: Any) -> str:
        """An element's step; a box whose names the site does not repeat ends in ``~``: mostly an insert."""
        key = (element.tag, element.get("id"), element.get("class"))
        known = self._elements.get(key)
        if known is None:
            known = self._named(key[0], stable_names(element))
            if len(self._elements) < 20_000:
                self._elements[key] = known
        return known


@dataclass(slots=True)
class Place:
    """Where a container key was found on one page: its outermost elements and the weight of text inside them."""

    elements: list[Any]
    good: float
    bad: float


def key_of(element: Any, namer: Namer, *, named: int = 1) -> str:
    """How an element is recognised on another page: its steps from the nearest ``named`` ancestors with a name down.

    What is above does not matter, so that a page with one wrapper more is the same template.
    """
    steps: list[str] = []
    left = named
    node = element
    while node is not None and isinstance(node.tag, str) and node.tag != "html":
        name = namer(node)
        steps.append(name)
        if name != node.tag and not name.endswith(STRANGE):
            left -= 1
            if not left:
                break
        node = node.getparent()
    return "/".join(reversed(steps))


def places(sample: Sample, namer: Namer) -> dict[str, Place]:
    """Every container key of a page with its elements; weights are shares of the page's article text."""
    sums: dict[Any, list[float]] = {}
    total = sample.article_weight
    for block, weight, label in zip(sample.blocks, sample.weights, sample.labels, strict=True):
        node = block.element
        depth = 0
        while node is not None and node.tag != "html" and depth < MAX_DEPTH:
            if node.tag in _CONTAINERS:
                entry = sums.setdefault(node, [0.0, 0.0])
                entry[0] += weight * label / total
                entry[1] += weight * (1.0 - label) / total
            node = node.getparent()
            depth += 1
    found: dict[str, Place] = {}
    for node, (good, bad) in sums.items():
        for key in {key_of(node, namer), key_of(node, namer, named=2)}:
            place = found.setdefault(key, Place([], 0.0, 0.0))
            place.elements.append(node)
            place.good += good
            place.bad += bad
    return {key: _outermost(place, sums) for key, place in found.items()}


def _outermost(place: Place, sums: dict[Any, list[float]]) -> Place:
    if len(place.elements) < 2:
        return place
    chosen = outermost(place.elements)
    return Place(chosen, sum(sums[e][0] for e in chosen), sum(sums[e][1] for e in chosen))


def outermost(elements: Sequence[Any]) -> list[Any]:
    """The elements that are not inside another one of them, in their order."""
    among = set(elements)
    return [element for element in elements if among.isdisjoint(element.iterancestors())]


def library(found: Sequence[tuple[Sample, Place]], projector: Projector) -> Node:
    """The merged tree of the paths below one container, weighted so that each page counts the same."""
    root = Node()
    for number, (sample, place) in enumerate(found):
        total = sample.article_weight
        memo: dict[Any, Node | None] = dict.fromkeys(place.elements, root)
        blocks = zip(sample.blocks, sample.weights, sample.labels, sample.linked, strict=True)
        for block, weight, label, linked in blocks:
            node = _node_of(block.element, projector.namer, memo)
            if node is None:
                continue
            if linked:
                node = node.children.setdefault(LINKED, Node())
            node.good += weight * label / total
            node.bad += weight * (1.0 - label) / total
            node.pages.add(number)
    return root


def _node_of(element: Any, namer: Namer, memo: dict[Any, Node | None]) -> Node | None:
    """The library's node of an element below a container (an element that ``memo`` knows); None outside of it."""

    def below(node: Node, one: Any) -> Node:
        step = namer(one)
        found = node.children.get(step)
        if found is None:
            found = node.children[step] = Node()
        return found

    return _descended(element, memo, below)


def relative(element: Any, namer: Namer, memo: dict[Any, str | None]) -> str | None:
    """The path from a container (an element known to ``memo`` as "") to an element; None outside of it."""
    return _descended(element, memo, lambda path, one: f"{path}/{namer(one)}" if path else namer(one))


def _descended(element: Any, memo: dict[Any, _T | None], below: Callable[[_T, Any], _T]) -> _T | None:
    """What ``below`` makes of the nearest known element's value on the way down; all on the way get known."""
    chain = []
    above = element
    while above is not None and above not in memo:
        chain.append(above)
        above = above.getparent()
    value = memo[above] if above is not None else None
    for one in reversed(chain):
        if value is not None:
            value = below(value, one)
        memo[one] = value
    return value


def rules(root: Node) -> tuple[dict[str, bool], float]:
    """The rules below a container that is kept, and what they cost.

    A rule is a relative path with True (kept from there down) or False (cut from there down); what no rule names is as
    its parent.
    """
    costs: dict[int, tuple[float, float]] = {}
    _price(root, costs)
    found: dict[str, bool] = {}
    stack: list[tuple[str, Node, bool]] = [("", root, True)]
    while stack:
        path, node, state = stack.pop()
        for step, child in node.children.items():
            cut, keep = costs[id(child)]
            usual = state and not is_aside(step)  # what holds without a rule
            below = keep + RULE_PRICE < cut or (usual and not cut + RULE_PRICE < keep)
            where = f"{path}/{step}" if path else step
            if below != usual:
                found[where] = below
            stack.append((where, child, below))
    return found, costs[id(root)][1]


def _price(root: Node, costs: dict[int, tuple[float, float]]) -> None:
    """(cost of cutting, cost of keeping) of each subtree, bottom up without recursion."""
    order: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(node.children.values())
    for node in reversed(order):
        cut, keep = node.good, node.bad
        for step, child in node.children.items():
            child_cut, child_keep = costs[id(child)]
            cut += min(child_cut, child_keep + RULE_PRICE)
            keep += (
                min(child_keep + RULE_PRICE, child_cut) if is_aside(step) else min(child_keep, child_cut + RULE_PRICE)
            )
        costs[id(node)] = (cut, keep)


@lru_cache(maxsize=65536)
def is_aside(step: str) -> bool:
    """Whether an element's names say that it stands beside the text: cut unless the site taught otherwise."""
    if step in ("figcaption", "aside", "form", LINKED) or step.endswith(STRANGE):
        return True
    return ASIDE.search(step) is not None or CAPTION.search(step) is not None


def state_of(path: str, ruled: dict[str, bool], memo: dict[str, bool]) -> bool:
    """Whether the text at a path is kept: the rule of its nearest ancestor that has one."""
    known = memo.get(path)
    if known is not None:
        return known
    answer = ruled.get(path)
    if answer is None:
        above = path.rpartition("/")[0]
        answer = not is_aside(path.rpartition("/")[2]) and (state_of(above, ruled, memo) if above else True)
    memo[path] = answer
    return answer
