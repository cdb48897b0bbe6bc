from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.config import Dedup
from articlebot.dedup.sketch import (
    BODY_BYTES,
    ITEMS,
    SHORT_ITEMS,
    Kind,
    Overlaps,
    Sketch,
    compare_many,
    of_fingerprint,
    of_text,
)
from articlebot.dedup.verification import Sites, are_duplicates, components, keep_first
from articlebot.text import fold, segment_folded, shingles, simhash


def overlap(a: str, b: str) -> Overlaps:
    one, two = of_text(a), of_text(b)
    assert one.kind == two.kind
    return of_sketches(one, two)


def of_sketches(one: Sketch, two: Sketch) -> Overlaps:
    bodies = [np.frombuffer(sketch.body, dtype=np.uint8).reshape(1, -1) for sketch in (one, two)]
    sizes = [np.array([sketch.size]) for sketch in (one, two)]
    return compare_many(one.kind, bodies[0], sizes[0], bodies[1], sizes[1])


@given(st.text(), st.text())
def test_laws(a: str, b: str) -> None:
    one, two = of_text(a), of_text(b)
    assert len(one.body) == BODY_BYTES
    assert len(one.items) <= max(ITEMS, SHORT_ITEMS)
    assert (one.size == 0) == (not fold(a).strip())
    if one.kind == two.kind:
        there, back = (of_sketches(x, y) for x, y in ((one, two), (two, one)))
        assert there == back
        assert 0 <= there.jaccard <= 1
        assert 0 <= there.containment <= 1
    if one.size:
        same = of_sketches(one, one)
        assert (same.jaccard, same.containment, same.numbers) == (1.0, 1.0, 1.0)


def test_estimates_are_near_the_truth(corpus: Path) -> None:
    rows = [json.loads(line) for line in (corpus / "texts/reprints.zh.jsonl").read_text("utf-8").splitlines()[:120]]
    errors = []
    for a, b in itertools.pairwise(rows):
        if a["gid"] == b["gid"]:
            x, y = (_content_runs(row["text"]) for row in (a, b))
            errors.append(abs(overlap(a["text"], b["text"]).jaccard[0] - len(x & y) / len(x | y)))
    assert len(errors) > 30
    assert sum(errors) / len(errors) < 0.05
    assert max(errors) < 0.2


def _content_runs(text: str) -> set[int]:
    words = [word for word in segment_folded(fold(text)) if word not in simhash.common_words()]
    return set(shingles.shingles(shingles.hashes(words), 2).tolist())


def test_words_that_are_exchanged_break_runs_and_leave_words(story: Callable[..., str]) -> None:
    text, other = story(1, 400).split(), story(2, 400)
    edited = " ".join(f"new{n}" if n % 5 == 0 else word for n, word in enumerate(text))
    framed = " ".join([*text[:320], *(f"new{n}" for n in range(80))])
    both = [overlap(" ".join(text), version) for version in (edited, framed)]
    assert [float(shared.words[0]) for shared in both] == pytest.approx([0.85, 0.85], abs=0.12)
    assert both[0].together[0] < 0.7
    assert both[1].together[0] > 0.8
    assert both[0].containment[0] < both[0].words[0]
    assert overlap(" ".join(text), other).together[0] < 0.1


def test_an_excerpt_is_contained_and_script_and_punctuation_do_not_matter(story: Callable[..., str]) -> None:
    whole = story(1, 400)
    excerpt = " ".join(whole.split()[:160])
    assert overlap(whole, excerpt).containment > 0.85
    assert overlap(whole, excerpt).jaccard == pytest.approx(0.4, abs=0.12)
    text = "国际新闻：这里的会议讨论了经济发展，与会者认为，市场开放对双方都有好处。" * 3
    other = "國際新聞:這裡的會議討論了經濟發展,與會者認為,市場開放對雙方都有好處. " * 3
    assert overlap(text, other.replace("這裡", "這裏")).jaccard > 0.95


@pytest.mark.parametrize(("words", "kind"), [(39, "short"), (40, "words")])
def test_short_texts_are_compared_by_characters(story: Callable[..., str], words: int, kind: str) -> None:
    assert of_text(story(1, words)).kind == kind


def test_ten_megabytes_take_bounded_room(story: Callable[..., str]) -> None:
    sketch = of_text(story(1, 1_500_000))
    assert (len(sketch.body), len(sketch.items)) == (BODY_BYTES, ITEMS)
    assert 20_000 < sketch.size <= 0x7FFF


def test_fingerprints_as_sketches() -> None:
    assert of_fingerprint(0).items == ()
    a, b = of_fingerprint(0xFF), of_fingerprint(0xF0)
    assert of_sketches(a, b).jaccard == 1 - 4 / 64


@pytest.mark.parametrize(
    ("kind", "shares", "sites", "expected"),
    [
        ("words", {"words": 0.8, "words_larger": 0.7, "larger": 0.6}, (0, 0), True),
        ("words", {"words": 0.8, "words_larger": 0.7, "larger": 0.6, "containment": 0.8}, (1, 1), False),
        ("words", {"words": 0.95, "words_larger": 0.9, "larger": 0.9, "containment": 0.95}, (1, 1), True),
        ("words", {"words": 1.0, "words_larger": 0.3, "larger": 0.3}, (0, 0), False),  # quoted whole
        ("words", {"words": 1.0, "words_larger": 0.5, "larger": 0.33, "containment": 0.95}, (1, 2), False),  # digest
        ("words", {"words": 0.7, "words_larger": 0.6, "larger": 0.33, "containment": 0.6}, (1, 2), True),
        ("words", {"words": 0.65, "words_larger": 0.5, "larger": 0.5, "together": 0.6}, (0, 0), True),  # edited
        ("words", {"words": 0.65, "words_larger": 0.5, "larger": 0.5, "together": 0.95}, (0, 0), False),
        ("words", {"words": 0.65, "words_larger": 0.5, "larger": 0.5, "together": 0.95}, (1, 2), True),
        ("words", {"words": 0.65, "words_larger": 0.5, "larger": 0.5, "together": 0.6}, (1, 1), False),
        ("words", {"words": 0.8, "words_larger": 0.7, "larger": 0.6, "numbers": 0.2}, (1, 2), False),
        ("words", {"words": 0.8, "words_larger": 0.7, "larger": 0.6, "numbers": 0.25}, (1, 2), True),
        ("words", {"words": 0.5, "words_larger": 0.45, "larger": 0.4}, (1, 2), False),
        ("words", {"words": 0.7, "words_larger": 0.6, "larger": 0.2}, (1, 2), False),  # one vocabulary
        ("short", {"jaccard": 0.6}, (1, 1), True),
        ("short", {"jaccard": 0.5}, (0, 0), False),
        ("simhash", {"jaccard": 1 - 5 / 64}, (1, 1), True),
        ("simhash", {"jaccard": 1 - 6 / 64}, (1, 1), False),
    ],
)
def test_verdicts(kind: Kind, shares: dict[str, float], sites: tuple[int, int], expected: bool) -> None:
    overlaps = replace(Overlaps.nothing(1), **{name: np.array([share]) for name, share in shares.items()})
    params = Dedup(method="simhash5" if kind == "simhash" else "shingles")
    pair = Sites.of(*(np.array([site]) for site in sites))
    assert are_duplicates(kind, overlaps, pair, params).tolist() == [expected]


@given(st.integers(0, 12), st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11))))
def test_components_part_everything_once(count: int, edges: set[tuple[int, int]]) -> None:
    linked = np.zeros((12, 12), dtype=np.bool_)
    for edge in edges:
        linked[edge] = True
    groups = components(linked[:count, :count])
    assert sorted(member for group in groups for member in group) == list(range(count))
    of = {member: number for number, group in enumerate(groups) for member in group}
    assert all(of[a] == of[b] for a, b in edges if a < count and b < count)
    if groups:
        assert 0 in groups[0]
        assert count - 1 in keep_first(groups, count - 1)[0]
