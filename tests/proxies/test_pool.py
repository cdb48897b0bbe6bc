from __future__ import annotations

import contextlib
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import RefusedError
from articlebot.proxies import DIRECT, Pool, Proxy, Verdict, verdict
from articlebot.proxies.pool import Cooling
from articlebot.proxies.proxy import mask
from articlebot.proxies.store import Record


def proxies(count):
    return [Proxy("http", f"8.8.4.{n}", 3128) for n in range(count)]


def pool_of(count, **kwargs):
    pool = Pool(random.Random(1), **kwargs)
    pool.replace(Record(proxy=proxy, share=1.0) for proxy in proxies(count))
    return pool


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("8.8.8.8:3128", "http://8.8.8.8:3128"),
        ("https://8.8.8.8:443", "https://8.8.8.8:443"),
        ("http://u:p%40ss@gate.example.com:8000", "http://u:p%40ss@gate.example.com:8000"),
        ("[2001:4860:4860::8888]:80", "http://[2001:4860:4860::8888]:80"),
    ],
)
def test_addresses(text, url):
    assert Proxy.parse(text).url == url


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("127.0.0.1:80", "proxy_private"),
        ("10.0.0.1:80", "proxy_private"),
        ("[::1]:80", "proxy_private"),
        ("[::ffff:10.0.0.1]:80", "proxy_private"),
        ("169.254.169.254:80", "proxy_private"),
        ("localhost:80", "proxy_private"),
        ("box.internal:80", "proxy_private"),
        ("socks5://8.8.8.8:80", "proxy_socks"),
        ("socks4a://u:secret@8.8.8.8:80", "proxy_socks"),
        ("ftp://8.8.8.8:80", "proxy_scheme"),
        ("8.8.8.8", "proxy_invalid"),
        ("8.8.8.8:0", "proxy_invalid"),
        ("8.8.8.8:99999", "proxy_invalid"),
        ("999.8.8.8:80", "proxy_invalid"),
        ("http://8.8.8.8:80/path", "proxy_invalid"),
        ("http://u:secret@:80", "proxy_invalid"),
        ("", "proxy_invalid"),
    ],
)
def test_what_is_no_proxy_is_refused_without_showing_its_account(text, reason):
    with pytest.raises(RefusedError) as caught:
        Proxy.parse(text)
    assert caught.value.reason == reason
    assert "secret" not in str(caught.value)


@given(st.text(max_size=60))
def test_parsing_raises_nothing_else(text):
    with contextlib.suppress(RefusedError):
        Proxy.parse(text)


def test_credentials_are_shown_nowhere():
    one, other = Proxy.parse("http://anna:secret@8.8.8.8:80"), Proxy.parse("http://anna:other@8.8.8.8:80")
    shown = f"{one!r} {one.key} {one.masked} {mask(one.url)} {mask('anna:secret@8.8.8.8:80')}"
    shown += mask("8.8.8.8:80:anna:secret") + mask("http://dealer.example:80:anna:secret")
    assert "secret" not in shown
    assert one.key != other.key
    assert one.masked == "http://***@8.8.8.8:80"


@pytest.mark.parametrize(
    ("status", "failure", "kwargs", "expected"),
    [
        (200, "", {}, Verdict.OK),
        (304, "", {}, Verdict.OK),
        (404, "", {}, Verdict.OK),
        (410, "", {}, Verdict.OK),
        (301, "", {}, Verdict.OK),
        (407, "", {}, Verdict.PROXY),
        (407, "", {"site_fails": True}, Verdict.PROXY),
        (403, "", {}, Verdict.BAN),
        (429, "", {}, Verdict.BAN),
        (200, "", {"wall": True}, Verdict.BAN),
        (403, "", {"site_refuses": True}, Verdict.SITE),
        (500, "", {}, Verdict.SITE),
        (502, "", {}, Verdict.PROXY),
        (502, "", {"site_fails": True}, Verdict.SITE),
        (None, "timeout", {}, Verdict.PROXY),
        (None, "timeout", {"site_fails": True}, Verdict.SITE),
        (None, "tunnel", {}, Verdict.PROXY),
        (None, "download_failed", {}, Verdict.PROXY),
        (None, "other", {}, Verdict.SITE),
    ],
)
def test_verdicts(status, failure, kwargs, expected):
    assert verdict(status, failure, **kwargs) is expected


@pytest.mark.parametrize("status", [304, 404])
def test_an_answer_of_the_site_never_rests_a_proxy(status):
    pool = pool_of(1)
    for at in range(100):
        pool.report(proxies(1)[0].key, "a.test", verdict(status), at)
    assert pool.usable("a.test", 100) == [proxies(1)[0].key]


def test_a_round_keeps_its_few_ways_and_the_next_draws_others():
    pool = pool_of(50, size=5, round_s=100)
    first = Counter(pool.choose("job", "a.test", at / 10) for at in range(900))
    assert len(first) == 6
    assert DIRECT in first
    assert min(first.values()) > 90  # each of the six alike: 150 on the average
    later = {pool.choose("job", "a.test", 100 + at / 10) for at in range(300)}
    assert later != set(first)
    assert len({pool.choose("other job", "a.test", 5) for _ in range(200)} & set(first)) < 6


def test_a_job_that_demands_a_proxy_never_goes_direct():
    pool = pool_of(3)
    assert DIRECT not in {pool.choose("job", "a.test", 1, direct=False) for _ in range(100)}
    assert Pool(random.Random(1)).choose("job", "a.test", 1, direct=False) is None
    assert Pool(random.Random(1)).choose("job", "a.test", 1) == DIRECT


def test_a_retry_takes_another_way_while_there_is_one():
    pool, tried = pool_of(8), []
    for _ in range(9):
        tried.append(pool.choose("job", "a.test", 1, tried=tried))
    assert len(set(tried)) == 9


def test_a_ban_is_for_one_site_and_a_fault_for_all():
    pool, (one, two) = pool_of(2, cooling=Cooling(fault=60, ban=1800)), proxies(2)
    assert pool.report(one.key, "a.test", Verdict.BAN, 0) == 1800
    assert pool.usable("a.test", 1) == [two.key]
    assert len(pool.usable("b.test", 1)) == 2
    assert pool.report(one.key, "a.test", Verdict.BAN, 1800) == 1800 + 3600
    pool.report(two.key, "a.test", Verdict.PROXY, 0)
    assert pool.usable("b.test", 1) == [one.key]
    assert len(pool.usable("b.test", 61)) == 2


def test_rests_double_up_to_a_cap_and_a_success_ends_the_row():
    pool, (one,) = pool_of(1, cooling=Cooling(fault=10, fault_cap=35)), proxies(1)
    assert [pool.report(one.key, "a.test", Verdict.PROXY, 0) for _ in range(4)] == [10, 20, 35, 35]
    pool.report(one.key, "a.test", Verdict.OK, 50)
    assert pool.report(one.key, "a.test", Verdict.PROXY, 50) == 60


def test_a_site_that_fails_by_every_way_is_to_blame_itself():
    pool = pool_of(5)
    keys = [proxy.key for proxy in proxies(5)]
    for key in keys[:3]:
        pool.note_way("a.test", key, failed=True)
    assert not pool.site_fails("a.test", keys[0])  # two others only
    assert pool.site_fails("a.test", keys[4])
    assert not pool.site_refuses("a.test", keys[4])
    pool.note_way("a.test", keys[4])
    assert not pool.site_fails("a.test", keys[3])
    pool.note_way("a.test", DIRECT, refused=True)
    assert pool.site_refuses("a.test", keys[0])


def test_the_fast_and_sure_are_drawn_more_often():
    pool = Pool(random.Random(2), size=1, round_s=1)
    fast, slow = proxies(2)
    pool.replace([Record(proxy=fast, share=1.0, median_s=0.2), Record(proxy=slow, share=0.6, median_s=6.0)])
    drawn = Counter(pool.choose("job", "a.test", at, direct=False) for at in range(0, 2000, 2))
    assert drawn[fast.key] > 5 * drawn[slow.key] > 0


def test_who_leaves_the_pool_leaves_its_rounds():
    pool, (one, two) = pool_of(2), proxies(2)
    assert {pool.choose("job", "a.test", 0, direct=False) for _ in range(50)} == {one.key, two.key}
    pool.report(two.key, "a.test", Verdict.PROXY, 0)
    pool.replace([Record(proxy=two, share=1.0)])
    assert pool.choose("job", "a.test", 1, direct=False) is None  # it rests still
    assert pool.choose("job", "a.test", 61, direct=False) == two.key
