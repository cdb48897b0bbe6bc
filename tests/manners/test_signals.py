"""Robots tags by the examples of Google's documentation; TDM reservations; preferences about training."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.manners.robots_txt import RobotsTxt
from articlebot.manners.signals import TRAINERS, Reservations, is_over, of_page, of_robots


def header(*values: str, agent: str = "articlebot") -> dict[str, str]:
    return of_page({"x-robots-tag": values}, {}, agent)


def meta(agent: str = "articlebot", **metas: list[str]) -> dict[str, str]:
    return of_page({}, metas, agent)


@pytest.mark.parametrize(
    ("values", "signals"),
    [
        (["noindex"], {"noindex"}),
        (["noindex, nofollow"], {"noindex", "nofollow"}),
        (["none"], {"noindex", "nofollow"}),
        (["NOINDEX,NoArchive"], {"noindex", "noarchive"}),
        (["all"], set()),
        (["all", "noindex"], {"noindex"}),
        (["max-snippet: 20, noarchive, max-image-preview:large"], {"noarchive"}),
        (["googlebot: nofollow", "otherbot: noindex, nofollow"], set()),
        (["googlebot: nofollow, noindex", "noarchive"], {"noarchive"}),
        (["noindex, googlebot: nofollow"], {"noindex"}),
        (["articlebot: noindex", "ArticleBot: nofollow"], {"noindex", "nofollow"}),
        (["otherbot: noindex, articlebot: nofollow"], {"nofollow"}),
        (["*: nosnippet"], {"nosnippet"}),
        (["noai, noimageai"], {"noai", "noimageai"}),
        (["gptbot: noindex"], {"ai-train"}),
        (["nocache"], {"noarchive"}),
        (["noindex nofollow"], {"noindex", "nofollow"}),
        ([""], set()),
    ],
)
def test_headers(values, signals):
    assert set(header(*values)) == signals


@pytest.mark.parametrize(
    "said",
    [
        "unavailable_after: 25 Jun 2010 15:00:00 PST",
        "unavailable_after: 25-Jun-2010 15:00:00 PST",
        "articlebot: unavailable_after: 2010-06-25T15:00:00-08:00",
        "unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT, noarchive",
        "noarchive, unavailable_after: Friday, 25-Jun-10 23:00:00 GMT",
        "unavailable_after: 2010-09-21, unavailable_after: 2010-06-25T23:00:00",
    ],
)
def test_unavailable_after_in_each_form_of_date_the_earliest_holding(said):
    found = header(said)
    assert found["unavailable_after"] == "2010-06-25T23:00:00+00:00"
    assert ("noarchive" in found) is ("noarchive" in said)
    assert is_over(found, 1277506800.0)
    assert not is_over(found, 1277506799.0)


def test_a_date_that_is_none_says_nothing():
    assert header("unavailable_after: soon, noindex") == {"noindex": "X-Robots-Tag"}
    assert not is_over({}, 9e9)


def test_metas_of_everybody_and_of_the_crawler_add_up():
    assert set(meta(robots=["nofollow"], articlebot=["noindex"])) == {"nofollow", "noindex"}
    assert set(meta(robots=["index, follow", "noarchive"])) == {"noarchive"}
    assert meta(googlebot=["noindex"]) == {}
    assert meta(ccbot=["nofollow"]) == {}
    assert meta(ccbot=["noindex"]) == {"ai-train": "meta: ccbot"}
    found = of_page({"x-robots-tag": ["noindex"]}, {"robots": ["noindex, nofollow"]}, "articlebot")
    assert found == {"noindex": "X-Robots-Tag", "nofollow": "meta"}


def test_reservations_of_headers_and_metas():
    found = of_page({"tdm-reservation": ["1"], "tdm-policy": ["http://a.example/p.json"]}, {}, "bot")
    assert found == {"tdm-reservation": "header", "tdm-policy": "http://a.example/p.json"}
    assert of_page({"tdm-reservation": ["0"]}, {"tdm-reservation": ["1"]}, "bot") == {"tdm-reservation": "meta"}
    assert of_page({"tdm-reservation": ["0"], "tdm-policy": ["x"]}, {}, "bot") == {}


@pytest.mark.parametrize(
    ("name", "said", "signals"),
    [
        ("content-usage", "train-ai=n", {"ai-train"}),
        ("content-usage", 'train-ai="n";x=1, search=y', {"ai-train"}),
        ("content-usage", "train-ai=y", set()),
        ("content-signal", "search=yes, ai-input=no, ai-train=no", {"ai-input", "ai-train"}),
        ("content-signal", "ai-train", set()),
        ("content-usage", "tdm=n", {"tdm-reservation"}),
    ],
)
def test_preferences(name, said, signals):
    assert set(of_page({name: [said]}, {}, "bot")) == signals
    robots = RobotsTxt(f"User-agent: *\n{name}: {said}\n".encode())
    assert set(of_robots(robots, "http://a.example/x", "bot")) == signals


def test_agents_that_train_and_are_refused_by_name():
    assert all(agent == agent.lower() for agent in TRAINERS)
    robots = RobotsTxt(b"User-agent: *\nDisallow: /\nUser-agent: GPTBot\nUser-agent: ai2bot\nDisallow: /x\n")
    assert of_robots(robots, "http://a.example/x1", "bot") == {"ai-train": "robots.txt: ai2bot, gptbot"}
    assert of_robots(robots, "http://a.example/y", "bot") == {}
    assert of_robots(RobotsTxt(b"User-agent: *\nDisallow: /\n"), "http://a.example/x1", "bot") == {}
    reserved = RobotsTxt(b"User-agent: *\nDisallowAITraining: /news/\n")
    assert set(of_robots(reserved, "http://a.example/news/1", "bot")) == {"ai-train"}
    assert of_robots(reserved, "http://a.example/", "bot") == {}


def test_tdmrep_json_the_longest_location_holds():
    rules = [
        {"location": "/", "tdm-reservation": 1, "tdm-policy": "https://a.example/policy.json"},
        {"location": "/free/", "tdm-reservation": 0},
        {"location": "/free/*.pdf$", "tdm-reservation": 1},
        {"location": 5}, "x",
    ]  # fmt: skip
    found = Reservations.parse(json.dumps(rules).encode())
    assert found.of("http://a.example/x") == {
        "tdm-reservation": "tdmrep.json", "tdm-policy": "https://a.example/policy.json",
    }  # fmt: skip
    assert found.of("http://a.example/free/x") == {}
    assert found.of("http://a.example/free/x.pdf") == {"tdm-reservation": "tdmrep.json"}


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b"[" * 100_000, b"\xff\xfe", b"[[]]"])
def test_what_is_no_such_file_reserves_nothing(body):
    assert Reservations.parse(body).of("http://a.example/x") == {}


@given(st.dictionaries(st.sampled_from(["x-robots-tag", "tdm-reservation", "content-usage"]), st.lists(st.text())))
def test_nothing_that_is_sent_raises(headers):
    of_page(headers, {"robots": ["noindex"]}, "bot")
    of_page({}, headers, "bot")
    header(*(f"unavailable_after: {one}" for values in headers.values() for one in values))
