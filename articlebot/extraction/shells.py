"""Whether a page is an empty shell that scripts are to fill in the reader's browser.

A list page without links may be one of these: its address is right, and a browser has to show it (``runtime.browser``),
or something else has to be named: a feed or a sitemap.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from articlebot.page.page import Page

# Where the common frameworks put what they render: React and Vite `root`, Vue and Angular `app`, Next, Nuxt, Gatsby,
# Quasar, SvelteKit, Ember.
_MOUNTS = frozenset(
    "root app __next __nuxt ___gatsby q-app svelte main-app react-root app-root ember-app approot".split()
)
_ASKS = re.compile(r"java\s?script|启用.{0,6}脚本|啟用.{0,6}腳本", re.I)
_UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "svg"})
# A headline has about 60 characters: a page that holds news shows some of them. Of 956 saved pages of the corpus two
# are shells by this rule, and both hold their text in scripts alone.
_MOST_TEXT = 200
_MOST_LINKS = 4
# Beside a mount point or the request to switch JavaScript on, a frame of menu, footer and cookie notice is empty too.
_MOST_FRAME = 1000
_MOST_FRAME_LINKS = 15

# Where the text of an article stands, and by what name: "story-body", "article_content", "text".
_PLACES = ("article", "div", "main", "section")
_TEXT_PLACE = re.compile(r"(?<![a-z])(?:article|story|news|post|main)?[-_]?(?:body|content|text|detail)(?![a-z])", re.I)
# The same of a list: "news-list", "feed", "tbody"; by its element, whatever its name is.
_LIST_TAGS, _LIST_PLACES = ("ul", "ol", "tbody"), ("div", "section", "main")
_LIST_PLACE = re.compile(r"(?:list|post|result)s?(?![a-z])|feed|news|articles|stories|items|stream", re.I)
_SHOWING = frozenset("img picture video audio iframe canvas object embed form input template".split())
# Elements of a place that is empty: grey bars stand for its lines.
_MOST_INSIDE = 40
# Places of a page that are looked into.
_MOST_PLACES = 200


def needs_scripts(page: Page) -> bool:
    """Whether scripts have to run before the page shows anything: to be asked of pages without links to articles.

    It holds a script, and either next to nothing (under 200 characters and 5 links), or little (under 1,000 characters
    and 16 links) beside a mark of a script framework: an element with the id of a mount point that holds no text, or a
    ``noscript`` that speaks of JavaScript.
    """
    tree: Any = page.tree
    if tree is None or not page.by_tag.get("script"):
        return False
    if (text := len(_seen(tree))) >= _MOST_FRAME or (links := _links(page)) > _MOST_FRAME_LINKS:
        return False
    return (text < _MOST_TEXT and links <= _MOST_LINKS) or _marked(tree)


def lacks_text(page: Page) -> bool:
    """Whether a page is a frame with a headline and, behind it, an empty place by whose name a text belongs there.

    To be asked of pages that are no articles: those with a text of their own may have such a place beside it.
    """
    tree: Any = page.tree
    if tree is None or not page.by_tag.get("script") or not (heads := page.by_tag["h1"]):
        return False
    behind = False
    for element in tree.iter("h1", *_PLACES):
        if element.tag == "h1":
            behind = behind or element is heads[0]
        elif behind and _TEXT_PLACE.search(_names(element)) and not _holds(element):
            return True
    return False


def lacks_list(page: Page) -> bool:
    """Whether a page that lists nothing has an empty place where a list belongs, by its element or its name."""
    tree: Any = page.tree
    if tree is None or not page.by_tag.get("script"):
        return False
    places = (one for one in tree.iter(*_LIST_TAGS, *_LIST_PLACES) if one.tag in _LIST_TAGS or _is_of_list(one))
    return any(not _holds(one) for one in islice(places, _MOST_PLACES))


def _is_of_list(element: Any) -> bool:
    return _LIST_PLACE.search(_names(element)) is not None


def _names(element: Any) -> str:
    return " ".join(filter(None, map(element.get, ("id", "class", "itemprop"))))


def _holds(element: Any) -> bool:
    """Whether an element shows anything; one of many elements may."""
    inside = [one.tag for one in islice(element.iter(), _MOST_INSIDE + 1)]
    return len(inside) > _MOST_INSIDE or not _SHOWING.isdisjoint(inside) or bool(_seen(element))


def _links(page: Page) -> int:
    """How many other pages it links to."""
    found = {page.resolve(a.get("href") or "").partition("#")[0] for a in page.by_tag.get("a", ())}
    return len(found - {page.url.partition("#")[0], ""})


def _marked(tree: Any) -> bool:
    for element in tree.iter():
        if element.tag == "noscript" and _ASKS.search("".join(element.itertext())):
            return True
        if isinstance(element.tag, str) and element.get("id") in _MOUNTS and not _seen(element):
            return True
    return False


def _seen(root: Any) -> str:
    """The text that a reader sees, up to what decides."""
    parts: list[str] = []
    size, waiting = 0, [root]
    while waiting and size <= _MOST_FRAME:
        element = waiting.pop()
        if isinstance(element.tag, str) and element.tag not in _UNSEEN:
            said = " ".join((element.text or "").split())
            parts.append(said)
            size += len(said)
            waiting.extend(reversed(element))
        if element is not root:
            tail = " ".join((element.tail or "").split())
            parts.append(tail)
            size += len(tail)
    return "".join(parts)
