from __future__ import annotations

import itertools
import json
from collections.abc import Callable
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
    Overlap,
    Overlaps,
    Sketch,
    compare_many,
    of_fingerprint,
    of_text,
)
from articlebot.dedup.verification import are_duplicates, components, keep_first
from articlebot.text import fold, segment_folded, shingles, simhash


def overlap(a: str, b: str) -> Overlap:
    one, two = of_text(a), of_text(b)
    assert one.kind == two.kind
    return of_sketches(one, two)


def of_sketches(one: Sketch, two: Sketch) -> Overlap:
    bodies = [np.frombuffer(sketch.body, dtype=np.uint8).reshape(1, -1) for sketch in (one, two)]
    sizes = [np.array([sketch.size]) for sketch in (one, two)]
    return compare_many(one.kind, bodies[0], sizes[0], bodies[1], sizes[1]).at(0)


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
        assert of_sketches(one, one) == Overlap(1.0, 1.0)


def test_estimates_are_near_the_truth(corpus: Path) -> None:
    rows = [json.loads(line) for line in (corpus / "texts/reprints.zh.jsonl").read_text("utf-8").splitlines()[:120]]
    errors = []
    for a, b in itertools.pairwise(rows):
        if a["gid"] == b["gid"]:
            x, y = (_content_runs(row["text"]) for row in (a, b))
            errors.append(abs(overlap(a["text"], b["text"]).jaccard - len(x & y) / len(x | y)))
    assert len(errors) > 30
    assert sum(errors) / len(errors) < 0.05
    assert max(errors) < 0.2


def _content_runs(text: str) -> set[int]:
    words = [word for word in segment_folded(fold(text)) if word not in simhash.common_words()]
    return set(shingles.shingles(shingles.hashes(words), 2).tolist())


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
    ("kind", "jaccard", "containment", "same_source", "expected"),
    [
        ("words", 0.5, 0.8, False, True),
        ("words", 0.5, 0.8, True, False),
        ("words", 0.9, 0.95, True, True),
        ("words", 0.15, 1.0, False, False),
        ("words", 0.5, 0.6, False, False),
        ("short", 0.6, 0.7, True, True),
        ("short", 0.5, 0.9, False, False),
        ("simhash", 1 - 5 / 64, 0.9, True, True),
        ("simhash", 1 - 6 / 64, 0.9, True, False),
    ],
)
def test_verdicts(kind: str, jaccard: float, containment: float, same_source: bool, expected: bool) -> None:
    shares = (np.array([share]) for share in (jaccard, containment, 1.0))
    params = Dedup(method="simhash5" if kind == "simhash" else "shingles")
    assert are_duplicates(kind, Overlaps(*shares), np.array([same_source]), params).tolist() == [expected]  # type: ignore[arg-type]


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
