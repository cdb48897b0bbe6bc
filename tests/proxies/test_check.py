"""Real proxies, good and bad, through the lists, the check and the command."""

from __future__ import annotations

import json
import urllib.request
from collections import Counter

import pytest

from articlebot.proxies.checks import Baseline, Look, Trial, evaluate, leaks
from tests.proxies.farm import QUICK_TRIALS, Farm
from tests.proxies.running import scrapy

KINDS = {"altering": 10, "leaking": 10, "asking": 10, "slow": 2, "hanging": 15, "dead": 93}


def test_200_proxies_of_which_60_are_good(tmp_path, redis_url):
    with Farm(site=12, good=59, paying=1, **KINDS) as farm:
        sites, places = farm.addresses["site"], farm.addresses
        listed = [place for kind in ("good", *KINDS) for place in places[kind]]
        (tmp_path / "list.txt").write_text(
            "\n".join(["# a list", "garbage", *listed, f"anna:s3cret@{places['paying'][0]}"])
        )
        redis = {"REDIS_URL": redis_url}
        gathered = scrapy(tmp_path, "crawl", "proxy_lists", "-a", f"lists={tmp_path / 'list.txt'}", **redis)
        assert gathered.returncode == 0, gathered.stderr
        urls = ",".join(f"http://{site}/page/{n}.html" for site in sites for n in range(3))
        checked = scrapy(
            tmp_path, "crawl", "proxy_check", "-a", f"urls={urls}", constants=QUICK_TRIALS, **redis,
            ARTICLEBOT_PROXIES_JUDGE_URL=f"http://{sites[0]}/headers",
        )  # fmt: skip
        with urllib.request.urlopen(f"http://{sites[0]}/waited") as answer:
            waited = int(answer.read())
        shown = scrapy(tmp_path, "proxies", "list", "--all", "--json", **redis)
    rows = json.loads(shown.stdout)
    states = Counter(row["state"] for row in rows)
    assert len(rows) == 200
    assert " ERROR " not in checked.stderr, checked.stderr
    assert states == {"pool": 60, "alters": 10, "leaks": 10, "fails": 25, "slow": 2, "unreachable": 93}
    assert waited == KINDS["slow"]  # at once: one after the other all would take minutes
    assert "s3cret" not in gathered.stderr + checked.stderr + shown.stdout
    assert all(row["checks"] == 1 for row in rows)


def test_the_command_adds_lists_and_removes(tmp_path, redis_url):
    redis = {"REDIS_URL": redis_url}
    assert "1 proxies added" in scrapy(tmp_path, "proxies", "add", "http://anna:s3cret@8.8.8.8:80", **redis).stdout
    refused = scrapy(tmp_path, "proxies", "add", "10.0.0.1:80", **redis, ARTICLEBOT_PROXIES_ALLOW_PRIVATE="0")
    assert refused.returncode == 2
    assert "proxy_private" in refused.stderr
    listed = scrapy(tmp_path, "proxies", "list", **redis)
    assert "http://***@8.8.8.8:80" in listed.stdout
    assert "s3cret" not in listed.stdout + listed.stderr
    assert "1 proxies removed" in scrapy(tmp_path, "proxies", "remove", "http://anna:s3cret@8.8.8.8:80", **redis).stdout


@pytest.mark.parametrize(
    ("trials", "kwargs", "reason"),
    [
        ([Trial("a", True, 0.5)] * 3, {}, ""),
        ([Trial("a", True, 0.5)] * 2 + [Trial("b", False)], {}, ""),
        ([Trial("a", True, 0.5)] + [Trial("b", False)] * 2, {}, "unreliable"),
        ([], {}, "fails"),
        ([Trial("a", True, 9.0)] * 3, {}, "slow"),
        ([Trial("a", True, 0.5, altered=True)] * 2 + [Trial("a", True, 0.5, altered=False)], {}, "alters"),
        ([Trial("a", True, 0.5)] * 3, {"leaking": True}, "leaks"),
        ([Trial("a", True, 0.5)] * 3, {"honest_tls": False}, "dishonest_tls"),
    ],
)
def test_what_trials_say(trials, kwargs, reason):
    found = evaluate(trials, 3, **kwargs)
    assert found["reason"] == reason
    assert 0 <= found["share"] <= 1


def test_sites_are_kept_apart_where_they_differ():
    trials = [Trial("a", True, 1.0), Trial("a", True, 1.0), Trial("b", False)]
    assert evaluate(trials, 3)["sites"] == {"a": 1.0, "b": 0.0}


def test_a_page_that_always_differs_proves_no_alteration():
    first, second, third = (Look.of(b"<p>%d</p>" % n, "http://a.test/", "text/html") for n in range(3))
    assert Baseline("u", 200, (first, first)).altered(first) is False
    assert Baseline("u", 200, (first, first)).altered(second) is True
    assert Baseline("u", 200, (first, second)).altered(third) is None
    advert = Look.of(b"<p>3</p><iframe src='//ads.example/'></iframe>", "http://a.test/", "text/html")
    assert Baseline("u", 200, (first, second)).altered(advert) is True


def test_a_leak_is_our_address_where_a_server_sees_it():
    own = frozenset({"203.0.113.9"})
    assert leaks(own, '{"X-Forwarded-For": "203.0.113.9, 8.8.8.8"}', "8.8.8.8") is True
    assert leaks(own, '{"origin": "8.8.8.8"}', "8.8.8.8") is False
    assert leaks(frozenset(), '{"origin": "8.8.8.8"}', "8.8.8.8") is None
