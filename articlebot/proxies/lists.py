"""Proxies out of whatever a list is: plain lines, CSV, HTML tables or JSON, told by its content."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from articlebot.errors import RefusedError
from articlebot.page.page import Page
from articlebot.proxies.proxy import SCHEMES, Proxy
from articlebot.urls import is_address

MAX_BYTES = 10_000_000
MAX_PROXIES = 20_000
_MAX_NODES = 200_000
_HOSTS = ("ip", "host", "hostname", "addr", "address", "ipaddress", "ip_address", "server")
_SCHEME_KEYS = ("protocol", "protocols", "type", "types", "scheme")
_USERS = ("user", "username", "login")
_PASSWORDS = ("pass", "password", "pwd")
_PROTOCOL = re.compile(r"\b(https?|socks[45]?[ah]?)\b", re.I)
_PORT = re.compile(r"\d{1,5}")
_ACCOUNT_AFTER = re.compile(r"((?:\d{1,3}\.){3}\d{1,3}|[\w.-]+\.[a-z]{2,}):(\d{1,5}):([^:\s]+):(\S+)", re.I)
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9]{2,7}://)?(?:[^\s:@/]+:[^\s@/]+@)?(?:\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}", re.I)
_CELLS = re.compile(r"[\s,;|\t]+")


@dataclass(slots=True)
class Listed:
    """What a list holds.

    Attributes:
        proxies: each once, in the list's order, at most 20,000.
        refused: how many entries were left out, by reason; ``proxy_invalid`` counts those that looked like one.
    """

    proxies: list[Proxy] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


def parse_list(body: bytes, url: str = "", *, allow_private: bool = False) -> Listed:
    """The proxies of a list in any of the formats. Never raises for content.

    Only IP addresses are taken: a name of a stranger's list may lead anywhere.
    """
    found = Listed()
    seen: set[str] = set()
    for text in _addresses(body[:MAX_BYTES], url):
        try:
            proxy = Proxy.parse(text, allow_private=allow_private)
            if not is_address(proxy.host):
                raise RefusedError("proxy_name", proxy.masked)
        except RefusedError as error:
            found.refused[error.reason] += 1
            continue
        if proxy.key in seen:
            continue
        if len(found.proxies) >= MAX_PROXIES:
            found.refused["proxy_too_many"] += 1
            break
        seen.add(proxy.key)
        found.proxies.append(proxy)
    return found


def _addresses(body: bytes, url: str) -> Iterator[str]:
    head = body[:2048].lstrip(b"\xef\xbb\xbf\r\n\t ")
    if head[:1] in (b"{", b"["):
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            document = None
        if document is not None:
            yield from _of_json(document)
            return
    if head.startswith(b"<"):
        yield from _of_page(Page.parse(body, url, "text/html"))
        return
    yield from _of_lines(body.decode("utf-8", "replace").splitlines())


def _of_json(document: Any) -> Iterator[str]:
    """Every object with a host and a port, and every text that is an address, however deep."""
    waiting, nodes = [document], 0
    while waiting and nodes < _MAX_NODES:
        node = waiting.pop(0) if len(waiting) < 2 else waiting.pop()
        nodes += 1
        if isinstance(node, str):
            yield from _of_lines([node[:300]])
        elif isinstance(node, list):
            waiting.extend(reversed(node[:_MAX_NODES]))
        elif isinstance(node, dict):
            lowered = {str(name).lower(): value for name, value in node.items()}
            host = next((lowered[name] for name in _HOSTS if isinstance(lowered.get(name), str)), None)
            if host is not None and _is_port(lowered.get("port")):
                yield _joined(lowered, host.strip(), int(lowered["port"]))
            else:
                waiting.extend(reversed(list(node.values())))


def _joined(row: dict[str, Any], host: str, port: int) -> str:
    stated = next((row[name] for name in _SCHEME_KEYS if row.get(name)), "")
    user, password = (
        next((row[n] for n in names if isinstance(row.get(n), str)), "") for names in (_USERS, _PASSWORDS)
    )
    account = f"{user}:{password}@" if user else ""
    return f"{_scheme(stated)}://{account}{host}:{port}"


def _scheme(stated: Any) -> str:
    """The scheme to speak with a proxy of these protocols.

    Lists say ``https`` of a plain proxy that allows CONNECT; one that itself speaks TLS is written as an address.
    """
    protocols = {one.lower() for one in _PROTOCOL.findall(str(stated))}
    if protocols and protocols.isdisjoint(SCHEMES):
        return str(min(protocols))
    return "http"


def _is_port(value: Any) -> bool:
    return isinstance(value, int | str) and _PORT.fullmatch(str(value).strip()) is not None


def _of_page(page: Page) -> Iterator[str]:
    """Table rows with a cell for the address and one for the port; without tables, the page's text by lines."""
    if page.tree is None:
        return
    rows = 0
    for row in page.tree.iter("tr"):
        cells = ["".join(map(str, cell.itertext())).strip()[:300] for cell in row if cell.tag in ("td", "th")]
        if len(cells) < 2:
            continue
        found = list(_of_cells(cells))
        rows += bool(found)
        yield from found
    if not rows:
        yield from _of_lines(line for text in page.tree.itertext() for line in str(text).splitlines())


def _of_lines(lines: Iterable[str]) -> Iterator[str]:
    for raw in lines:
        line = raw.strip()[:500]
        if not line or line.startswith("#"):
            continue
        if match := _ACCOUNT_AFTER.fullmatch(line):
            host, port, user, password = match.groups()
            yield f"http://{quote(user, safe='')}:{quote(password, safe='')}@{host}:{port}"
        elif match := _ADDRESS.search(line):
            yield match[0]
        else:
            yield from _of_cells([cell for cell in _CELLS.split(line) if cell])


def _of_cells(cells: list[str]) -> Iterator[str]:
    for place, cell in enumerate(cells):
        if is_address(cell):
            port = next((other for other in cells[place + 1 : place + 4] if _PORT.fullmatch(other)), None)
            if port is not None:
                yield _joined({"type": _stated(cells)}, f"[{cell}]" if ":" in cell else cell, int(port))
            return
        if _ADDRESS.fullmatch(cell):
            yield cell if "://" in cell else f"{_scheme(_stated(cells))}://{cell}"
            return


def _stated(cells: list[str]) -> str:
    """The cells that name nothing but protocols (``HTTP, HTTPS``), not a remark that mentions one."""
    return " ".join(cell for cell in cells if len(cell) <= 24 and _PROTOCOL.sub("", cell).strip(" ,/|&+-") == "")
