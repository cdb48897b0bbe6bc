"""What judges one page by itself, as evidence for the learner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from articlebot.extraction.generic.body import body_of
from articlebot.extraction.wrapper.labels import Witness

if TYPE_CHECKING:
    from articlebot.extraction.page import Page


def generic() -> tuple[Witness, ...]:
    """The witnesses asked by default.

    One is enough: the block classifier has heard trafilatura's two readings where it was not sure by itself. Asking
    those two as well changed no figure by more than 0.002 and doubled the time.
    """
    return (classified,)


def classified(page: Page) -> str:
    """The article's text as the generic block classifier sees it."""
    return "\n".join(block.text for block in body_of(page).kept)
