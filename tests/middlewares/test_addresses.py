from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from articlebot.middlewares import resolver
from articlebot.middlewares.addresses import is_public, written_address
from tests.crawlers import crawler_with
from tests.extensions.serving import crawl_directly


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2001:4860:4860::8888", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("::1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::808:808", True),
        ("64:ff9b:1::a01:203", False),
        ("2002:7f00:1::", False),
        ("::7f00:1", False),
        ("224.0.0.1", False),
        ("not an address", False),
    ],
)
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("2130706433", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("64:ff9b::7f00:1", "64:ff9b::7f00:1"),
        ("8.8.8.8", "8.8.8.8"),
        ("news.example", None),
        ("1.example", None),
        ("", None),
    ],
)
def test_an_address_is_known_however_it_is_written(host: str, address: str | None) -> None:
    assert written_address(host) == address


def test_a_name_whose_address_changes_is_met_at_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, answers = [1000.0], ["8.8.8.8", "8.8.4.4", ""]
    monkeypatch.setattr(resolver, "monotonic", lambda: clock[0])
    names = resolver.Resolver(crawler_with(settings_dict={"DNS_TIMEOUT": 0.1}), lambda name, address: False)

    async def look(name: str) -> list[str]:
        return [answers.pop(0)] if answers[0] else await asyncio.sleep(60, [])

    names._look = look
    met = []
    for later in (0.0, 299.0, 2.0, 301.0):
        clock[0] += later
        met.append(asyncio.run(names.addresses("moves.example")))
    assert met == [["8.8.8.8"], ["8.8.8.8"], ["8.8.4.4"], []]
    assert asyncio.run(names.addresses("2001:db8::1")) == ["2001:db8::1"]


@pytest.mark.parametrize(
    ("found", "first", "order"),
    [
        ([], None, []),
        (["::1", "::2", "::3", "1.1.1.1", "2.2.2.2"], None, ["::1", "1.1.1.1", "::2", "2.2.2.2", "::3"]),
        (["1.1.1.1", "2.2.2.2", "::1"], "2.2.2.2", ["2.2.2.2", "1.1.1.1", "::1"]),
        (["1.1.1.1", "1.1.1.1"], "9.9.9.9", ["1.1.1.1"]),
    ],
)
def test_both_kinds_of_address_take_turns(found: list[str], first: str | None, order: list[str]) -> None:
    assert resolver.in_turn(found, first) == order


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_private_address_is_refused_unless_the_job_allows_it(tmp_path: Path, host: str) -> None:
    refused = crawl_directly(tmp_path / "refused", host, allow=False)
    assert refused["articlebot/page/failed/private_address"] == 1
    assert "downloader/response_count" not in refused
    allowed = crawl_directly(tmp_path / "allowed", host, allow=True)
    assert allowed["downloader/response_status_count/200"] >= 1
