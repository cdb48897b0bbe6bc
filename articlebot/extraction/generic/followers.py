"""What stands below a page's own article: others, which a site shows to scroll on to, what readers say of it, answers."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articlebot.extraction.evidence import has_day
from articlebot.page.blocks import Block, Node
from articlebot.page.metadata import article_nodes, types_of
from articlebot.page.page import Page
from articlebot.page.tags import HEADINGS
from articlebot.page.text import fold, squash

# Headlines of a page that shows articles one after the other; characters of such an article that say when it was, and
# of the page's own, from which it is more than a head above a list.
_MOST_HEADS, _BEGINNING, _LEAST_OWN = 20, 400, 200
_KICKER = 24  # characters above a headline
_MOST_BESIDE = 100  # elements in which a text may stand below its headline
_LIKELY = 0.5
# What schema.org calls a discussion, in JSON-LD or microdata, and its posts.
_DISCUSSIONS = ("DiscussionForumPosting", "QAPage")
_POSTS = frozenset({*_DISCUSSIONS, "Posting"})
_COVERED = 0.8  # of an opening post's words, by the element that is like those of its answers
_POST_CHANCE = 0.95
_DIGITS = re.compile(r"\d+")
# The heading of what readers say, in whole, and that of what they no longer may say.
_SAID_CHARS = 60
_SAID = re.compile(
    r"\W*(?:(?:all|latest|reader|readers'?|user|view|show) )?(?:\d{1,5}\s?)?(?:comments?|"
    r"(?:leser)?kommentare?|commentaires?|comentarios?|comentários?|commenti|reacties|комментарии|коментарі|komentarze|komentáře|komentarji|kommentarer|kommentit|yorumlar|bình luận|ความคิดเห็น|التعليقات|تعليقات|תגובות|コメント|댓글|(?:网友|網友|读者|讀者|全部|最新)?(?:评论|評論|留言))"
    r"(?:\W{0,3}\d{1,5})?\W*|comments are (?:now )?closed\b.{0,30}|"
    r"\W*(?:join the (?:conversation|discussion)|have your say|(?:leave|post|add|write) (?:a|your) (?:comment|reply)|kommentar (?:schreiben|verfassen)|diskutieren sie mit|"
    r"(?:laisse[rz]|écri(?:re|vez)|poste[rz]) (?:un|votre) commentaire|réagi(?:r|ssez)|réactions?|(?:deja|escribe|añade) (?:un|tu) comentario|(?:我要|发表|發表|参与|參與)(?:评论|評論|留言)|コメントを(?:書く|残す|投稿))\W*",
    re.I,
)


def followers(page: Page) -> frozenset[Any]:
    """The elements of articles with headlines of their own below the one whose headline the document is called by."""
    main: list[Any] = [*page.by_tag["h1"]]
    others: list[Any] = [*page.by_tag["h2"]]
    if len(main) + len(others) < 2 or max(len(main), len(others)) > _MOST_HEADS:
        return frozenset()
    title = fold(page.title).casefold()
    at = next((at for at, one in enumerate(main) if _is_in(one, title)), None)
    own = main[at] if at is not None else next((one for one in others if _is_in(one, title)), None)
    if own is None and len(main) == 1:  # of a document that is called by its site's name alone
        own = main[0]
    if own is None:
        return frozenset()
    heads = [*(main[at + 1 :] if at is not None else ()), *(one for one in others if one is not own)]
    return frozenset([part for one in heads if (part := _part(page, own, one)) is not None])


def _is_in(head: Any, title: str) -> bool:
    text = fold("".join(head.itertext())).casefold()
    return text != "" and text in title


def _part(page: Page, own: Any, other: Any) -> Any:
    """The outermost element around another headline that is like one around the page's own, beside that; None without.

    Posts within an article are parts of it. A heading of a lower rank, and that of a box of the same class, is of
    another article where it says when, or where its headline leads to it; so is an `article` beside a text without.
    """
    around, shared = [*own.iterancestors()], {*other.iterancestors()}
    mine = {_named(one): one for one in around if one not in shared}
    top = next(reversed(mine.values()), own)
    apart = [one for one in other.iterancestors() if one not in around]
    for one in reversed(apart):
        if one.tag == "article" and any(tag == "article" for tag, _ in mine):
            return one if other.tag == "h1" or _says_when(one) or _leads_there(page, other, one) else None
        same = mine.get(_named(one)) if one.get("class") else None
        beside = [top, *islice(top.itersiblings("*"), _MOST_BESIDE)] if one.tag == "article" else [same]
        leads = beside != [None] and _leads_there(page, other, one) and _have_text(beside)
        if leads or (same is not None and _says_when(one)):
            return one
    return None


def _leads_there(page: Page, head: Any, part: Any) -> bool:
    """Whether a headline is a link to another page, as that with which an article begins that a site shows in part."""
    link = next(head.iter("a"), None)
    if link is None:
        link = next(head.iterancestors("a"), None)
    href = "" if link is None else link.get("href") or ""
    if link is None or not href or href.startswith(("#", "javascript:")):
        return False
    if page.resolve(href).partition("#")[0] == page.url:
        return False
    text = squash("".join(head.itertext()))
    whole = squash("".join(part.itertext()))
    return squash("".join(link.itertext())) == text and 0 <= whole.find(text) <= _KICKER


def _have_text(parts: Sequence[Any]) -> bool:
    """Whether elements one below the other have more than the head of a list, up to the first that holds articles."""
    own = [parts[0], *takewhile(lambda one: next(one.iter("article"), None) is None, parts[1:])]
    return sum(len(squash("".join(one.itertext()))) for one in own) >= _LEAST_OWN


def _says_when(part: Any) -> bool:
    return has_day("".join(part.itertext())[:_BEGINNING])


def _named(element: Any) -> tuple[str, str]:
    return element.tag, " ".join((element.get("class") or "").split())


def _is_own(block: Block, below: frozenset[Any]) -> bool:
    return below.isdisjoint(node.element for node in block.node.ancestors())


def without_followers(blocks: list[Block], below: frozenset[Any]) -> list[Block]:
    """The blocks but those in these elements, if any are left."""
    return [block for block in blocks if _is_own(block, below)] or blocks if below else blocks


def own_chances(blocks: Sequence[Block], chances: NDArray[np.float32], below: frozenset[Any]) -> NDArray[np.float32]:
    """The chances of blocks to be text, none of those in these elements, if any of the others is likely."""
    if not below:
        return chances
    own = np.array([_is_own(block, below) for block in blocks])
    return np.where(own, chances, np.float32(0)) if (chances[own] >= _LIKELY).any() else chances


def outside(elements: Sequence[Any], below: frozenset[Any]) -> list[Any]:
    """The elements that do not stand in these, if any are left."""
    if not below:
        return [*elements]
    return [one for one in elements if one not in below and below.isdisjoint(one.iterancestors())] or [*elements]


def said_below(blocks: Sequence[Block]) -> NDArray[np.bool_]:
    """Which blocks stand below a heading of what readers say, in the element that holds both."""
    said = np.zeros(len(blocks), dtype=np.bool_)
    for block in blocks:
        heads = block.tag in HEADINGS or "closed" in block.text
        if not heads or len(block.text) > _SAID_CHARS or not _SAID.fullmatch(block.text):
            continue
        holder = next((node for node in block.node.ancestors() if node.last > block.index + 1), None)
        if holder is not None:
            said[block.index : holder.last] = True
    return said


def threads(blocks: Sequence[Block], said: NDArray[np.bool_]) -> frozenset[Any]:
    """The outermost elements that have nothing but these blocks.

    Args:
        said: which blocks, with their numbers.
    """
    upto = np.concatenate(([0], np.cumsum(said)))
    found: set[Any] = set()
    for index in np.flatnonzero(said).tolist():
        whole = takewhile(
            lambda node: upto[node.last] - upto[node.first] == node.last - node.first, blocks[index].node.ancestors()
        )
        found.update(node.element for node in [*whole][-1:])
    return frozenset(found)


def with_posts(
    page: Page, blocks: Sequence[Block], chances: NDArray[np.float32], choose: Callable[[], NDArray[np.bool_]]
) -> NDArray[np.float32]:
    """The chances of blocks to be text, those of all posts of a discussion high where its first has been found.

    Of a page that calls itself one, what is said in elements like that of the chosen text is text as much as that.

    Args:
        choose: the blocks that are text by these chances; asked of discussions alone.
    """
    if not _is_discussion(page):
        return chances
    kept = [blocks[at] for at in np.flatnonzero(choose()).tolist()]
    built = {node: _built(node) for node in dict.fromkeys(node for block in blocks for node in block.node.ancestors())}
    held: Counter[tuple[str, ...]] = Counter()
    for block in kept:
        held.update(dict.fromkeys(filter(None, (built[node] for node in block.node.ancestors())), block.units))
    least = _COVERED * sum(block.units for block in kept)
    alike: dict[tuple[str, ...], list[Node]] = {one: [] for one, units in held.items() if units >= least}
    for node, one in built.items():
        if one in alike:
            alike[one].append(node)
    shared = [nodes for nodes in alike.values() if len(nodes) > 1]
    raised = chances.copy()
    for node in max(shared, key=lambda nodes: min(one.depth for one in nodes), default=[]):
        raised[node.first : node.last] = np.maximum(raised[node.first : node.last], _POST_CHANCE)
    return raised


def _is_discussion(page: Page) -> bool:
    """Whether a page states that it is a thread of a forum, or a question with its answers, and no other article."""
    stated = any(name in page.text for name in _DISCUSSIONS)
    return stated and not any(types_of(node) - _POSTS for node in article_nodes(page.jsonld))


def _built(node: Node) -> tuple[str, ...]:
    """How an element with a class is built: its tag and classes, its parent's tag; numbers tell one post from the next."""
    classes = _DIGITS.sub("", " ".join((node.element.get("class") or "").lower().split()))
    return (node.tag, classes, node.parent.tag) if classes and node.parent is not None else ()
