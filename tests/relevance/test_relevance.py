from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot.errors import ConfigError, StateError
from articlebot.items import Link
from articlebot.relevance import Focus, Judge, Topic, load_topic
from articlebot.relevance.evidence import RULES, Evidence, HubScores, design, shark
from articlebot.relevance.threshold import (
    Judgement,
    Threshold,
    adapt,
    best_split,
    sample,
    store_threshold,
    stored_threshold,
)
from articlebot.relevance.vectors import Background, cosine, terms, vector
from benchmarks.focused import run, titles

FOOTBALL = "The striker scored a late goal and the goalkeeper saved a penalty in the cup final"
FINANCE = "The central bank raised interest rates while bond investors feared inflation"
words = st.dictionaries(st.text(alphabet="abcd", min_size=2, max_size=4), st.integers(1, 9), max_size=8)
shares = st.floats(0, 1)
evidences = st.builds(
    Evidence, page=shares, anchor=shares, context=shares, described=shares, inherited=shares, hub=shares,
    source=shares, accumulated=st.floats(-50, 50), site=shares, relevant_links=st.floats(0, 1e6),
    links=st.integers(0, 99),
)  # fmt: skip


@settings(deadline=None)
@given(words, words)
def test_cosine_is_symmetric_and_bounded(a: dict[str, int], b: dict[str, int]) -> None:
    background = Background()
    background.add(a)
    u, v = vector(a, background), vector(b, background)
    assert cosine(u, v) == pytest.approx(cosine(v, u))
    assert 0 <= cosine(u, v) <= 1
    assert cosine(u, u) == pytest.approx(1 if a else 0)


@given(evidences)
def test_every_rule_gives_a_share(evidence: Evidence) -> None:
    for rule in RULES.values():
        assert 0 <= rule(evidence) <= 1


@given(evidences, shares)
def test_design_is_its_formula(evidence: Evidence, m1: float) -> None:
    assert design(evidence, m1) == m1 * evidence.page + (1 - m1) * evidence.hub


def test_shark_search_inherits() -> None:
    assert shark(Evidence(inherited=1.0)) == pytest.approx(0.2)
    assert shark(Evidence(anchor=1.0)) > shark(Evidence(context=1.0)) > 0


def test_hub_score_is_a_share_of_the_best() -> None:
    hubs = HubScores()
    assert hubs.score("a") == 0
    for url in ("a", "a", "b"):
        hubs.add(url)
    assert (hubs.score("a"), hubs.score("b"), hubs.score("c")) == (1.0, 0.5, 0.0)


def test_judges_by_words_in_both_languages() -> None:
    judge = Judge(Topic(name="t", keywords=("football", "goal", "足球", "进球")))
    assert judge.relevance("Goal!", FOOTBALL) > judge.threshold
    assert judge.relevance("足球", "國足昨晚進球取勝，足球迷歡呼。") > judge.threshold
    assert judge.relevance("Rates", FINANCE) == 0
    assert judge.relevance("", "") == judge.relevance("😀", "😀") == 0


def test_learns_words_and_does_not_drift() -> None:
    judge = Judge(Topic(name="t", texts=(FOOTBALL, "A goal in the final minute won the cup for the striker's team")))
    before = judge.of_text("offside referee")
    for _ in range(30):
        body = FOOTBALL + " referee offside"
        judge.learn("goal", body, judge.relevance("goal", body))
        judge.learn("bank", FINANCE, judge.relevance("bank", FINANCE))
    assert judge.of_text("offside referee") > before
    assert judge.of_text("central bank") < 0.05
    fixed = Judge(Topic(name="t", texts=(FOOTBALL,)), feedback=False)
    for _ in range(30):
        fixed.learn("goal", FOOTBALL + " referee", 1.0)
    assert fixed.of_text("referee") == 0


def test_terms_leave_out_what_tells_nothing() -> None:
    assert terms("The 2024 of and, a 我们 的") == {}
    assert terms("Football football") == {"football": 2}


def fetched(focus: Focus, url: str, title: str, body: str, found: list[Link]) -> tuple[float, list[str]]:
    relevance, seen = focus.look(url, title, body, found)
    return relevance, focus.take_in(seen)


def links(*pairs: tuple[str, str]) -> list[Link]:
    return [Link(url=f"http://{url}", text=text) for url, text in pairs]


def test_priority_rises_with_better_evidence() -> None:
    focus = Focus(Judge(Topic(name="t", texts=(FOOTBALL,))))
    fetched(
        focus, "http://a.test/", "", FINANCE, links(("x.test/1", "more"), ("y.test/1", "more"), ("z.test/1", "more"))
    )
    before = focus.priority("http://x.test/1")
    _, changed = fetched(focus, "http://b.test/", "goal", FOOTBALL, links(("x.test/1", "late goal by striker")))
    assert "http://x.test/1" in changed
    assert focus.priority("http://x.test/1") > before
    assert focus.priority("http://x.test/1") > focus.priority("http://y.test/1")


def test_a_hub_lifts_its_other_links() -> None:
    focus = Focus(Judge(Topic(name="t", texts=(FOOTBALL,))))
    fetched(focus, "http://hub.test/", "", "navigation", links(*((f"s{n}.test/", "more") for n in range(6))))
    fetched(focus, "http://other.test/", "", "navigation", links(*((f"t{n}.test/", "more") for n in range(6))))
    for n in range(3):
        _, changed = fetched(focus, f"http://s{n}.test/", "goal", FOOTBALL, [])
        fetched(focus, f"http://t{n}.test/", "bank", FINANCE, [])
        assert "http://s5.test/" in changed
    assert focus.priority("http://s5.test/") > 2 * focus.priority("http://t5.test/")


def test_design_rule_uses_cosine_and_hub() -> None:
    focus = Focus(Judge(Topic(name="t", texts=(FOOTBALL,)), feedback=False), rule="design", m1=0.25)
    fetched(focus, "http://a.test/", "goal", FOOTBALL, links(("x.test/", "more"), ("y.test/", "bank")))
    evidence = focus.evidence("http://x.test/")
    assert focus.priority("http://x.test/") == 0.25 * evidence.page + 0.75 * evidence.hub
    # It scores the parent: all links of a page are equal.
    assert focus.priority("http://x.test/") == focus.priority("http://y.test/")


def test_links_found_with_the_topic_in_their_words_count_where_the_design_is_literal() -> None:
    topic = Topic(name="t", texts=(FOOTBALL,))
    found = links(("x.test/", "late goal by striker"), ("y.test/", "bank rates"), ("z.test/", "goal in the final"))
    scores = {}
    for hub in ("fetched", "found"):
        focus = Focus(Judge(topic, feedback=False, counted=True), rule="design", m1=0.0, hub=hub)
        _, seen = focus.look("http://a.test/", "", FINANCE, found)
        assert focus.topical(seen) == 2
        focus.take_in(seen)
        fetched(focus, "http://b.test/", "", FINANCE, links(("w.test/", "a goal")))
        scores[hub] = focus.priority("http://y.test/"), focus.priority("http://w.test/")
    assert scores == {"fetched": (0.0, 0.0), "found": (1.0, 0.5)}


def test_the_designs_weights_are_how_often_words_stand_there() -> None:
    judge = Judge(Topic(name="t", texts=("comet comet orbit",)), feedback=False, counted=True)
    judge.learn("", "comet " * 50, 1.0)  # a word that is on all pages weighs no less
    assert judge.of_text("comet orbit") == pytest.approx(3 / 10**0.5, abs=1e-9)


def test_unknown_pages_have_a_priority() -> None:
    assert 0 <= Focus(Judge(Topic(name="t", keywords=("x1",)))).priority("http://never.test/") <= 1


def test_pages_found_by_one_query_rank_equal_where_that_is_assumed() -> None:
    for assumed in (False, True):
        focus = Focus(Judge(Topic(name="t", texts=(FOOTBALL,))), assumptions=("equal_in_query",) if assumed else ())
        found = links(("x.test/", "late goal by striker"), ("y.test/", "more"))
        fetched(focus, "http://search.test/?q=goal", "", "results", found)
        equal = focus.priority("http://x.test/") == focus.priority("http://y.test/")
        assert equal == assumed


def test_threshold_moves_by_the_designs_rule() -> None:
    round_of = [Judgement(0.3, True)] * 8 + [Judgement(0.2, False)] * 2
    first = adapt(Threshold(value=0.2), round_of)
    assert (first.value, first.accuracies) == (0.2, (0.8,))
    steady = adapt(first, round_of)
    assert steady.value == pytest.approx(0.18)
    worse = adapt(steady, round_of[4:])
    assert worse.value == pytest.approx(0.18 * 1.1)
    assert adapt(worse, []) == worse


def test_threshold_at_the_best_split() -> None:
    judged = [Judgement(0.1, False), Judgement(0.2, False), Judgement(0.4, True), Judgement(0.5, True)]
    assert best_split(Threshold(value=0.05), judged).value == pytest.approx(0.3)
    assert best_split(Threshold(value=0.05), judged[2:]) == adapt(Threshold(value=0.05), judged[2:])


@given(shares, st.lists(st.builds(Judgement, shares, st.booleans()), max_size=20))
def test_threshold_stays_a_share(value: float, judged: list[Judgement]) -> None:
    assert 0 <= best_split(Threshold(value=value), judged).value <= 1
    assert 0 <= adapt(Threshold(value=value, accuracies=(0.5,)), judged).value <= 1


def test_threshold_is_kept(tmp_path: Path) -> None:
    assert stored_threshold(tmp_path, "a/b") is None
    path = store_threshold(tmp_path, "a/b", Threshold(value=0.25, accuracies=(0.5,)))
    assert stored_threshold(tmp_path, "a/b") == Threshold(value=0.25, accuracies=(0.5,))
    for content in ("", "[]", '{"version": 2}', '{"version": 1, "value": 3, "step": 1, "bound": 1, "accuracies": []}'):
        path.write_text(content)
        with pytest.raises(StateError, match=r"a-b\.json"):
            stored_threshold(tmp_path, "a/b")


def test_samples_at_random_without_repeating() -> None:
    assert len(set(sample(range(100), 20, random.Random(1)))) == 20
    assert sorted(sample(range(3), 20, random.Random(1))) == [0, 1, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "keywords: expected keywords, texts or examples"),
        ('keywords = ["的"]', "expected keywords, texts or examples"),
        ('keywords = "a b"\nx = 1', "x: unknown key"),
        ("keywords = 1", "keywords: expected a list of texts"),
        ('keywords = ["cup"]\nseeds = ["ftp://x"]', "seeds: 'ftp://x' is not"),
        ('keywords = ["cup"]\nthreshold = 2', "threshold: expected a number"),
        ('keywords = ["cup"]\nname = ""', "name: expected"),
        ("[", "topic.toml"),
    ],
)
def test_names_what_is_wrong_with_a_topic(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "topic.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load_topic(path)


def test_reads_a_topic(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text('keywords = ["world cup"]\nseeds = ["http://A.test"]\nthreshold = 0.2\n', encoding="utf-8")
    topic = load_topic(path)
    assert (topic.name, topic.seeds, topic.threshold) == ("cup", ("http://a.test/",), 0.2)
    assert Judge(topic).threshold == 0.2
    assert Judge(topic, threshold=0.4).threshold == 0.4


def test_harvest_on_a_web_of_real_texts(corpus: Path) -> None:
    texts = titles(corpus / "texts" / "thucnews_title.train45k.jsonl")
    row = run(texts, 205, ["breadth", "design", "blend"])
    assert row["blend"] > 2.5 * row["breadth"]
    assert row["blend"] > row["design"] > row["breadth"]
