"""What stands beside an article: comments, teasers, lists of what is new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice, takewhile
from typing import Any

from articlebot.extraction.fields.info_line import without_date
from articlebot.page.blocks import Block
from articlebot.page.tags import names_of

Headline = Callable[[], "int | None"]
"""Gives the index of the block that is the headline; None where it is not on the page."""
OTHERS = (
    r"comment|respond\b|responses?\b|\brepl(?:y|ies)|related|recommend|teaser|popular|latest|trending|\bmore-|read-next"
)
_OTHERS = re.compile(rf"{OTHERS}|disqus|recent|newsletter|subscri|sidebar|testimonial|customer|\breviews\b")
_TAGS = frozenset({"nav", "pre", "code"})
_LEVELS, _DIGITS = 4, re.compile(r"\d+")
_A_PAIR = 2  # of days: of publication and of the last change
_ITEM = re.compile(r"(?:Article|Posting|Report|Review|Comment)\b")


def around(blocks: Sequence[Block]) -> frozenset[Any]:
    """The elements that hold the first or the last of some lines of an article."""
    return frozenset(node.element for block in (*blocks[:1], *blocks[-1:]) for node in block.node.ancestors())


def without_others(found: Iterable[tuple[Any, str]], article: Collection[Any]) -> list[str]:
    """Texts with dates, each with its element, but those beside the article and those of a list, built the same.

    Two days alone may be those of publication and of the last change.

    Args:
        article: the elements that hold it, whose names say nothing of what stands in them.
    """
    own = [(_build(element), text) for element, text in found if not is_beside(element, article)]
    entries = Counter(build for build, _ in set(own))
    return [text for build, text in own if entries[build] == 1 or (entries[build] == 2 and not without_date(text))]


def entries_of(found: Iterable[tuple[Any, str]]) -> frozenset[Any]:
    """Those of some elements with dates that are built the same as two others with other dates, as a list's are."""
    built = [(element, _build(element), text) for element, text in found]
    times = Counter(build for build, _ in {(build, text) for _, build, text in built})
    return frozenset([element for element, build, _ in built if times[build] > _A_PAIR])


def is_beside(element: Any, article: Collection[Any]) -> bool:
    """Whether an element is named as one beside the article, or stands in one."""
    for one in chain((element,), element.iterancestors()):
        if one in article or one.tag == "body":
            return False
        if one.tag in _TAGS or _is_named(names_of(one)) or _is_item(one):
            return True
    return False


@lru_cache(maxsize=8192)
def _is_named(names: str) -> bool:
    """Whether what an element is called is for comments, teasers and the like; pages of a site share their names."""
    return _OTHERS.search(names) is not None


def is_of_another(element: Any, article: Collection[Any]) -> bool:
    """Whether an element stands in an article or a comment that is not the page's; none does where that is unknown."""
    holders = takewhile(lambda one: one not in article, chain((element,), element.iterancestors()))
    return bool(article) and any(map(_is_item, holders))


def _is_item(element: Any) -> bool:
    kind = element.get("itemtype") or ""
    if element.tag != "article" and _ITEM.search(kind) is None:
        return False
    # One without links states the page's own for machines.
    return "Comment" in kind or next(element.iter("a"), None) is not None


def _build(element: Any) -> tuple[str, ...]:
    """What an element and those around it are called, the same for all entries of a list."""
    near = islice(chain((element,), element.iterancestors()), _LEVELS)
    return tuple(f"{one.tag} {_DIGITS.sub('', names_of(one))}" for one in near)
