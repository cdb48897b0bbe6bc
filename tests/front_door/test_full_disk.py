"""A disk that is full for a while, in a mount of the test's own; a folder that is moved."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Reply, SmallSite, news

ARTICLES = 120
# Fills the disk when told to, gives it back after some seconds, and leaves the data where the test can read them.
SCRIPT = """
mount -t tmpfs -o size=60m full "$DATA" || exit 99
(read x < go; dd if=/dev/zero of="$DATA/ballast" bs=1M count=100; sleep 8; rm "$DATA/ballast") 2> /dev/null &
cd "$ROOT"
"$@"
code=$?
cp -r "$DATA" "$OUT"
exit $code
"""


def test_a_crawl_outlives_a_full_disk(tmp_path: Path) -> None:
    own_mounts = ["unshare", "--map-root-user", "--mount"]
    door = Door(tmp_path)
    door.data.mkdir()
    tried = [*own_mounts, "mount", "-t", "tmpfs", "-o", "size=60m", "full", str(door.data)]
    try:
        subprocess.run(tried, check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        pytest.skip("no mounts of one's own here (unshare)")
    go = tmp_path / "go"
    subprocess.run(["mkfifo", str(go)], check=True)
    with SmallSite(news(ARTICLES)) as site:
        crawl = [sys.executable, "-m", "scrapy", "crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle"]
        environment = door.environment(DATA=str(door.data), ROOT=str(door.cwd), OUT=str(tmp_path / "out"))
        command = [*own_mounts, "sh", "-c", SCRIPT, "sh", *crawl]
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: len(site.hits) > ARTICLES // 3 or process.poll() is not None)
        assert process.poll() is None, process.communicate()[1]
        go.write_text("now\n")
        _, said = process.communicate(timeout=300)
        asked = Counter(hit.path for hit in site.hits)
    assert process.returncode == 0, said
    door.data = tmp_path / "out"
    assert len(door.archived()) == ARTICLES
    delivered = Counter[str]()

    def all_there() -> bool:
        # Where the disk was full at a delivery, the next one waits for some seconds, maybe beyond the crawl's end.
        assert door.type("outbox", "deliver").returncode == 0
        lines = (door.data / "published" / "articles.jsonl").read_text(encoding="utf-8").splitlines()
        delivered.clear()
        delivered.update(json.loads(line)["url"] for line in lines)
        return len(delivered) == ARTICLES

    wait_for(all_there)
    assert max(delivered.values()) == 1
    assert max(number for path, number in asked.items() if "report" in path) <= 3  # what was read waits for room
    assert door.json("frontier", "show")["quarantined"] == 0


def test_a_start_on_a_full_disk_is_to_be_tried_later_and_names_the_folder(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    door = Door(tmp_path)
    script = (
        'mount -t tmpfs -o size=1m full "$DATA" || exit 99; dd if=/dev/zero of="$DATA/ballast" bs=4k 2> /dev/null; "$@"'
    )
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", sys.executable, "-m", "scrapy"]
    crawl = [*command, "crawl", "article", "-a", "url=http://127.0.0.1:9/", "-a", "until=idle"]
    environment = door.environment(DATA=str(tmp_path / "data"), ARTICLEBOT_DATA_DIR=str(tmp_path / "data"))
    try:
        done = subprocess.run(
            crawl, cwd=door.cwd, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
    except OSError:
        pytest.skip("no unshare here")
    if done.returncode in (1, 99) and "Operation not permitted" in done.stderr:
        pytest.skip("no mounts of one's own here (unshare)")
    assert done.returncode == 75, done.stderr
    assert "ARTICLEBOT_DATA_DIR" in done.stderr
    assert "No space left on device" in done.stderr


def test_a_data_folder_that_is_moved_while_the_crawl_runs_is_an_error_that_names_it(door: Door) -> None:
    pages = {path: Reply(str(page), wait_s=0.2) for path, page in news(40).items()}
    with SmallSite(dict(pages)) as site, door.begin("run", "--url", f"{site.url}/", "--workers", "2") as run:
        wait_for(lambda: len(site.hits) > 10 or run.poll() is not None)
        door.data.rename(door.folder / "moved")
        said = run.communicate(timeout=300)[1]  # one of two workers waited for its Redis for ever
    assert run.returncode == 1, said
    assert f"{door.data} was removed or moved while the crawl ran" in said
    assert len(site.hits) < 40
    assert "data was removed or moved while the crawl ran" in (door.folder / "moved" / "crawl.log").read_text()
