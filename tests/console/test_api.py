"""The API as a program uses it: what it answers is what its description says, and each role may do what it may."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import feedparser
import pytest
import redis.asyncio
from jsonschema import Draft202012Validator

from articlebot.archive import Archive
from articlebot.console.who import RedisTokens, Role
from articlebot.runtime import clock
from articlebot.urls import page_key
from tests.console.conftest import Client, apart
from tests.console.test_pages import BRIDGE
from tests.front_door.door import wait_for

# What fills the places of the paths.
PLACES = {"key": BRIDGE, "cluster": "c" * 16, "form": "json", "name": "example", "identity": "1-1"}
# What each change is sent.
SENT: dict[str, Any] = {
    "add_job": {"site": "https://new.example/"}, "edit_job": {"toml": "[[site]]"}, "pause_job": {"paused": True},
    "save_search": {"q": "bridge"},
    "look_at": {"site": "https://new.example/"}, "visit": {"urls": ["https://news.example.com/"]}, "requeue": {},
}  # fmt: skip


@pytest.fixture(scope="module")
def tokens(server: Client, redis_server: Any) -> Iterator[dict[str, Client]]:
    """A client with a token of each role, and one that was revoked."""

    async def make() -> dict[str, str]:
        async with redis.asyncio.from_url(redis_server.url) as client:
            kept = RedisTokens(client, "{articlebot}")
            roles: tuple[tuple[str, Role], ...] = (("ann", "read"), ("bob", "edit"), ("cat", "admin"), ("out", "admin"))
            made = {name: await kept.add(name, role, clock.now()) for name, role in roles}
            assert await kept.revoke("out")
            return made

    made = apart(make)
    yield {name: replace(server, bearer=token) for name, token in made.items()}


@pytest.fixture(scope="module")
def described(server: Client) -> dict[str, Any]:
    """The description that the API serves."""
    answer = server.ask("GET", "/openapi.json")
    assert answer.status == 200, answer.text
    told: dict[str, Any] = json.loads(answer.text)
    return told


def _operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path.format(**PLACES), operation


def test_every_reading_answers_as_its_description_says(described: dict[str, Any], tokens: dict[str, Client]) -> None:
    assert described["openapi"].startswith("3.1")
    asked = 0
    for method, path, operation in _operations(described):
        if method != "GET":
            continue
        query = "?url=https://news.example.com/bridge" if path == "/explain" else ""
        answer = tokens["ann"].ask(method, path + query)
        assert answer.status == 200, (path, answer.text)
        assert operation["summary"]
        kinds = operation["responses"]["200"]["content"]
        assert answer.headers["content-type"].partition(";")[0] in kinds, (path, kinds)
        content = kinds.get("application/json", {})
        if schema := content.get("schema"):
            found = json.loads(answer.text)
            Draft202012Validator({**schema, "components": described["components"]}).validate(found)
        asked += 1
    assert asked >= 14


def test_a_role_is_enough_or_not_and_nobody_does_anything_without(
    server: Client, client: Client, described: dict[str, Any], tokens: dict[str, Client]
) -> None:
    for method, path, operation in _operations(described):
        sent = SENT.get(operation["operationId"])
        body = json.dumps(sent) if sent is not None else None
        json_type = {"Content-Type": "application/json"}
        nobody = server.send(method, f"/api/v1{path}", body, json_type)
        assert (nobody.status, nobody.headers["www-authenticate"]) == (401, "Bearer"), path
        assert tokens["out"].ask(method, path, sent).status == 401
        if method != "GET":
            assert client.send(method, f"/api/v1{path}", body, json_type).status == 401  # a cookie is no program's
            refused = tokens["ann"].ask(method, path, sent)
            assert (refused.status, "role edit" in refused.text) == (403, True), (path, refused.text)
        assert server.send(method, f"/api/v1{path}", body, {**json_type, "Host": "evil.example"}).status == 421


def test_a_job_is_added_changed_paused_removed_and_each_change_undone(folder: Path, tokens: dict[str, Client]) -> None:
    bob, path = tokens["bob"], folder / "jobs" / "new.example.toml"
    added = bob.ask("POST", "/jobs", {"site": "https://new.example/", "backfill": "30d"})
    assert added.status == 200, added.text
    assert 'site = "https://new.example/"' in path.read_text()
    assert json.loads(bob.ask("GET", "/jobs/new.example").text)["pages"] == 0
    for site, said in (("/", "new.example follows"), ("/sport/", "another name")):
        again = bob.ask("POST", "/jobs", {"site": f"https://new.example{site}"})
        assert (again.status, said in again.text) == (400, True)

    for wrong, said in (
        ('[[site]]\nname = "new.example"\nsite = "https://new.example/"\nintervall = "5m"', "did you mean"),
        ('[[site]]\nname = "example"\nsite = "https://new.example/"', "example"),
        ("[[site", "not TOML"),
    ):
        refused = bob.ask("PUT", "/jobs/new.example/file", {"toml": wrong})
        assert (refused.status, said in refused.text) == (400, True), refused.text
        assert str(path) in refused.text
        assert ".part" not in refused.text
    assert "30d" in path.read_text()
    for key, value in (("allow_private", "true"), ('"allow_private"', "true"), ("dictionary", '"/etc/passwd"')):
        opened = f'[[site]]\nname = "new.example"\nsite = "https://new.example/"\n{key} = {value}\n'
        refused = bob.ask("PUT", "/jobs/new.example/file", {"toml": opened})
        assert (refused.status, "role admin" in refused.text) == (400, True)
    assert bob.ask("PUT", "/jobs/new.example/file", {"toml": "[defaults]\ndelay = 1\n"}).status == 400
    text = '[[site]]\nname = "new.example"\nsite = "https://new.example/"\ninterval = "5m"\n'
    # Two who read the same text: the second one's is refused.
    read = bob.ask("GET", "/jobs/new.example/file").headers["etag"]
    matched = {"If-Match": read}
    edited = json.loads(bob.ask("PUT", "/jobs/new.example/file", {"toml": text}, **matched).text)
    late = bob.ask("PUT", "/jobs/new.example/file", {"toml": text.replace("5m", "9m")}, **matched)
    assert (late.status, "changed since" in late.text) == (412, True)
    assert json.loads(bob.ask("GET", "/jobs/new.example/file").text) == {"toml": text}
    assert bob.ask("PUT", "/jobs/new.example/file", {"toml": text}, **{"If-Match": "*"}).status == 200

    assert json.loads(bob.ask("PATCH", "/jobs/new.example", {"paused": True}).text)["paused"]
    assert json.loads(bob.ask("GET", "/jobs/new.example").text)["paused"]
    bob.ask("PATCH", "/jobs/new.example", {"paused": False})

    removed = json.loads(bob.ask("DELETE", "/jobs/new.example").text)
    assert not path.exists()
    assert bob.ask("GET", "/jobs/new.example").status == 404
    back = bob.ask("POST", f"/changes/{removed['id']}/undo")
    assert (back.status, path.read_text()) == (200, text)
    bob.ask("POST", f"/changes/{edited['id']}/undo")
    assert "30d" in path.read_text()
    late = bob.ask("POST", f"/changes/{edited['id']}/undo")
    assert (late.status, "changed since" in late.text) == (400, True)
    # What is no id of a change is none, and no store is away for it.
    assert bob.ask("POST", "/changes/18993251166631743365-24052527630/undo").status == 404
    bob.ask("DELETE", "/jobs/new.example")
    told = json.loads(bob.ask("GET", "/changes").text)
    done = [row["did"] for row in reversed(told)]
    assert done[:7] == ["add", "edit", "edit", "pause", "resume", "remove", "undo remove"]
    assert {row["who"] for row in told} == {"bob"}
    for method, path, sent in (
        ("GET", "/jobs/nowhere", None), ("GET", "/jobs/nowhere/file", None), ("DELETE", "/jobs/nowhere", None),
        ("PUT", "/jobs/nowhere/file", {"toml": text}), ("PATCH", "/jobs/nowhere", {"paused": True}),
        ("POST", "/jobs/nowhere/visit", None), ("DELETE", "/searches/nowhere", None),
    ):  # fmt: skip
        assert bob.ask(method, path, sent).status == 404
    assert bob.ask("PATCH", "/jobs/new.example", {"paused": "yes"}).status == 422
    assert bob.ask("POST", "/visit", {"urls": ["https://nobody.example/"]}).status == 400


@pytest.mark.parametrize(
    ("sent", "kind"),
    [('{"site": "\\ud800"}', "application/json"), ('{"a": NaN}', "application/json"), ("\xff", "text/plain")],
    ids=["no text", "no number", "no UTF-8"],
)
def test_what_cannot_be_sent_back_is_refused_as_all_else(tokens: dict[str, Client], sent: str, kind: str) -> None:
    bob = tokens["bob"]
    headers = {"Authorization": f"Bearer {bob.bearer or bob.token}", "Content-Type": kind}
    refused = bob.send("POST", "/api/v1/jobs", sent, headers)
    assert (refused.status, json.loads(refused.text)["detail"][0]["loc"][0]) == (422, "body")


def test_a_block_among_others_is_changed_alone(folder: Path, tokens: dict[str, Client]) -> None:
    path, bob = folder / "jobs" / "many.toml", tokens["bob"]
    block = '[[site]]\nname = "{0}"\nlist_pages = ["https://{0}.example/"]\n'
    first, third = block.format("one"), f'{block.format("three")}[[site.windows]]\nhours = "8-20"\n'
    path.write_text(f'# Kept.\n[defaults]\ndelay = "3s"\n\n{first}\n{block.format("two")}\n{third}')
    wait_for(lambda: bob.ask("GET", "/jobs/three/file").status == 200)  # until two looks have found it the same
    changed = '[[site]]\nname = "two"\nlist_pages = ["https://two.example/", "https://two.example/b"]\n'
    assert bob.ask("PUT", "/jobs/two/file", {"toml": changed}).status == 200
    assert path.read_text() == f'# Kept.\n[defaults]\ndelay = "3s"\n\n{first}\n{changed}\n{third}'
    assert json.loads(bob.ask("GET", "/jobs/three/file").text)["toml"] == third
    assert bob.ask("DELETE", "/jobs/three").status == 200
    assert bob.ask("DELETE", "/jobs/one").status == 200
    assert path.read_text() == f'# Kept.\n[defaults]\ndelay = "3s"\n\n{changed}\n'
    first = bob.ask("GET", "/jobs?limit=1")
    assert ([job["name"] for job in json.loads(first.text)], first.headers["x-total-count"]) == (["example"], "2")
    following = first.headers["link"].partition(">")[0].removeprefix("</api/v1")
    last = bob.ask("GET", following)
    assert ([job["name"] for job in json.loads(last.text)], "link" in last.headers) == (["two"], False)
    assert bob.ask("DELETE", "/jobs/two").status == 200
    assert not path.exists()


def test_pages_of_a_search_and_feeds(server: Client, tokens: dict[str, Client]) -> None:
    ann, keys, cursor = tokens["ann"], [], ""
    while cursor is not None:
        found = json.loads(ann.ask("GET", f"/articles?limit=2&cursor={cursor}").text)
        keys += [row["page_key"] for row in found["articles"]]
        cursor = found["next"]
    assert len(keys) == len(set(keys)) == 4
    one = ann.ask("GET", f"/articles/{BRIDGE}")
    headers = {"Authorization": f"Bearer {ann.bearer}", "If-None-Match": one.headers["etag"]}
    assert server.send("GET", f"/api/v1/articles/{BRIDGE}", None, headers).status == 304
    (_, second) = json.loads(ann.ask("GET", f"/articles/{BRIDGE}/versions").text)["versions"]
    assert {piece["op"] for piece in second["diff"]} == {"equal", "delete", "insert"}
    # A feed reader has the token in the address alone, and is shown nothing else for it.
    feed = server.get(f"/api/v1/feed.atom?q=bridge&token={ann.bearer}")
    assert {entry["title"] for entry in feedparser.parse(feed.text).entries} == {"Bridge opened", "Bridge, again"}
    assert server.get(f"/api/v1/articles?token={ann.bearer}").status == 401
    # What changed last stands first, whatever its date; who has it already is sent nothing.
    every = json.loads(ann.ask("GET", "/feed.json").text)["items"]
    modified = [item["date_modified"] for item in every]
    assert modified == sorted(modified, reverse=True)
    assert all(datetime.fromisoformat(item["date_published"]).tzinfo for item in every if "date_published" in item)
    assert feedparser.parse(ann.ask("GET", "/feed.atom").text).feed.updated == modified[0]
    unread = ann.ask("GET", "/feed.rss?q=bridge")
    assert ann.ask("GET", "/feed.rss?q=bridge", **{"If-None-Match": unread.headers["etag"]}).status == 304
    head = ann.ask("HEAD", "/articles?limit=2")
    assert (head.status, head.text, int(head.headers["content-length"]) > 100) == (200, "", True)
    packed = ann.ask("HEAD", "/articles", **{"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    [line] = ann.ask("GET", "/export?q=again").text.splitlines()
    assert json.loads(line)["title"] == "Bridge, again"
    assert ann.ask("GET", "/export?q=%22").status == 400
    assert len(ann.ask("GET", "/export").text.splitlines()) == 4
    (row,) = csv.DictReader(StringIO(ann.ask("GET", "/export?q=again&format=csv").text))
    assert (row["title"], json.loads(row["authors"])) == ("Bridge, again", json.loads(line)["authors"])
    for path in ("/articles?cursor=x", "/articles?limit=0", "/articles/zz", "/articles?q=%22", "/explain?url=ftp:x"):
        assert ann.ask("GET", path).status in (400, 422), path
    assert ann.ask("GET", "/articles/0000000000000000").status == 404


def test_an_article_has_another_etag_once_its_story_is_another_one(folder: Path, tokens: dict[str, Client]) -> None:
    ann, key = tokens["ann"], page_key("https://news.example.com/zh")
    before = ann.ask("GET", f"/articles/{key:016x}")
    with Archive(f"sqlite:///{folder / 'archive.db'}") as archive:
        archive.regroup({}, {key: "e" * 16})
    after = ann.ask("GET", f"/articles/{key:016x}", **{"If-None-Match": before.headers["etag"]})
    assert (after.status, json.loads(after.text)["cluster"]) == (200, "e" * 16)


def test_opml_goes_out_and_comes_in(folder: Path, tokens: dict[str, Client]) -> None:
    bob = tokens["bob"]
    assert 'text="example"' in bob.ask("GET", "/opml").text
    document = (
        '<opml version="2.0"><body><outline text="News"><outline type="rss" text="A" xmlUrl="https://a.example/feed.xml"'
        ' htmlUrl="https://a.example/"/><outline type="rss" text="B" xmlUrl="https://b.example/rss"/></outline>'
        '<outline text="port" xmlUrl="https://b.example:8443/rss"/>'
        '<outline text="known" htmlUrl="https://news.example.com/"/>'
        '<outline text="Bad" xmlUrl="not an address"/></body></opml>'
    )
    headers = {"Authorization": f"Bearer {bob.bearer}", "Content-Type": "text/x-opml"}
    told = json.loads(bob.send("POST", "/api/v1/opml", document, headers).text)
    added = ["a.example", "b.example", "b.example-8443"]
    assert list(told["refused"]) == ["Bad"]
    assert told == {"added": added, "known": ["news.example.com"], "refused": told["refused"]}
    kept = (folder / "jobs" / "b.example.toml").read_text()
    assert 'site = "https://b.example/"' in kept
    assert "https://b.example/rss" in kept
    assert 'xmlUrl="https://a.example/feed.xml"' in bob.ask("GET", "/opml").text
    for wrong in ("<opml>", "no", '<!DOCTYPE o [<!ENTITY x "y">]><opml><outline text="&x;"/></opml>', "<opml/>"):
        assert bob.send("POST", "/api/v1/opml", wrong, headers).status == 400
    assert bob.send("POST", "/api/v1/opml", " " * 5_000_001, headers).status == 413
    for name in added:
        assert bob.ask("DELETE", f"/jobs/{name}").status == 200


def test_a_token_that_asks_too_often_waits(server: Client, tokens: dict[str, Client]) -> None:
    cat = tokens["cat"]
    answers = [cat.ask("GET", "/articles/0000000000000000") for _ in range(605)]
    assert [one.status for one in answers[:600]] == [404] * 600
    assert {one.status for one in answers[600:]} == {429}
    assert int(answers[-1].headers["retry-after"]) <= 60
    assert tokens["bob"].ask("GET", "/jobs").status == 200


@pytest.mark.parametrize("since", ["2020-01-01", "9000d", "2020-01-01T08:00:00%2B08:00", "1577836800"])
def test_since_is_a_time_as_people_write_it(tokens: dict[str, Client], since: str) -> None:
    every = json.loads(tokens["ann"].ask("GET", "/articles").text)["total"]
    found = tokens["ann"].ask("GET", f"/articles?since={since}")
    assert json.loads(found.text)["total"] == every > 0
    later = tokens["ann"].ask("GET", "/articles?since=2999-01-01")
    assert json.loads(later.text)["total"] == 0


def test_what_is_no_time_or_no_parameter_is_refused(tokens: dict[str, Client]) -> None:
    refused = tokens["ann"].ask("GET", "/articles?since=lately")
    assert (refused.status, "36h" in refused.text) == (422, True)
    for path in ("/articles?langauge=zh", "/export?limit=1", "/feed.atom?query=bridge", "/jobs?page=2"):
        refused = tokens["ann"].ask("GET", path)
        assert (refused.status, "no such parameter; there are: c" in refused.text) == (422, True), refused.text
