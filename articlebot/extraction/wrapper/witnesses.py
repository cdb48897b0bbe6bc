"""What judges one page by itself, as evidence for the learner."""

from __future__ import annotations

from typing import Final

import numpy as np

from articlebot.extraction.generic.body import body_of
from articlebot.extraction.generic.opinions import overlap, reading
from articlebot.page.page import Page
from articlebot.page.text import squash, word_count

# What one page's blocks are taken for matters little where twenty pages are heard: leaving trafilatura out for all but
# the pages that the block classifier is lost on changed no figure and halved the time of the slowest sites.
_LOST_BELOW: Final = 0.7


def agreement(page: Page, text: str, sure_from: float = _LOST_BELOW) -> tuple[float, float]:
    """How far a text is what generic extraction takes for the page's article, as expected F1, and that of its own."""
    body = body_of(page, sure_from=sure_from)
    blocks = page.blocks[: len(body.chances)]
    lengths = np.array([word_count(block.text) for block in blocks], dtype=np.float32)
    shared = overlap(lengths, body.chances, reading([squash(block.text) for block in blocks], lengths, text))
    return shared, body.confidence


def classified(page: Page) -> str:
    """The article's text as the generic block classifier sees it."""
    return "\n".join(block.text for block in body_of(page, sure_from=_LOST_BELOW).kept)
