"""A language model's program asks the archive by the Model Context Protocol."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from tests.front_door.door import Door
from tests.front_door.site import SmallSite, news
from tests.front_door.test_console import console


class Speaker:
    """The other side of ``scrapy mcp``: JSON-RPC, a line a message."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._number = process, 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.introduced = self.ask("initialize", client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        assert self._process.stdout is not None
        answer = json.loads(self._process.stdout.readline())
        assert answer["id"] == self._number, answer
        found: dict[str, Any] = answer["result"]
        return found

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool says."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def test_articles_are_searched_and_read_and_a_site_is_followed_where_the_token_may(door: Door) -> None:
    (door.folder / "jobs").mkdir()
    with SmallSite(news(3)) as site, console(door, "read") as api:
        assert door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle").returncode == 0
        env = {"ARTICLEBOT_CONSOLE_TOKEN": api.token}
        with door.begin("mcp", "--console", api.url, env=env, stdin=subprocess.PIPE) as process:
            speaker = Speaker(process)
            assert speaker.introduced["serverInfo"]["name"] == "articlebot"
            tools = {tool["name"] for tool in speaker.ask("tools/list", {})["tools"]}
            assert tools == {"search", "read", "history", "explain", "sites", "status", "follow"}
            found = speaker.call("search", words="report", limit=2)["structuredContent"]
            assert len(found["articles"]) == 2
            assert speaker.call("search", query="no such word")["isError"]
            row = speaker.call("read", page_key=found["articles"][0]["page_key"])["structuredContent"]
            assert row["body"]
            assert speaker.call("history", page_key=row["page_key"])["structuredContent"]["versions"]
            assert "Published" in speaker.call("explain", url=row["url"])["structuredContent"]["why"]
            refused = speaker.call("follow", site="https://new.example/")
            assert refused["isError"]
            assert "role edit" in refused["content"][0]["text"]
            assert speaker.call("read", page_key="../jobs")["isError"]
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(300) == 0
    lacking = door.type("mcp")
    assert (lacking.returncode, "ARTICLEBOT_CONSOLE_TOKEN" in lacking.stderr) == (2, True)
