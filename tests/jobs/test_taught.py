"""A selector that a person has pointed out, written into a job's block."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import ConfigError
from articlebot.jobs.taught import with_selector

# What a selector can consist of; TOML has no escape for the rest that JSON knows.
_TEXT = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=40)
BARE = '[[site]]\nname = "a"  # ours\nsite = "https://a.test/"\n'


def _selectors(block: str) -> object:
    return tomllib.loads(block)["site"][0]["selectors"]


@given(st.sampled_from(["title", "body", "date", "author"]), _TEXT)
def test_any_selector_is_written_and_read_back(field: str, selector: str) -> None:
    done = with_selector(BARE, field, selector, {})
    assert done.startswith(BARE)
    assert _selectors(done) == {field: selector}


def test_others_stay_and_the_same_field_is_replaced() -> None:
    first = with_selector(BARE, "title", "h1.a", {})
    second = with_selector(first, "date", "p > time", {})
    third = with_selector(second, "title", "h2", {})
    assert _selectors(third) == {"title": "h2", "date": "p > time"}
    assert third.count("[site.selectors]") == 1


def test_a_table_of_its_own_holds_what_the_group_gave() -> None:
    done = with_selector(BARE, "title", "h1", {"cut": ["div.ad"], "title": "h2"})
    assert _selectors(done) == {"cut": ["div.ad"], "title": "h1"}
    # Where it has one already, its group's are not in force.
    assert _selectors(with_selector(done, "body", "main", {"source": "b"})) == {
        "cut": ["div.ad"],
        "title": "h1",
        "body": "main",
    }


def test_further_tables_and_remarks_stay() -> None:
    block = BARE + '\n[site.selectors]\n# by hand\ncut = ["p.ad"]\n\n[site.numbers]\nx = 1\n\n# the next one\n'
    done = with_selector(block, "title", "h1", {})
    assert "# by hand" in done
    assert "# the next one" in done
    assert tomllib.loads(done)["site"][0]["numbers"] == {"x": 1}
    assert _selectors(done) == {"title": "h1", "cut": ["p.ad"]}
    behind = with_selector(BARE + "\n# the next one\n", "title", "h1", {})
    assert behind.endswith("# the next one\n")


@pytest.mark.parametrize("written", ['selectors = { title = "h1" }\n', 'selectors.title = """\nh1"""\n'])
def test_what_is_written_otherwise_is_left_to_its_author(written: str) -> None:
    with pytest.raises(ConfigError, match="by hand"):
        with_selector(BARE + written, "body", "main", {})
