"""Answers that take long to read are told from those that do not, in a process that can be ended."""

from __future__ import annotations

import gzip
import re

from articlebot.runtime.trial import Trial, is_light, most_cpu, read_once

URL = "http://news.example/sitemap.xml"


def _stuck(body: bytes) -> None:
    re.match(rb"(a+)+$", body)  # ends in years, and holds the interpreter's lock


def _large(body: bytes) -> bytes:
    return bytes(1 << 30)


async def test_what_cannot_be_read_in_time_is_told_and_costs_no_more_than_that() -> None:
    small = Trial(from_bytes=1000, limit_s=1)
    assert not await small.passes(_stuck, b"a" * 1000 + b"!")
    assert await small.passes(read_once, b"<urlset>" + b"<url><loc>/a</loc></url>" * 100, "sitemap", URL, None)


def test_a_slow_machine_has_more_seconds() -> None:
    """A sitemap of 50,000 addresses was refused where a core was five times slower."""
    assert [most_cpu(used, 3) for used in (0.2, 0.5, 1.5, 9.0)] == [4, 4, 11, 25]


async def test_a_packed_sitemap_is_tried_by_what_is_in_it() -> None:
    packed = gzip.compress(b"<urlset>" + b"<url></url>" * 4_000_000, 1)
    assert not await Trial(limit_s=1).reads("sitemap", packed, URL, None)


async def test_what_takes_too_much_memory_does_not_pass() -> None:
    assert not await Trial(from_bytes=0).passes(_large, b"")


async def test_a_light_answer_is_not_tried() -> None:
    assert await Trial().passes(_stuck, b"a" * 1000 + b"!")


def test_links_weigh_more_than_other_tags() -> None:
    """60,000 links kept the loop for 20 s."""
    assert is_light(b"<p>" * 50_000 + b"<a href=/1>" * 2900)
    assert not is_light(b"<p>" * 10_000 + b"<a\thref=/1><A HREF=/2>" * 1500)
