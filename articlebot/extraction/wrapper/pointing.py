"""The selector of an element that a person has pointed at, which chooses the same thing on the site's other pages.

Names that a page gives its elements outlive a new sentence or box; the place among brothers and sisters does not. So
the candidates are made of names first, then of tags below a named element, and of numbers last. The site's stored pages
decide among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from articlebot.extraction.wrapper.overrides import compiled
from articlebot.page.page import Page
from articlebot.page.tags import HEADINGS, INLINE, stable_names

# What can stand in a selector and in a job file as it is.
_PLAIN = re.compile(r"[A-Za-z_][\w-]{0,59}\Z", re.ASCII)
_STATED = ("itemprop", "rel")
# Tags of which a page has few, and for one purpose.
_TELLING = frozenset("h1 article main time address".split())
_MOST_CANDIDATES = 24
_MOST_ABOVE = 12
_NO_CONTAINERS = INLINE | HEADINGS | frozenset("p li blockquote pre img br hr figure figcaption dt dd".split())


def selector_of(page: Page, element: Any, others: Sequence[Page]) -> str | None:
    """The CSS selector that chooses exactly one element of a page, and one on most of the others; None: there is none.

    Args:
        element: of the page's tree.
        others: of the same site; the selector that finds exactly one element on more of them wins.
    """
    best, most = None, -1
    for selector in candidates(page, element):
        choose = compiled(selector)
        right = sum(other.tree is not None and len(choose(other.tree)) == 1 for other in others)
        if right > most:
            best, most = selector, right
    return best


def container_of(element: Any) -> Any:
    """What a person means who points at the text of a body: the box around the paragraph, not that paragraph."""
    node = element
    while node.tag in _NO_CONTAINERS and node.getparent() is not None:
        node = node.getparent()
    return node


def candidates(page: Page, element: Any) -> list[str]:
    """Selectors that choose this element of the page and no other, those likeliest to last first."""
    if not _PLAIN.match(element.tag):
        return []
    tree = page.tree
    made = chain(_own(element), _below_named(element), _numbered(tree, element))
    return list(islice((one for one in dict.fromkeys(made) if compiled(one)(tree) == [element]), _MOST_CANDIDATES))


def _own(element: Any) -> Iterator[str]:
    """What the element itself says: its names, alone and two together, or its tag where that tells much."""
    names = _names(element)
    yield from (element.tag + name for name in names)
    classes = [name for name in names if name.startswith(".")]
    yield from (element.tag + one + other for i, one in enumerate(classes) for other in classes[i + 1 :])
    if element.tag in _TELLING:
        yield element.tag


def _below_named(element: Any) -> Iterator[str]:
    """The same, or any tag, below an ancestor that says something of itself, the nearest first."""
    own = list(dict.fromkeys((*_own(element), element.tag)))
    for above in islice(element.iterancestors(), _MOST_ABOVE):
        for place in _own(above):
            yield from (f"{place} {one}" for one in own)


def _numbered(tree: Any, element: Any) -> Iterator[str]:
    """Steps with numbers from the nearest ancestor that one of its names tells from all others, or the root."""
    steps: list[str] = []
    for node in chain((element,), element.iterancestors()):
        if node is not element:
            for name in _names(node):
                if compiled(node.tag + name)(tree) == [node]:
                    yield " > ".join([node.tag + name, *reversed(steps)])
        if not _PLAIN.match(str(node.tag)):
            return
        steps.append(_step(node))
    yield " > ".join(reversed(steps))


def _step(node: Any) -> str:
    parent = node.getparent()
    alike: Iterable[Any] = () if parent is None else parent.iterchildren(node.tag)
    place = list(alike)
    return node.tag if len(place) < 2 else f"{node.tag}:nth-of-type({place.index(node) + 1})"


def _names(element: Any) -> list[str]:
    """``#id``, ``.class`` and ``[itemprop="…"]`` of an element that are not made for one page."""
    if not _PLAIN.match(str(element.tag)):
        return []
    # Digits have become 0 in stable names; such a class is another one on the next page.
    own = {f"#{element.get('id')}", *(f".{one}" for one in (element.get("class") or "").split())}
    stable = [name for name in stable_names(element) if name in own and _PLAIN.match(name[1:])]
    stated = [(key, element.get(key) or "") for key in _STATED]
    return stable + [f'[{key}="{value}"]' for key, value in stated if _PLAIN.match(value)]
