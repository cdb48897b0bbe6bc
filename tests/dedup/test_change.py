from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.config import Change
from articlebot.dedup import article_text, judge_change
from articlebot.text import content_hash, simhash

BODY = "市统计局昨天公布数据，上半年居民收入增长，物价平稳。" + "".join(
    f"第{n}季度，{name}企业完成投资{n * 17}亿元，出口增长{n}个百分点，就业人数继续增加。"
    for n, name in enumerate("纺织 钢铁 汽车 电子 化工 食品 家具 医药 造船 航空".split(), 1)
)
EXACT, SIMHASH = Change(), Change(rule="simhash")


def test_first_visit_is_new() -> None:
    verdict = judge_change(0, 0, BODY, EXACT)
    assert (verdict.change, verdict.distance, verdict.fingerprint_version) == ("new", None, simhash.VERSION)
    assert (verdict.content_hash, verdict.fingerprint) == (content_hash(BODY), simhash.fingerprint(BODY))


@pytest.mark.parametrize(
    ("text", "exact", "by_simhash"),
    [
        (BODY, "unchanged", "unchanged"),
        (BODY.replace("，", "\u200b， \n"), "unchanged", "unchanged"),
        (BODY.replace("增长1个百分点", "增长8个百分点"), "updated", "unchanged"),
        (
            "The harbour master closed both piers after Tuesday night's storm damaged three ferries.",
            "updated",
            "updated",
        ),
    ],
)
def test_rules(text: str, exact: str, by_simhash: str) -> None:
    before = judge_change(0, 0, BODY.replace("，", "， "), EXACT)
    text = text.replace("，", "， ")
    for config, expected in ((EXACT, exact), (SIMHASH, by_simhash)):
        verdict = judge_change(before.content_hash, before.fingerprint, text, config)
        assert verdict.change == expected
        assert verdict.distance == simhash.distance(before.fingerprint, simhash.fingerprint(text))


def test_threshold_is_the_last_distance_that_is_no_change() -> None:
    before, text = judge_change(0, 0, BODY, SIMHASH), BODY[:200]
    distance = simhash.distance(before.fingerprint, simhash.fingerprint(text))
    for threshold, expected in ((distance, "unchanged"), (distance - 1, "updated")):
        config = Change(rule="simhash", threshold=threshold)
        assert judge_change(before.content_hash, before.fingerprint, text, config).change == expected


def test_package_fingerprint_by_name() -> None:
    verdict = judge_change(0, 0, BODY, Change(rule="simhash", fingerprint="package"))
    assert verdict.fingerprint == simhash.package_fingerprint(BODY)
    assert verdict.fingerprint_version == simhash.PACKAGE_VERSION


@given(st.text(), st.text(), st.sampled_from([EXACT, SIMHASH]))
def test_the_same_text_never_changes_and_the_exact_rule_sees_every_change(a: str, b: str, config: Change) -> None:
    before = judge_change(0, 0, a, config)
    again = judge_change(before.content_hash, before.fingerprint, a, config)
    assert again.change == ("unchanged" if before.content_hash else "new")
    assert again.fingerprint == before.fingerprint
    if before.content_hash:
        after = judge_change(before.content_hash, before.fingerprint, b, EXACT)
        assert (after.change == "updated") == (content_hash(a) != content_hash(b))


def test_headline_counts_once() -> None:
    assert article_text("Title", "Title\nBody") == "Title\nBody"
    assert article_text("Title", "Body") == "Title\nBody"
    assert article_text("", " Body ") == "Body"
    assert article_text("Title", "") == "Title\n"
