"""What a function in a script returns, read and not run."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.page import Page
from articlebot.page.js_values import called, encodable, records
from articlebot.page.json_values import loaded
from articlebot.page.script_values import plain, values_of

_SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)


@given(value=_VALUES, argument=_VALUES)
def test_values_and_arguments_are_what_the_script_says(value: object, argument: object) -> None:
    script = (
        f"window.__NUXT__=(function(a,b){{return {{data:[{json.dumps(value)},b],first:a}}}}(1,{json.dumps(argument)}));"
    )
    assert list(called(script)) == [{"data": [value, argument], "first": 1}]


def test_what_scripts_write_otherwise() -> None:
    script = (
        "x = function(a, b){a.n=2;a['k']=void 0;b[0]='\\u002F\\x41\\'';return {a:a,b:b,yes:!0,at:new Date(5),"
        "e:Array(3),half:-.5,$c:undefined,\"q r\":'\\ud83d\\ude00'};}({}, []);"
    )
    (found,) = called(script)
    assert found == {
        "a": {"n": 2, "k": None}, "b": ["/A'"], "yes": True, "at": 5, "e": [], "half": -0.5, "$c": None, "q r": "😀",
    }  # fmt: skip


@pytest.mark.parametrize(
    "script",
    [
        "x=(function(a){var b=1;return [b]}(1))",
        "x=(function(a){return [a()]}(1))",
        "x=(function(a){return [a+1]}(1))",
        '=(function(a){return "' + '\\"' * 500_000,
        "=(function(a){return [" + "[" * 500_000,
        "=(function(a){return {a:" * 100_000,
        ("=(function(" + "a," * 9_000) * 100,
        "=(function(a){return [" + "a," * 100_000 + "]}([" + "[1]," * 100_000 + "]))",
    ],
)
def test_what_is_more_than_values_ends_it_and_hostile_scripts_are_bounded(script: str) -> None:
    begun = time.process_time()
    assert sum(len(value) for value in called(script)) <= 100_000
    assert time.process_time() - begun < 5.0


def test_a_number_that_python_does_not_read_ends_a_list_alone() -> None:
    assert list(records("a=[{n:\u00b2}];b=[{n:2}]")) == [[{"n": 2}]]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (r"a\ud83d\ude00b", "a😀b"),
        (r"a\uD83D\uDE00b", "a😀b"),
        (r"a\ud83db", "a\ufffdb"),
        (r"a\ude00b", "a\ufffdb"),
        (r"\ud83d\ud83d\ude00", "\ufffd😀"),
        (r"\u00e9", "é"),
    ],
)
def test_half_of_a_surrogate_pair_is_no_part_of_what_data_say(said: str, read: str) -> None:
    text = f'{{"title": "{said}"}}'
    assert json.loads(encodable(text)) == {"title": read}
    assert loaded(text.encode()) == {"title": read}
    assert list(values_of(f"x = {text};")) == [{"title": read}]
    page = Page.parse(
        f'<script type="application/ld+json">{{"@type": "A", "name": "{said}"}}</script>'.encode(), "http://a.test/"
    )
    assert [node["name"] for node in page.jsonld] == [read]


def test_pairs_are_joined_in_percent_encoding_too() -> None:
    assert plain("%u4e2d%u6587%ud83d%ude00%u6587%ud83d") == "中文😀文\ufffd"
