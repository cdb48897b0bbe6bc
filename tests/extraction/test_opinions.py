from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.extraction.generic import opinions
from articlebot.extraction.generic.body import body_of
from articlebot.extraction.generic.notices import is_notice
from articlebot.page.page import Page
from articlebot.page.text import squash

PROSE = "<p>The council met on Monday and decided, after a long debate, to build the bridge after all.</p>" * 3
MENU = "<ul><li><a href='/a'>News</a></li><li><a href='/b'>Sport</a></li></ul>"


def read(markup: str, text: str) -> list[str]:
    """The texts of the blocks that a reading of a page consists of."""
    blocks = Page.parse(f"<html><body>{markup}</body></html>".encode(), "").blocks
    units = np.array([1.0 + block.text.count(" ") for block in blocks])
    found = opinions.reading([squash(block.text) for block in blocks], units, text)
    return [block.text for block, held in zip(blocks, found, strict=True) if held]


def test_short_lines_are_found_where_the_text_goes_on_with_them() -> None:
    markup = f"{MENU}<p>A paragraph that is long enough to be found.</p><table><tr><td>x</td><td>12</td></tr></table>"
    text = "A paragraph that is long enough to be found.\n| x | 12 |"
    assert read(markup, text) == ["A paragraph that is long enough to be found.", "x", "12"]


def test_of_copies_the_one_inside_the_article_is_taken() -> None:
    line, rest = "The headline of the article", "<p>First sentence of it.</p><p>Second sentence of it.</p>"
    markup = f"<p>{line}</p>{MENU * 9}<div>{rest}<h2>{line}</h2></div>"
    blocks = Page.parse(f"<html><body>{markup}</body></html>".encode(), "").blocks
    text = f"First sentence of it.\nSecond sentence of it.\n{line}"
    found = opinions.reading([squash(block.text) for block in blocks], np.full(len(blocks), 5.0), text)
    assert np.flatnonzero(found).tolist() == [len(blocks) - 3, len(blocks) - 2, len(blocks) - 1]


@pytest.mark.parametrize(
    ("own", "asked"), [("A sentence that is an article.", 1), ("Something else entirely, too.", 2)]
)
def test_the_second_reading_is_asked_for_only_where_the_first_disagrees(own: str, asked: int) -> None:
    page = Page.parse(b"<p>A sentence that is an article.</p><p>Something else entirely, too.</p>", "")
    asks: list[bool] = []

    def hear(_: Page, *, precise: bool) -> str:
        asks.append(precise)
        return "A sentence that is an article."

    keep = np.array([block.text == own for block in page.blocks])
    read = opinions.heard(page, page.blocks, np.full(2, 5.0, dtype=np.float32), keep, hear)
    assert [found.tolist() for found in read] == [[True, False]] * 2
    assert asks == [False, True][:asked]


UNITS = np.full(6, 20.0, dtype=np.float32)
OWN = np.array([False, True, True, True, False, False])
OTHER = np.array([False, False, False, False, True, True])


def test_a_sure_classifier_is_not_outvoted() -> None:
    chances = np.where(OWN, 0.99, 0.01).astype(np.float32)
    keep, agreement = opinions.agreed(OWN, chances, UNITS, [OTHER, OTHER])
    assert keep.tolist() == OWN.tolist()
    assert 0.5 < agreement < 0.6


def test_two_readings_that_agree_win_where_the_classifier_is_lost() -> None:
    chances = np.where(OWN, 0.45, 0.3).astype(np.float32)
    keep, _ = opinions.agreed(OWN, chances, UNITS, [OTHER, OTHER])
    assert keep.tolist() == OTHER.tolist()


def test_what_readings_have_inside_of_the_article_is_kept() -> None:
    own = np.array([False, True, False, False, True, False])
    read = np.array([False, True, True, True, True, True])
    chances = np.array([0.01, 0.97, 0.3, 0.3, 0.97, 0.02], dtype=np.float32)
    keep, _ = opinions.agreed(own, chances, UNITS, [read, read])
    assert keep.tolist() == [False, True, True, True, True, False]


@given(
    st.lists(st.tuples(st.floats(0, 1, width=32), st.booleans(), st.booleans()), min_size=1, max_size=30),
    st.integers(0, 29),
)
def test_some_blocks_are_always_chosen(rows: list[tuple[float, bool, bool]], sure: int) -> None:
    chances, one, two = (np.array(column) for column in zip(*rows, strict=True))
    own = np.zeros(len(rows), dtype=bool)
    own[sure % len(rows)] = True
    keep, agreement = opinions.agreed(own, chances, np.full(len(rows), 3.0), [one, two])
    assert keep.any()
    assert 0 <= agreement <= 1 + 1e-6


@pytest.mark.parametrize("text", ["", "\n\n", "none of it"])
def test_a_reading_that_found_nothing_holds_no_block(text: str) -> None:
    assert read("<p>Words.</p><p>...</p>", text) == []


@pytest.mark.parametrize(
    "line",
    [
        "If you buy through a link on our site, we may receive compensation.",
        "By using this site, you agree to our terms.",
        "Sign up for our daily newsletter.",
        "Follow us on Facebook and Twitter.",
        "Related: The bridge from above",
        "Lesen Sie auch: Die Brücke von oben",
        "扫一扫关注本报公众号",
        "Ann Lee is a senior reporter for the Daily Test.",
    ],
)
def test_a_notice_is_never_body(line: str) -> None:
    assert is_notice(line)
    assert not is_notice(f"{line} " + "And the council went on to speak of the bridge. " * 20)
    page = Page.parse(f"<body><h1>A bridge</h1>{PROSE}<p>{line}</p>{PROSE}</body>".encode(), "http://a.test/b.html")
    assert line not in [block.text for block in body_of(page).kept]


def test_a_page_of_notices_only_is_no_failure() -> None:
    page = Page.parse(b"<body><p>Sign up for our daily newsletter.</p><p>Follow us on Facebook.</p></body>", "")
    assert len(body_of(page).kept) >= 1


@pytest.mark.parametrize(
    "line",
    [
        "She signed up for the army in 1914.",
        "Readers follow the story with care.",
        "The council may receive a share of the land.",
        "The mayor of the town is a former editor of the paper.",
    ],
)
def test_what_an_article_says_is_no_notice(line: str) -> None:
    assert not is_notice(line)
