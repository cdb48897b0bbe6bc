"""Whether a page is an empty shell that scripts are to fill in the reader's browser.

A list page without links may be one of these: its address is right, and a browser has to show it (``runtime.browser``),
or something else has to be named: a feed or a sitemap.
"""

from __future__ import annotations

import re
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


def needs_scripts(page: Page) -> bool:
    """Whether scripts have to run before the page shows anything: to be asked of pages without links to articles.

    It holds a script, and either next to nothing (under 200 characters and 5 links), or little (under 1,000 characters
    and 16 links) beside a mark of a script framework: an element with the id of a mount point that holds no text, or a
    ``noscript`` that speaks of JavaScript.
    """
    tree: Any = page.tree
    if tree is None or not page.by_tag.get("script"):
        return False
    text, links = len(_seen(tree)), _links(page)
    if text < _MOST_TEXT and links <= _MOST_LINKS:
        return True
    return text < _MOST_FRAME and links <= _MOST_FRAME_LINKS and _marked(tree)


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
