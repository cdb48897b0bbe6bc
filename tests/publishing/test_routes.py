"""Which sinks a version goes to."""

from __future__ import annotations

import pytest

from articlebot.publishing.specs import Routes, Rule

ROW = {
    "job": "bbc-world", "site": "bbc.co.uk", "category": None, "language": "en", "kind": "article",
    "cluster_role": "member", "event": "new",
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "wants"),
    [
        (Rule(), True),
        (Rule(jobs=("bbc-*",)), True),
        (Rule(jobs=("cnn", "bbc")), False),
        (Rule(sites=("bbc.co.uk",), languages=("en", "zh")), True),
        (Rule(categories=("politics",)), False),
        (Rule(categories=("-",)), True),
        (Rule(roles=("single", "representative")), False),
        (Rule(events=("withdrawn",)), False),
        (Rule(kinds=("video",)), False),
    ],
)
def test_rules(rule: Rule, wants: bool) -> None:
    assert rule.wants(ROW) is wants


def test_a_job_may_name_its_sinks() -> None:
    routes = Routes({"a": Rule(), "b": Rule(), "c": Rule(events=("withdrawn",))})
    assert list(routes({**ROW, "sinks": ["b", "c", "gone"]})) == ["b"]
    assert list(routes({**ROW, "sinks": None})) == ["a", "b"]
    assert list(routes({**ROW, "sinks": None, "event": "withdrawn"})) == ["a", "b", "c"]
