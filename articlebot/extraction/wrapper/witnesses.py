"""What judges one page by itself, as evidence for the learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from articlebot.extraction.generic.body import body_of
from articlebot.extraction.generic.opinions import overlap, reading
from articlebot.page.text import squash, word_count

if TYPE_CHECKING:
    from articlebot.page.page import Page


# What one page's blocks are taken for matters little where twenty pages are heard: leaving trafilatura out for all but
# the pages that the block classifier is lost on changed no figure and halved the time of the slowest sites.
_LOST_BELOW: Final = 0.7


def contradiction(page: Page, text: str) -> float:
    """How far generic extraction is sure that the article of a page is not this text, 0 to 1."""
    body = body_of(page, sure_from=_LOST_BELOW)
    blocks = page.blocks[: len(body.chances)]
    keys = [squash(block.text) for block in blocks]
    lengths = np.array([word_count(block.text) for block in blocks], dtype=np.float32)
    agreement = overlap(lengths, body.chances, reading(keys, lengths, text))
    return max(0.0, body.confidence - agreement)


def classified(page: Page) -> str:
    """The article's text as the generic block classifier sees it."""
    return "\n".join(block.text for block in body_of(page, sure_from=_LOST_BELOW).kept)
