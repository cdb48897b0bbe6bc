from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot.classify import keywords, summarise
from articlebot.classify.summary import sentences

ENGLISH = """Rail strike ends

Rail workers ended a ten-day strike on Monday after Mr. Jones of the union agreed to a pay rise of 5.5 per cent.
The strike had stopped
trains across the north of the country. "We are glad," said a passenger in Leeds. Trains will run again from Tuesday.
The weather was fine. The rail company said that the strike had cost it 12 million pounds."""
CHINESE = """图为现场
中央气象台今天发布台风蓝色预警，台风“山竹”将于明天登陆广东沿海。受台风影响，广东、广西将有暴雨。气象台提醒：沿海居民要做好防范。
有关部门已经启动应急响应！一位市民说：“我们准备好了。”台风登陆后将减弱。"""


def test_ends_sentences_at_marks_not_at_abbreviations_or_wraps() -> None:
    found = [sentence for sentence, ended in sentences(ENGLISH, "en") if ended]
    assert found[0].startswith("Rail workers ended")
    assert found[0].endswith("5.5 per cent.")
    assert found[1] == "The strike had stopped trains across the north of the country."
    assert found[2] == '"We are glad," said a passenger in Leeds.'


def test_keeps_closing_quotes_with_their_sentence() -> None:
    found = [sentence for sentence, _ in sentences(CHINESE, "zh")]
    assert "一位市民说：“我们准备好了。”" in found


def test_a_semicolon_ends_no_sentence() -> None:
    text = "台风今天登陆；气象台发布红色预警。市民被疏散到安全地点。"
    assert next(sentence for sentence, _ in sentences(text, "zh")) == "台风今天登陆；气象台发布红色预警。"
    assert not summarise(text, "zh", 16).endswith("；")


@pytest.mark.parametrize(("text", "language"), [(ENGLISH, "en"), (CHINESE, "zh"), (CHINESE, None), (ENGLISH, None)])
@pytest.mark.parametrize("max_chars", [1, 10, 60, 120, 1000])
def test_is_made_of_the_texts_sentences_in_order(text: str, language: str | None, max_chars: int) -> None:
    summary = summarise(text, language, max_chars)
    assert 0 < len(summary) <= max_chars
    plain = " ".join(text.split()) if summary.isascii() else text
    if not summary.endswith("…") and max_chars > 10:
        position = -1
        for sentence, _ in sentences(summary, language):
            assert plain.find(sentence) > position
            position = plain.find(sentence)


def test_leaves_headings_and_captions_out() -> None:
    assert "图为现场" not in summarise(CHINESE, "zh", 1000)
    assert "Rail strike ends" not in summarise(ENGLISH, "en", 1000)


def test_the_number_of_a_part_is_no_sentence() -> None:
    assert "II." not in summarise(ENGLISH + "\nII.\nThe board will meet the drivers again on Monday.", "en", 1000)


def test_begins_with_the_news() -> None:
    assert summarise(CHINESE, "zh", 50).startswith("中央气象台")


@settings(deadline=None)
@given(st.text(max_size=300), st.sampled_from(["zh", "en", "de", None]), st.integers(1, 400))
def test_is_bounded_for_any_text(text: str, language: str | None, max_chars: int) -> None:
    assert len(summarise(text, language, max_chars)) <= max_chars
    assert len(keywords(text, language, 5)) <= 5


@pytest.mark.parametrize("text", ["", "😀", "\n\n", "。。。"])
def test_has_nothing_to_say_without_words(text: str) -> None:
    assert summarise(text, None, 100) == ""
    assert keywords(text, None, 5) == ()


def test_names_the_topic() -> None:
    assert "台风" in "".join(keywords(CHINESE, "zh", 3))
    found = [word.lower() for word in keywords(ENGLISH, "en", 4)]
    assert "strike" in found


def test_keeps_names_together_as_written() -> None:
    text = "大坂直美今天获胜。大坂直美说她很高兴。球迷祝贺大坂直美。" * 2
    assert keywords(text, "zh", 1) == ("大坂直美",)
    assert "Prime Minister" in keywords(
        "The Prime Minister spoke. A Prime Minister must speak, he told us. " * 2, "en", 2
    )


def test_keywords_do_not_contain_each_other() -> None:
    found = keywords(ENGLISH + CHINESE, None, 20)
    assert not any(a in b for a in found for b in found if a != b)


def test_ten_megabytes_take_no_longer_than_a_page() -> None:
    started = time.process_time()
    for text in ("字" * 10**7, "x " * 5 * 10**6, "句子。" * 10**6, "x" * 10**7):
        summarise(text, None, 200)
        keywords(text, None, 8)
    assert time.process_time() - started < 10
