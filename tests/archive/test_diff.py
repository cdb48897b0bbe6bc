"""Differences by words."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot.archive.diff import Piece, changed_words, diff, shortened
from articlebot.text import normalise, shown


def _marked(before: str, after: str) -> str:
    marks = {"equal": "{}", "delete": "[-{}-]", "insert": "[+{}+]"}
    return "".join(marks[piece.op].format(piece.text) for piece in diff(before, after))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("The old bridge was closed.", "The new bridge was closed.", "The [-old-][+new+] bridge was closed."),
        ("北京大学公布招生计划。", "清华大学公布招生计划。", "[-北京大学-][+清华大学+]公布招生计划。"),
        ("一。二。三。", "一。三。", "一。[-二。-]三。"),
        ("One. Two.", "One. Two. Three.", "One. Two.[+ Three.+]"),
        ("Ten were hurt, five badly.", "Six were hurt, two badly.", "[-Ten-][+Six+] were hurt, [-five-][+two+] badly."),
        ("a b", "c d", "[-a b-][+c d+]"),
        ("", "new", "[+new+]"),
        ("gone", "", "[-gone-]"),
        ("", "", ""),
        ("a.", "\n.", "[-a.-][+\n.+]"),
        ("他说，桥关了。", "他说,桥开了。", "他说,桥[-关-][+开+]了。"),
        ("他说，桥关了。", "他说，桥开了……", "他说，桥[-关-][+开+]了[-。-][+……+]"),
    ],
)
def test_differences(before: str, after: str, expected: str) -> None:
    assert _marked(before, after) == expected


TEXT = st.text(st.sampled_from("一二三大学北京 ab.。\n，!"), max_size=60) | st.text(max_size=40)


@settings(deadline=None, max_examples=50)
@given(before=TEXT, after=TEXT)
def test_pieces_make_up_both_texts(before: str, after: str) -> None:
    def lines(text: str) -> str:
        return "\n".join(shown(line) for line in text.split("\n"))

    pieces = diff(before, after)
    assert normalise("".join(piece.text for piece in pieces if piece.op != "insert")) == normalise(lines(before))
    assert "".join(piece.text for piece in pieces if piece.op != "delete") == lines(after)
    assert all(piece.text for piece in pieces)
    assert all(one.op != other.op for one, other in pairwise(pieces))


@settings(deadline=None, max_examples=50)
@given(text=TEXT)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert changed_words(diff(text, text)) == (0, 0)


def test_words_are_counted() -> None:
    assert changed_words(diff("The old bridge.", "The very new bridge.")) == (2, 1)


def test_long_unchanged_stretches_are_cut() -> None:
    pieces = shortened([Piece("equal", "a" * 500), Piece("insert", "b"), Piece("equal", "c" * 500)])
    assert [piece.text for piece in pieces] == ["…" + "a" * 60, "b", "c" * 60 + "…"]


def test_a_rewritten_book_takes_no_seconds() -> None:
    rng = random.Random(1)
    before, after = (" ".join(rng.choices("the of and a to in is on by it".split(), k=20_000)) for _ in range(2))
    started = time.process_time()
    diff(before, after)
    assert time.process_time() - started < 5
