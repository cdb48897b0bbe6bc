"""Which blocks of a page are its article, from what the classifier says of them."""

from __future__ import annotations

import numpy as np
import pytest

from articlebot.extraction.generic.body import without_comments


@pytest.mark.parametrize(
    ("lengths", "are_text"),
    [
        ((100, 100), False),  # an article and its comments
        ((250, 5000), False),  # however many there are
        ((100, 5000), True),  # a thread, whose first post is but a part of it
    ],
)
def test_comments_are_text_where_there_is_little_else(lengths: tuple[float, float], are_text: bool) -> None:
    chances = np.array([0.9, 0.9], dtype=np.float32)
    said = np.array([False, True])
    left = without_comments(chances, np.array(lengths, dtype=np.float32), said)
    assert (left[1] > 0.5) == are_text
