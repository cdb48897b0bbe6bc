"""Nobody without the token, no other site's form, no name but this machine's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.requests import Request

from articlebot.classify.labelled import read_labelled, read_texts
from articlebot.console.access import Sessions
from tests.console.conftest import HOOK_SECRET, Client
from tests.console.test_pages import BAD, BRIDGE, PAGES


@pytest.mark.parametrize("path", ["/", "/articles", "/static/console.js", "/jobs/example"])
def test_strangers_are_turned_away(server: Client, path: str) -> None:
    answer = server.get(path)
    assert answer.status == 401
    assert "articlebot_console" not in answer.text
    assert server.get(path, Cookie=f"articlebot_console_{server.port}=0").status == 401
    assert server.get(f"{path}?token=wrong").status == 403
    assert server.get(f"{path}?token=%E4%B8%AD").status == 403


class NoTokens:
    """Nobody has a named token."""

    async def named(self, name: str) -> None:
        return None


async def test_secrets_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(given: bytes, right: bytes) -> bool:
        compared.append((given, right))
        return given == right

    monkeypatch.setattr("articlebot.console.access.hmac.compare_digest", compare)
    sessions = Sessions("secret", 1)
    request = Request({"type": "http", "headers": [(b"cookie", f"{sessions.cookie}=link.x".encode())]})
    assert sessions.is_token("secret")
    assert not sessions.is_form("y")
    assert await sessions.open(request, NoTokens()) is None  # type: ignore[arg-type]
    assert compared == [
        (b"secret", b"secret"), (b"y", sessions.form_token.encode()),
        (b"link.x", sessions.session("link", "").encode()),
    ]  # fmt: skip


@pytest.mark.parametrize("host", ["elsewhere.example", "localhost.elsewhere.example", "127.0.0.1.nip.io", "", "[::2]"])
def test_a_name_that_was_made_to_lead_here_gets_nothing(server: Client, host: str) -> None:
    """DNS rebinding: a foreign page's name resolves to this machine; even with the token it is told nothing."""
    for path in ("/", f"/?token={server.token}", "/static/console.js"):
        answer = server.get(path, Host=host)
        assert (answer.status, answer.cookies) == (421, [])


def test_no_answer_holds_a_secret(client: Client) -> None:
    for path in (*PAGES, "/nothing"):
        text = client.get(path).text
        assert HOOK_SECRET not in text
        assert client.token not in text
        assert client.cookie.partition("=")[2] not in text


def test_a_link_becomes_a_cookie_and_loses_its_token(server: Client) -> None:
    answer = server.get(f"/articles?q=a&token={server.token}")
    assert (answer.status, answer.headers["location"]) == (303, "/articles?q=a")
    [cookie] = answer.cookies
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert server.token not in cookie
    # What looks like a path may be another site's address to a browser.
    assert server.get(f"//elsewhere.example/?token={server.token}").headers["location"] == "/elsewhere.example/"


def test_every_answer_carries_the_policy(server: Client, client: Client) -> None:
    for answer in (server.get("/"), client.get("/"), client.get("/nothing"), client.get("/static/console.css")):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_other_names_are_not_served(client: Client) -> None:
    assert client.get("/", Host="elsewhere.example").status == 421
    assert client.get("/", Host=f"localhost:{client.port}").status == 200


def test_the_language_is_the_readers_choice(client: Client) -> None:
    answer = client.get("/jobs?lang=zh")
    assert answer.headers["location"] == "/jobs"
    chosen = answer.cookies[0].partition(";")[0]
    assert 'lang="zh"' in client.get("/jobs", Cookie=f"{client.cookie}; {chosen}").text
    assert 'lang="en"' in client.get("/jobs").text


def test_writes_need_cookie_and_form_token(server: Client, client: Client, folder: Path) -> None:
    path, form = f"/articles/{BRIDGE}/verdict", {"label": "politics"}
    token = client.form_token(f"/articles/{BRIDGE}")
    assert server.post(path, {**form, "form_token": token}).status == 401
    assert server.post(f"{path}?token={server.token}", {**form, "form_token": token}).status == 401
    assert client.post(path, form).status == 403
    assert client.post(path, {**form, "form_token": "0" * 64}).status == 403
    assert client.get(path).status == 405
    assert client.post("/articles", form).headers["allow"] == "GET, HEAD"
    assert client.send("DELETE", "/jobs", None, {}).headers["allow"] == "GET, HEAD, POST"
    answer = client.ask("POST", "/jobs/example")
    assert (answer.status, answer.headers["allow"]) == (405, "DELETE, GET, HEAD, PATCH")
    assert client.post(path, {"form_token": token, "label": "no such class"}).status == 400
    assert client.post(path, {"form_token": token, "relevant": "yes"}).status == 400  # it has no relevance
    assert client.post(path, {"form_token": token, "label": "x" * 20_000}).status == 403
    assert client.post(path, {f"field{n}": "x" for n in range(25)} | {"form_token": token}).status == 403
    assert client.get("/articles?page=" + "9" * 5000).status == 200
    assert not (folder / "console").exists()


def test_a_class_is_corrected_for_scrapy_label(client: Client, folder: Path) -> None:
    text = client.get(f"/articles/{BRIDGE}").text
    label = re.findall(r'<option value="([^"]+)"', text)[0].replace("&amp;", "&")
    token = client.form_token(f"/articles/{BRIDGE}")
    answer = client.post(f"/articles/{BRIDGE}/verdict", {"form_token": token, "label": label})
    assert (answer.status, answer.headers["location"]) == (303, f"/articles/{BRIDGE}?noted=1")
    [row] = read_labelled(folder / "console" / "corrections.jsonl")
    assert row.labels == (label,)
    assert row.text == ("Bridge opened", "The old bridge was opened on Tuesday.")
    assert "corrected to" in client.get(f"/articles/{BRIDGE}").text
    # Nothing can be written there.
    kept = folder / "console" / "corrections.jsonl"
    kept.rename(folder / "corrections.jsonl")
    kept.mkdir()
    refused = client.post(f"/articles/{BRIDGE}/verdict", {"form_token": token, "label": label})
    assert (refused.status, "This cannot be noted" in refused.text, "Is a directory" in refused.text) == (
        503,
        True,
        True,
    )
    kept.rmdir()
    (folder / "corrections.jsonl").rename(kept)


def test_a_page_is_judged_for_scrapy_judge(client: Client, folder: Path) -> None:
    assert BAD in client.get("/judge").text
    token = client.form_token("/judge")
    form = {"form_token": token, "relevant": "no", "back": "judge"}
    assert client.post(f"/articles/{BAD}/verdict", form).headers["location"] == "/judge?noted=1"
    [(row, _)] = read_texts(folder / "console" / "judgements-example.jsonl")
    assert (row["relevant"], row["relevance"]) == (False, 0.4)
    assert json.dumps(row)
    assert BAD not in client.get("/judge").text
