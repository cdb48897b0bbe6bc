from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.extraction.generic import opinions
from articlebot.extraction.generic.body import body_of
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


@pytest.mark.parametrize("text", ["", "\n\n", "none of it"])
def test_a_reading_that_found_nothing_holds_no_block(text: str) -> None:
    assert read("<p>Words.</p><p>...</p>", text) == []


def test_a_reading_is_weighed_by_how_much_of_what_is_likely_it_has() -> None:
    chances = np.array([0.9, 0.9, 0.1, 0.1], dtype=np.float32)
    lengths = np.full(4, 10.0, dtype=np.float32)
    rows = opinions.compared(chances, lengths, np.array([True, False, True, False]))
    assert np.allclose(rows[:, 0], opinions.log_odds(chances))
    assert rows[:, 1].tolist() == [1, 0, 1, 0]
    assert np.allclose(rows[:, 3], 0.5)
    assert np.allclose(rows[:, 2], rows[:, 1] * 0.5)


@given(st.lists(st.floats(0.0625, 0.9375, width=32), min_size=1, max_size=30))
def test_log_odds_and_probabilities_are_inverse(values: list[float]) -> None:
    chances = np.array(values, dtype=np.float32)
    assert np.allclose(opinions.probability(opinions.log_odds(chances)), chances, atol=1e-4)


@pytest.mark.parametrize(
    "line",
    [
        "Contact with the trawler was lost at 3 a.m., and two boats went out to look for it in the dark.",
        "Like many others on the coast, the family had lived by fishing for as long as they could think back.",
        "El ministro suscribió el acuerdo con los pescadores de la costa tras una larga noche de negociaciones.",
        "She signed up for the army in 1914 and came home four years later to a village that had changed.",
    ],
)
def test_no_wording_keeps_a_sentence_out_of_its_article(line: str) -> None:
    page = Page.parse(f"<body><h1>A bridge</h1>{PROSE}<p>{line}</p>{PROSE}</body>".encode(), "http://a.test/b.html")
    assert line in [block.text for block in body_of(page).kept]


def test_an_article_whose_readers_answer_is_told_from_their_comments() -> None:
    comments = "".join(
        f"<li class='comment'><cite>Reader {n}</cite><div class='comment-body'><p>I have lived at the river for {n} "
        "years, and nobody has ever asked me what I think of their bridge.</p></div></li>"
        for n in range(2, 9)
    )
    markup = f"<article><h1>A bridge</h1>{PROSE * 4}</article><h3>Comments</h3><ol class='comments'>{comments}</ol>"
    page = Page.parse(f"<body>{MENU}{markup}</body>".encode(), "http://a.test/b.html")
    found = body_of(page)
    assert not [block.text for block in found.kept if "river" in block.text or "Reader" in block.text]
    assert sum("river" in block.text for block in found.comments) == 7


def test_a_page_of_notices_only_is_no_failure() -> None:
    page = Page.parse(b"<body><p>Sign up for our daily newsletter.</p><p>Follow us on Facebook.</p></body>", "")
    assert len(body_of(page).kept) >= 1
