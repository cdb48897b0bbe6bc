"""Names with several addresses, of which not all answer."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack

import pytest

from tests.front_door.door import Door
from tests.front_door.site import SmallSite, news

# What the machine's own resolver would say: the last address of each is the site's.
_NAMES = {
    "refused.example": ["127.0.0.2", "127.0.0.1"],
    "silent.example": ["127.0.0.3", "127.0.0.1"],
    "six.example": ["2001:db8::1", "127.0.0.1"],
}
_RESOLVER = f"""
import socket
_NAMES = {json.dumps(_NAMES)}
_ask = socket.getaddrinfo
def getaddrinfo(host, port, *rest, **more):
    if host not in _NAMES:
        return _ask(host, port, *rest, **more)
    return [found for one in _NAMES[host] for found in _ask(one, port, *rest, **more)]
socket.getaddrinfo = getaddrinfo
socket.gethostbyname = lambda host: _NAMES.get(host, [host])[0]
"""
_COUNT = 4


@pytest.mark.parametrize("name", _NAMES)
def test_a_site_is_asked_where_it_answers(door: Door, name: str) -> None:
    door.file("own/sitecustomize.py", _RESOLVER)
    with ExitStack() as stack:
        site = stack.enter_context(SmallSite(news(_COUNT)))
        port = int(site.url.rpartition(":")[2])
        if name == "silent.example":  # a full backlog: what wants to connect hears nothing
            listening = stack.enter_context(socket.create_server(("127.0.0.3", port), backlog=0))
            for _ in range(2):
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex(listening.getsockname())
        url = f"http://{name}:{port}/"
        done = door.type(
            "crawl", "article", "-a", f"url={url}", "-a", "until=idle", env={"PYTHONPATH": str(door.folder / "own")}
        )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(door.archived()) == _COUNT, done.stderr[-2000:]
