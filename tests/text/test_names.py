"""Names that stay whole words, and the package that cuts all others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from articlebot.classify import keywords
from articlebot.errors import ConfigError
from articlebot.text import Names, segment_folded
from articlebot.text.segmentation import choose


@pytest.fixture
def segmenters() -> Iterator[None]:
    yield
    choose("rjieba")


def test_a_name_is_one_word_in_both_languages(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("\ufeff海港大桥管理局 3 nt\n陈小明 nr\nNew York\nBank of Aland 7\n\n", encoding="utf-8")
    names = Names.load(path)
    assert names.segment_folded("陈小明在海港大桥管理局工作") == ["陈小明", "在", "海港大桥管理局", "工作"]
    assert names.segment_folded("the bank of aland, new york; a new yorker") == [
        "the", "bank of aland", "new york", "a", "new", "yorker",
    ]  # fmt: skip
    text = "New York opens. The bridge to New York is new, says New York.\n" * 3
    assert "New York" in keywords(text, "en", 5, names)


@pytest.mark.parametrize("text", ["", "陈", "a", "没有名字的句子", "no name here"])
def test_without_a_name_the_words_are_the_usual_ones(text: str) -> None:
    assert Names(["陈小明"]).segment_folded(text) == segment_folded(text)


def test_a_dictionary_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\xff")
    for name, why in (("bad.txt", "'utf-8' codec can't decode"), ("missing.txt", "No such file")):
        with pytest.raises(ConfigError, match=f"^{tmp_path / name}: {why}"):
            Names.load(tmp_path / name)


def test_jieba_itself_finds_the_same_words(segmenters: None) -> None:
    text = "海港大桥周二上午恢复通车，市长陈小明在北京大学发表讲话。"
    words = segment_folded(text)
    choose("jieba")
    assert segment_folded(text) == words
