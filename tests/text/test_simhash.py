from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.text import segment_folded, simhash

TEXT = "新华社北京电 国家统计局昨天公布上半年经济数据，工业生产增长，物价平稳，居民收入增加。" * 3


def test_frozen_values() -> None:
    """Stored fingerprints depend on these; a change here needs another VERSION."""
    assert simhash.VERSION == 1
    texts = ("word", TEXT, "The quick brown fox jumps over the lazy dog", "😀🎉")
    assert [simhash.fingerprint(text) for text in texts] == [
        0x4AA4CF27D7C78E95, 0x8CF2F8E00611708B, 0x188083D110589897, 0x11000B8A220AC570,
    ]  # fmt: skip


def test_only_the_empty_text_is_zero() -> None:
    assert simhash.fingerprint("") == simhash.fingerprint(" \u200b\n") == 0
    assert simhash.fingerprint("的") != 0
    assert simhash.fingerprint("。") != 0


@given(st.text())
def test_fingerprint_has_64_bits(text: str) -> None:
    value = simhash.fingerprint(text)
    assert 0 <= value < 1 << 64
    assert simhash.distance(value, value) == 0


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_distance_is_a_metric(a: int, b: int, c: int) -> None:
    assert simhash.distance(a, b) == simhash.distance(b, a) == bin(a ^ b).count("1")
    assert simhash.distance(a, c) <= simhash.distance(a, b) + simhash.distance(b, c)


def test_votes_as_the_definition_says(corpus: Path) -> None:
    for text in _texts(corpus)[:40]:
        words = segment_folded(simhash.fold(text))
        assert simhash.of_words(words) == _by_definition(words)


def _texts(corpus: Path) -> list[str]:
    rows = (corpus / "texts" / "reprints.zh.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(row)["text"] for row in rows]


def _by_definition(words: list[str]) -> int:
    counts = {w: words.count(w) for w in set(words) - simhash.common_words()}
    weights = {w: round(16 + 16 * float(simhash.np.log2(n))) for w, n in counts.items()}
    value = 0
    for bit in range(64):
        votes = sum(
            weight if int.from_bytes(simhash.digests([w]), "big") >> bit & 1 else -weight
            for w, weight in weights.items()
        )
        value |= (votes > 0) << bit
    return value


def test_a_small_edit_stays_close_and_another_text_does_not(corpus: Path) -> None:
    texts = _texts(corpus)
    long = [text for text in texts if len(text) > 1_000][:40]
    for text, other in zip(long, reversed(long), strict=True):
        assert simhash.distance(simhash.fingerprint(text), simhash.fingerprint(text + " 责任编辑:王芳")) <= 5
        if text != other:
            assert simhash.distance(simhash.fingerprint(text), simhash.fingerprint(other)) > 8


def test_package_fingerprint_is_the_packages_own() -> None:
    from simhash import Simhash  # noqa: PLC0415 - only this test compares with it

    words = segment_folded(simhash.fold(TEXT))
    assert simhash.package_fingerprint(TEXT) == Simhash({w: words.count(w) for w in words}).value
    assert simhash.package_fingerprint("") == 0


@pytest.mark.parametrize("text", ["好 " * 5_000, "word " * 5_000])
def test_package_fingerprint_survives_large_counts(text: str) -> None:
    assert simhash.package_fingerprint(text) != 0


def test_ten_megabytes_take_bounded_time() -> None:
    text = TEXT * (10_000_000 // len(TEXT.encode()))
    assert simhash.fingerprint(text) == simhash.fingerprint(text[: simhash.MAX_CHARACTERS])
