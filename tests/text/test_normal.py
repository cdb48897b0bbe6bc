from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from articlebot.text import content_hash, fold, fold_in_place, normalise, shown
from articlebot.text.normal import INVISIBLE


def _reference(text: str) -> str:
    """Form by form, without the table that makes it fast."""
    for _ in range(2):
        text = unicodedata.normalize("NFKC", INVISIBLE.sub("", text))
    return " ".join(INVISIBLE.sub("", text).split())


MIXED = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "，。！（）“”…　 \t\n\u200b\ufeff\u00ad\ud83d\ufe0f😀é e\u0301가각ᄀ\u1161\u11a8ﬁ①½ｶﾞガか\u3099İ"
        ),
    )
)


@given(MIXED)
@example("ｶ\u200bﾞ")
@example("\U000e0041tag")
def test_normal_form_is_the_reference_and_stays(text: str) -> None:
    normal = normalise(text)
    assert normal == _reference(text)
    assert normalise(normal) == normal


@given(MIXED)
def test_folding_ignores_the_form(text: str) -> None:
    assert fold(normalise(text)) == fold(text)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("", ""),
        (" \n\t\u3000", ""),
        ("\u200b\ufeff\u00ad", ""),
        ("a\u3000\u00a0 b\r\n c", "a b c"),
        ("ＡＢＣ，１２３！", "ABC,123!"),
        ("新\u200b华\ufeff社", "新华社"),
        ("等等……", "等等......"),
        ("\ud800x", "x"),
    ],
)
def test_normalise(text: str, normal: str) -> None:
    assert normalise(text) == normal


def test_fold_makes_scripts_and_case_equal() -> None:
    assert fold("國際新聞：Apple 發言，髮廊") == fold("国际新闻：APPLE 发言，发廊")
    assert fold("這裏的後麵") == fold("这里的后面")
    assert fold("THE End") == "the end"


def test_content_hash() -> None:
    assert content_hash("") == content_hash(" \u200b") == 0
    assert content_hash("a  b\n") == content_hash("a b") != content_hash("a c")
    assert 0 < content_hash("a") < 1 << 64
    assert content_hash("繁體") != content_hash("繁体")


@given(st.text())
def test_folding_in_place_keeps_places(text: str) -> None:
    folded = fold_in_place(text)
    assert len(folded) == len(text)
    assert [fold_in_place(ch) for ch in text] == list(folded)


def test_a_shown_text_keeps_the_width_of_its_characters() -> None:
    assert shown("他說：\u200b“好……”\u3000\n  ＡＢ") == "他說：“好……” ＡＢ"
    assert fold_in_place("他說：ＡＢ…é") == "他说:ab…é"
