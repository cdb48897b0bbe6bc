"""``scrapy export --format wacz``, and what a player reads of it."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from tests.front_door.door import Door
from tests.front_door.site import SmallSite, news

KEEP = {"ARTICLEBOT_ARCHIVE_RAW": "all"}


def test_every_page_of_a_crawl_comes_back_by_its_line_of_the_index(tmp_path: Path) -> None:
    door, pages = Door(tmp_path), news(8)
    out = tmp_path / "news.wacz"
    with SmallSite(pages) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "harbour"\nlist_pages = ["{site.url}/"]\n')
        assert door.type("crawl", "--jobs", str(jobs), env=KEEP).returncode == 0
    done = door.type("export", "--format", "wacz", "--out", str(out), env=KEEP)
    assert (done.returncode, "8 pages in" in done.stderr) == (0, True), done.stderr
    with zipfile.ZipFile(out) as whole:
        package = json.loads(whole.read("datapackage.json"))
        digest = json.loads(whole.read("datapackage-digest.json"))["hash"]
        assert digest == "sha256:" + hashlib.sha256(whole.read("datapackage.json")).hexdigest()
        for one in package["resources"]:
            data = whole.read(one["path"])
            assert (one["bytes"], one["hash"]) == (len(data), "sha256:" + hashlib.sha256(data).hexdigest())
            assert whole.getinfo(one["path"]).compress_type == zipfile.ZIP_STORED
        warc = whole.read("archive/data.warc.gz")
        index = whole.read("indexes/index.cdx").decode().splitlines()
        listed = [json.loads(line) for line in whole.read("pages/pages.jsonl").splitlines()]
    assert index == sorted(index)
    assert listed[0]["format"] == "json-pages-1.0"
    assert {one["title"] for one in listed[1:]} == {f"Report number {n} from the harbour town" for n in range(8)}
    for line in index:
        place = json.loads(line.split(" ", 2)[2])
        begin = int(place["offset"])
        record = next(iter(ArchiveIterator(io.BytesIO(warc[begin : begin + int(place["length"])]))))
        assert record.rec_headers.get_header("WARC-Target-URI") == place["url"]
        assert record.content_stream().read().decode() == pages[place["url"].removeprefix(site.url)]
    few = door.type("export", "--format", "wacz", "--out", str(out), "--query", '"number 3"', env=KEEP)
    assert "1 pages in" in few.stderr, few.stderr


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    door = Door(tmp_path)
    for more in ((), ("--out", "-"), ("--out", "a.wacz", "--versions")):
        done = door.type("export", "--format", "wacz", *more)
        said = "without --versions" if "--versions" in more else "--out FILE"
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    none = door.type("export", "--format", "wacz", "--out", str(tmp_path / "none.wacz"))
    assert (none.returncode, "no page is chosen" in none.stdout + none.stderr) == (2, True), none.stderr
