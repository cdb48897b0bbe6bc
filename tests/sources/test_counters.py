"""With what a script begins, and whether it counts that up behind what it asks for."""

from __future__ import annotations

import re

import pytest

from articlebot.sources.counters import begun_in, counted_in, counts_behind


@pytest.mark.parametrize(
    ("script", "behind"),
    [
        ("function more() { fetch('/l?p=' + page).then(d => { show(d); page++; }) }", True),
        ("function more() { page++; fetch('/l?p=' + page).then(show) }", False),
        # counted up by who calls the function
        ("function load() { fetch(`/l?p=${page}`).then(show) } b.onclick = () => { page++; load() }", False),
        ("function load() { $.ajax({url: '/l', data: {page: page}, success: function (d) { page += 1 }}) }", True),
        ("function load() { $.get('/l', {page: page}, function (d) { show(d) }); page = page + 1 }", True),
        # what is called when the answer has come stands before
        ("function f() { x.onload = function () { page++ }; x.open('GET', '/l?p=' + page); x.send() }", True),
        ("function f() { if (more) { page++ } x.open('GET', '/l?p=' + page); x.send() }", False),
        ("fetch(`/l?p=${page++}`)", True),
        ("fetch(`/l?p=${++page}`)", False),
        ("function f() { fetch('/l?p=' + page).then(d => { total += d.n }) }", False),
        ("fetch('/l?p=' + page)", False),
    ],
)
def test_a_number_is_counted_up_behind_what_is_asked_for(script: str, behind: bool) -> None:
    address = re.search(r"['`]/l[^'`]*['`]", script)
    assert address is not None
    assert counts_behind(script, address.start(), address.end(), {"page"}) == behind


def test_names_that_are_counted_up_and_none_of_a_loop() -> None:
    script = "for (var i = 0; i < n; i++) { draw(i) } this.page++; load(at++); ++t; offset += 20"
    assert counted_in(script) == {"page", "at", "t", "offset"}


def test_names_that_begin_with_nothing() -> None:
    script = "let last = '', id = 0, at = null, n = 1; function load(c) { } load(''); function more(k) { } more(x)"
    assert begun_in(script, {"load": "c", "more": "k"}) == {"last", "id", "at", "c"}
