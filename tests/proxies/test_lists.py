from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.proxies.lists import parse_list

TABLE = b"""<html><body><table><thead><tr><th>IP</th><th>Port</th><th>Type</th><th>Checked</th></tr></thead>
<tr><td>8.8.8.8</td><td>3128</td><td>HTTP, HTTPS</td><td>1 min</td></tr>
<tr><td><b>8.8.4.4</b></td><td>80</td><td>SOCKS5</td><td>2 min</td></tr>
<tr><td>1.1.1.1:8080</td><td>CN</td></tr></table></body></html>"""
JSON = json.dumps(
    {"data": [
        {"ip": "8.8.8.8", "port": "3128", "protocols": ["http"]},
        {"host": "8.8.4.4", "port": 80, "type": "socks4"},
        {"proxy": "1.1.1.1:8080", "country": "AU"},
    ]}
).encode()  # fmt: skip
LINES = b"# fresh\n8.8.8.8:3128\nsocks5://8.8.4.4:80\n\n1.1.1.1 8080 elite\n"
CSV = b"ip,port,protocol\n8.8.8.8,3128,http\n8.8.4.4,80,socks5\n1.1.1.1,8080,https\n"


@pytest.mark.parametrize("body", [TABLE, JSON, LINES, CSV], ids=["table", "json", "lines", "csv"])
def test_formats(body):
    found = parse_list(body)
    assert [proxy.url for proxy in found.proxies] == ["http://8.8.8.8:3128", "http://1.1.1.1:8080"]
    assert found.refused == {"proxy_socks": 1}


def test_accounts():
    body = b"8.8.8.8:80:anna:pa:ss\nhttp://anna:secret@8.8.4.4:81\n"
    assert [(p.user, p.password) for p in parse_list(body).proxies] == [("anna", "pa:ss"), ("anna", "secret")]


def test_private_addresses_and_names_are_refused_unless_allowed():
    body = b"10.0.0.1:80\n127.0.0.1:80\n[::1]:80\nevil.example.com:80\n8.8.8.8:80\n8.8.8.8:80\n"
    found = parse_list(body)
    assert [proxy.url for proxy in found.proxies] == ["http://8.8.8.8:80"]
    assert found.refused == {"proxy_private": 3, "proxy_name": 1}
    assert len(parse_list(body, allow_private=True).proxies) == 4


@pytest.mark.parametrize(
    "body",
    [b"", b"\x00\xff" * 500, b"{", b"[[" * 5000, b"<table>" * 3000, b"<html><p>Sorry, 404</p></html>", b"a:b\n" * 99],
)
def test_garbage_holds_no_proxy(body):
    assert parse_list(body).proxies == []


def test_an_endless_list_ends():
    body = "\n".join(f"8.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}:80" for n in range(25_000)).encode()
    found = parse_list(body)
    assert len(found.proxies) == 20_000
    assert found.refused["proxy_too_many"] == 1


@given(st.binary(max_size=400))
def test_nothing_is_raised_for_content(body):
    parse_list(body)
