"""From a page to an article: the learned wrapper first, then the generic rules, field by field."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from articlebot.extraction.model import Extracted
from articlebot.extraction.page import Page


class AppliesToPage(Protocol):
    """A learned or hand-written wrapper."""

    def apply(self, page: Page) -> Extracted | None:
        """What it finds; empty fields are left to the rules; None: the page is none of its kind."""


def extract(page: Page, *, wrapper: AppliesToPage | None = None) -> Extracted:
    """The article on a page. Never raises for page content.

    Args:
        page: from :meth:`Page.parse`.
        wrapper: of the page's site; its fields win where they are filled, the generic rules give the others.
    """
    if page.tree is None:
        return Extracted(refused=page.refused or "empty")
    found = wrapper.apply(page) if wrapper is not None else None
    if found is None:
        found = Extracted()
    if not found.body:
        body = "\n".join(
            b.text for b in page.blocks if len(b.text) > 40 and b.link_chars * 3 < len(b.text) and not b.node.hidden
        )
        found = replace(found, body=body)
    return found
