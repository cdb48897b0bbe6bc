"""What stands beside an article: comments, teasers, lists of what is new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, islice
from typing import Any, TypeVar

from articlebot.page.blocks import Block

_OTHERS = re.compile(
    r"comment|disqus|respond\b|responses?\b|\brepl(?:y|ies)|related|recommend|teaser|popular|latest|trending|recent|"
    r"newsletter|subscri|sidebar|testimonial|customer|\breviews\b|\bmore-|read-next"
)
_TAGS = frozenset({"nav", "pre", "code"})
_LEVELS, _DIGITS = 4, re.compile(r"\d+")
# Of one build on a page, from which on they are entries of a list.
_ENTRIES = 3
T = TypeVar("T")


def around(body: Sequence[Block]) -> frozenset[Any]:
    """The elements that hold a text's first or last line."""
    return frozenset(node.element for block in (*body[:1], *body[-1:]) for node in block.node.ancestors())


def without_others(found: Iterable[tuple[Any, T]], article: Collection[Any]) -> list[T]:
    """Values, each with its element, but those beside the article and those of lists.

    Args:
        article: the elements that hold it, whose names say nothing of what stands in them.
    """
    own = [(_build(element), value) for element, value in found if not is_beside(element, article)]
    entries = Counter(build for build, _ in own)
    return [value for build, value in own if entries[build] < _ENTRIES]


def is_beside(element: Any, article: Collection[Any]) -> bool:
    """Whether an element is named as one beside the article, or stands in one."""
    for one in chain((element,), element.iterancestors()):
        if one in article:
            return False
        if one.tag in _TAGS or _OTHERS.search(_names(one)):
            return True
    return False


def _build(element: Any) -> tuple[str, ...]:
    """What an element and those around it are called, the same for all entries of a list."""
    near = islice(chain((element,), element.iterancestors()), _LEVELS)
    return tuple(f"{one.tag} {_DIGITS.sub('', _names(one))}" for one in near)


def _names(element: Any) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}".lower()
