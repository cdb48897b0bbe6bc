from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from articlebot.text import shingles

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@given(WORDS, st.integers(1, 5))
def test_equal_runs_have_equal_hashes(words: list[str], n: int) -> None:
    found = shingles.shingles(shingles.hashes(words), n)
    runs = [tuple(words[i : i + n]) for i in range(max(len(words) - n + 1, min(1, len(words))))]
    assert len(found) == len(runs)
    assert len(set(found.tolist())) == len(set(runs))


def test_order_counts() -> None:
    one, two = (shingles.shingles(shingles.hashes(w.split()), 3) for w in ("dog bites man", "man bites dog"))
    assert one[0] != two[0]


def test_characters() -> None:
    text = "abab\ud800😀abab"
    codes, runs = shingles.character_runs(text, 12)
    assert (len(codes), runs.shape) == (10, (12, 10))
    seen = {text[at : at + n]: runs[n - 1, at] for n in range(1, 11) for at in range(11 - n)}
    assert len(set(seen.values())) == len(seen)
    assert all(runs[n - 1, at] == seen[text[at : at + n]] for n in range(1, 11) for at in range(11 - n))
    assert shingles.character_runs("", 2)[1].shape == (2, 0)


@given(st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=50))
def test_mixing_is_one_to_one(values: list[int]) -> None:
    assert len(np.unique(shingles.mix(np.array(values, dtype=np.uint64)))) == len(values)
