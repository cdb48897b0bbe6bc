"""The published item: one documented schema, whatever it is written to."""

from __future__ import annotations

import csv
import io
import json
import marshal  # noqa: TID251 - what the test reads, it has written
import pickle  # noqa: TID251
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from jsonschema import Draft202012Validator

from tests.front_door.door import ROOT, Door
from tests.front_door.site import Reply, SmallSite, article, front

SCHEMA = json.loads((ROOT / "docs/reference/article.schema.json").read_text("utf-8"))
FIELDS = list(SCHEMA["properties"])
FORMATS = ("jsonl", "json", "csv", "xml", "pickle", "marshal")
VIDEO = (
    '<script type="application/ld+json">{"@type": "NewsArticle", "video": {"@type": "VideoObject", '
    '"contentUrl": "/media/crane.mp4", "embedUrl": "https://player.test/1"}}</script>'
)
TITLES = {f"/2026/11/20/report-number-{n}.html": f"Report number {n} from the harbour town" for n in range(3)}


def pages() -> dict[str, Any]:
    paths = list(TITLES)
    return {
        "/": front({**TITLES, "/2026/11/20/plan-of-the-bridge.pdf": "The plan of the bridge, as the council has it"}),
        paths[0]: article(TITLES[paths[0]], head=VIDEO),
        paths[1]: article(TITLES[paths[1]]).replace("<h1>", "<h1>&#11;", 1),
        paths[2]: article(TITLES[paths[2]]).replace(
            "</h1>", '</h1><p>By Ann Bell and Carl Dorn</p><figure><img src="/crane.jpg" alt="A crane"></figure>', 1
        ),
        "/2026/11/20/plan-of-the-bridge.pdf": Reply(b"%PDF-1.7 \x00\xff", headers={"Content-Type": "application/pdf"}),
    }


def feed(folder: Path, kind: str) -> list[dict[str, Any]]:
    data = (folder / f"out.{kind}").read_bytes()
    if kind in ("jsonl", "json"):
        return [json.loads(line) for line in data.splitlines()] if kind == "jsonl" else json.loads(data)
    if kind == "csv":
        return list(csv.DictReader(io.StringIO(data.decode())))
    if kind == "xml":
        return [{field.tag: field.text or "" for field in item} for item in ElementTree.fromstring(data)]
    return list(_loaded(io.BytesIO(data), pickle if kind == "pickle" else marshal))


def lasting(row: dict[str, Any]) -> dict[str, Any]:
    """Without the place among near-duplicates, which later articles may change."""
    return {name: value for name, value in row.items() if name not in ("cluster", "cluster_role")}


def _loaded(file: io.BytesIO, module: Any) -> Any:
    while True:
        try:
            yield module.load(file)
        except EOFError:
            return


def follow(door: Door, site: SmallSite, *kinds: str) -> list[dict[str, Any]]:
    """A crawl with feeds in these formats; the rows of the JSON Lines."""
    outputs = [part for kind in kinds for part in ("-O", f"{door.folder}/out.{kind}")]
    sink = {"ARTICLEBOT_PUBLISHING_SINKS": '{"jsonlines": {"type": "jsonlines"}}'}
    done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", *outputs, env=sink)
    assert done.returncode == 0, done.stderr[-3000:]
    assert " ERROR " not in done.stderr
    assert done.stdout == ""
    rows = feed(door.folder, "jsonl")
    for row in rows:
        Draft202012Validator(SCHEMA).validate(row)
        assert list(row) == FIELDS
    return rows


def test_every_format_export_and_sink_have_the_same_fields_as_the_schema_says(door: Door) -> None:
    with SmallSite(pages()) as site:
        rows = follow(door, site, *FORMATS)
        exported = door.archived()
        sink = [json.loads(line) for line in (door.data / "published/articles.jsonl").read_text("utf-8").splitlines()]
        # The crawl's memory is lost, the archive's is not: what it has comes again, and is no news.
        shutil.rmtree(door.data / "redis")
        edited = next(iter(TITLES))
        site.pages[edited] = article(TITLES[edited], paragraphs=9)
        [news] = follow(door, site, "jsonl")
    assert (news["title"], news["version"], news["change"]) == (TITLES[edited], 2, "updated")

    by_key = {row["key"]: row for row in rows}
    assert len(by_key) == len(rows) == 4
    assert {row["key"]: lasting(row) for row in rows} == {row["key"]: lasting(row) for row in exported}
    assert {row["key"]: lasting(row) for row in rows} == {row["key"]: lasting(row) for row in sink}

    named = {row["title"]: row for row in rows}
    assert named[TITLES[edited]]["media"] == [f"{site.url}/media/crane.mp4"]
    assert [row["kind"] for row in rows].count("document") == 1
    [pictured] = [row for row in rows if row["images"]]
    assert pictured["images"][0]["url"] == f"{site.url}/crane.jpg" == pictured["lead_image"]

    for kind in ("json", "pickle", "marshal"):
        assert {row["key"]: json.loads(json.dumps(row)) for row in feed(door.folder, kind)} == by_key
    for kind in ("csv", "xml"):
        found = feed(door.folder, kind)
        assert {row["key"] for row in found} == set(by_key)
        assert all(list(row) == FIELDS for row in found)
        assert all("None" not in (row["cluster"], row["modified_at"], row["relevance"]) for row in found)
    assert [json.loads(row["images"]) for row in feed(door.folder, "csv") if row["key"] == pictured["key"]] == [
        pictured["images"]
    ]


def test_an_edit_keeps_the_day_that_only_a_feed_told(door: Door) -> None:
    title, path = "The harbour bridge is open again", "/news/bridge-is-open-again.html"
    with SmallSite({path: article(title, date="")}) as site:
        site.pages["/rss"] = Reply(
            "<rss version='2.0'><channel><title>Town</title><item><title>"
            f"{title}</title><link>{site.url}{path}</link><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate></item>"
            "</channel></rss>", headers={"Content-Type": "application/rss+xml"},
        )  # fmt: skip
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\nfeeds = ["{site.url}/rss"]\n')
        door.type("crawl", "--jobs", str(jobs))
        site.pages[path] = article(title, date="", paragraphs=8)
        door.type("frontier", "visit", site.url + path)
        door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", "-O", f"{door.folder}/edits.jsonl")
        (row,) = door.archived()
    (item,) = map(json.loads, (door.folder / "edits.jsonl").read_text().splitlines())
    for told in (row, item):
        assert (told["version"], told["published_at"]) == (2, "2026-11-20T08:00:00+00:00")
