"""When a job is said to be ill, and of what."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace

import pytest
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from articlebot.actions.workers import joined
from articlebot.diagnosis import Coverage, JobCounts, Past, RedisPasts, after, coverage, diagnose, exits_badly, told
from articlebot.diagnosis.advice import advised, unread
from articlebot.diagnosis.findings import PATIENCE, Finding
from articlebot.diagnosis.tally import is_far_less
from articlebot.runtime.runs import PENDING

URL = "http://a.test/"
KNOWN = Past(published=True, links={1: (20, 22, 18)}, shares=(0.9,))


def counts(entries=(), pages=(), links=None, published=0):
    examples = dict.fromkeys((*entries, *pages), (URL, ""))
    return JobCounts(Counter(entries), Counter(pages), links or {}, published=published, examples=examples)


@pytest.mark.parametrize(
    ("seen", "past", "reason"),
    [
        (counts(["links"], links={1: 20}), KNOWN, None),
        (counts(["not_modified"]), KNOWN, None),
        (counts(["index"]), Past(), None),
        # One of several entry pages that is away is no reason to say anything.
        (counts(["http_404", "links"], links={1: 20}), KNOWN, None),
        (counts(["http_404", "dns", "dns"]), KNOWN, "dns"),
        (counts(["links"], links={1: 4}), KNOWN, "fewer_links"),
        (counts(["links"], links={1: 5}), KNOWN, None),
        # Another entry page than before has links of its own number.
        (counts(["links"], links={2: 3}), KNOWN, None),
        (counts(["links"], ["no_text"] * 3, {1: 20}), Past(), "pages_no_text"),
        (counts(["links"], ["no_text"] * 3, {1: 20}), KNOWN, None),
        (counts(["links"], ["wall"] * 9 + ["article"] * 2, {1: 20}, 2), KNOWN, "pages_wall"),
        (counts(["links"], ["wall"] * 6 + ["article"] * 3, {1: 20}, 3), KNOWN, None),
        (counts(["links"], ["article", "off_topic"], {1: 20}), Past(), "pages_off_topic"),
    ],
)
def test_what_is_found(seen, past, reason):
    found = diagnose("j", seen, past)
    assert (None if found is None else found.reason) == reason


def test_few_pages_a_run_are_put_together_until_they_tell():
    seen, past = counts(["links"], ["wall"] * 3, {1: 20}), KNOWN
    found = []
    for _ in range(3):
        found.append(diagnose("j", seen, past))
        past = after(past, seen)
    assert [one is None for one in found] == [True, True, False]
    assert (past.tried, past.shares) == (0, (0.9, 0.0))


def test_a_site_that_published_is_given_some_runs_where_asking_again_may_help():
    down, gone, past = counts(["timeout"]), counts(["http_404"]), KNOWN
    severities = []
    for _ in range(PATIENCE):
        severities.append(diagnose("j", down, past).severity)
        assert diagnose("j", gone, past).severity == "fault"
        past = after(past, down)
    assert severities == ["passing", "passing", "fault"]
    assert diagnose("j", down, Past()).severity == "fault"
    assert after(past, counts(["links"], links={1: 20})).troubled == 0


@given(st.integers(0, 200), st.floats(0, 200))
def test_little_is_expected_of_little(found, usual):
    assert not is_far_less(found, usual) or (usual >= 8 and found < usual / 4)


def test_what_makes_the_exit_code():
    passing = Finding("a", "dns", "s", "a", "passing")
    assert not exits_badly([], 3, 0)
    assert not exits_badly([passing], 3, 0)
    assert exits_badly([passing], 1, 0)
    assert not exits_badly([passing], 1, 2)
    assert exits_badly([Finding("b", "robots", "s", "a")], 3, 20)


def test_a_report_is_bounded_and_begins_with_what_is_wrong():
    lines = told([Finding("a", "dns", "s", "do", "passing"), *(Finding(f"b{n}", "dns", "s", "do") for n in range(20))])
    assert lines[0] == "b0: s. do"
    assert len(lines) == 9
    assert lines[-1] == "and 13 more jobs: scrapy status --json"


def test_coverage_names_an_example_of_each_wall_and_judges_only_what_was_visited():
    seen = counts(["links"], ["article", "wall_login", "robots", "http_429"], {1: 20})
    seen.named["list"] = 17
    found = coverage("j", seen)
    assert "robots.txt forbids" in found.advice
    assert f"scrapy explain {URL}" in found.advice
    assert "identity" not in found.advice
    assert "1 of them articles (6%)" in found.said()
    seen.named["list"] = 2  # the rest had waited since an earlier run
    assert "2 new addresses named (lists 2); with those that waited 1 of 3 visited" in coverage("j", seen).said()
    assert "named (lists 17), all of which wait" in replace(found, pages={"http_429": 1}).said()
    cut = found.said(is_whole=False)
    assert "14 of them wait in the queue; 1 of the 3 visited are articles (33%)" in cut


def test_articles_that_one_worker_named_and_another_read_are_counted():
    named, read = counts(["links"], ["article"], {1: 20}), counts([], ["article", "article"])
    named.named["list"] = 3
    reports = [
        {"job": "j", "worker": str(n), "reason": "finished", "started_at": 0.0, "ended_at": 1.0 + n, "note": "",
         "findings": [], "stats": {f"{PENDING}desk": 2}, "coverage": [asdict(coverage("j", one))]}
        for n, one in enumerate((named, read))
    ]  # fmt: skip
    whole = joined(reports)
    assert "3 new addresses named (lists 3), 3 of them articles (100%)" in Coverage(**whole["coverage"][0]).said()
    assert whole["stats"] == {f"{PENDING}desk": 2}  # both counted the same outbox
    for notes, said in ((("", "nothing was due"), ""), (("nothing new", "nothing was due"), "nothing new")):
        assert joined([{**report, "note": note} for report, note in zip(reports, notes, strict=True)])["note"] == said


def test_a_first_crawl_says_where_nothing_led_to_older_articles():
    seen = counts(["links"], ["article"] * 17, {1: 20})
    seen.named["list"] = 17
    assert "older articles" not in coverage("j", seen).said()
    assert "Nothing led on to older articles: name a list" in coverage("j", seen, stops=True).said()
    seen.pages["article"] += 3  # those that are read most, beside each
    assert "Nothing led on to older articles" in coverage("j", seen, stops=True).said()
    seen.pages["article"] += 20  # what the articles named as those before them
    assert "older articles" not in coverage("j", seen, stops=True).said()


def test_lists_that_lead_to_nothing_beside_others_are_told():
    seen = counts(["links", "nofollow", "nofollow"], ["article"] * 10, {1: 10})
    seen.named["list"] = 10
    said = coverage("j", seen).said()
    assert (
        f"2 of 3 entry pages lead to nothing: {URL} asks that its links are not taken (nofollow). Name a feed" in said
    )
    seen.entries["links"] += 9
    assert "lead to nothing" not in coverage("j", seen).said()
    assert "lead to nothing" not in coverage("j", counts(["links", "http_404"], ["article"], {1: 1})).said()


def test_every_reason_has_words():
    for reason in ("http_403", "http_500", "something_new", "dns", "too_large"):
        said, advice = advised(reason, {"url": URL, "detail": "{x}"})
        assert said
        assert advice
        assert "{" not in said + advice


def test_what_is_said_of_articles_speaks_of_no_list_and_is_true():
    for reason, again in {"http_404": False, "http_401": False, "http_418": True, "http_500": True}.items():
        _, said, advice = unread(reason, URL)
        assert (URL in said, "list_pages" in advice, "it is asked again" in advice) == (True, False, again), reason


async def test_what_is_kept_comes_back_and_damage_begins_anew(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        store, finding = RedisPasts(client, "{articlebot}"), Finding("j", "dns", "s", "a")
        await store.put({"j": KNOWN, "k": Past()}, {"j": finding}, 100.0)
        await client.hset("{articlebot}:diagnosis", "l", "[]")
        assert await store.get(["j", "k", "l", "m"]) == {"j": KNOWN, "k": Past(), "l": Past(), "m": Past()}
        await client.hdel("{articlebot}:diagnosis", "l")
        assert await store.findings(99.0) == [finding]
        assert await store.findings(101.0) == []
        await store.mark_published("m")  # by a run that was killed, or another worker
        assert (await store.get(["k", "m"])) == {"k": Past(), "m": Past(published=True)}
