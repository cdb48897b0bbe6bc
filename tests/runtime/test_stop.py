"""A worker ends when it is told to, whatever it is at; and an answer that takes long to read is refused."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from articlebot.runtime.private_redis import PrivateRedis
from tests.front_door.door import Door
from tests.front_door.site import Reply, SmallSite, article, news

ROOT = Path(__file__).resolve().parents[2]
# Four times what can be read in the time there is.
_HEAVY = gzip.compress(b"<?xml version='1.0'?><urlset>" + b"<url/>" * 8_000_000 + b"</urlset>", 1)


def test_a_worker_whose_loop_stands_still_ends_and_a_heavy_answer_is_not_read(tmp_path: Path) -> None:
    refused = threading.Event()

    def stuck() -> str:
        refused.wait(300)
        return article("A story in which the crawl is stuck")

    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARTICLEBOT_")}
    environment |= {
        "ARTICLEBOT_DATA_DIR": str(tmp_path / "data"), "ARTICLEBOT_ALLOW_PRIVATE": "1", "ARTICLEBOT_PROGRESS_S": "0",
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01", "ARTICLEBOT_DELAYS_MEAN_S": "0.02",
    }  # fmt: skip
    with SmallSite(news(1, prefix="Stuck")) as held, SmallSite() as heavy:
        held.pages["/2026/11/20/stuck-number-0.html"] = stuck
        heavy.pages["/map.xml"] = Reply(_HEAVY, headers={"Content-Type": "application/xml"})
        (tmp_path / "jobs.toml").write_text(
            f'[[site]]\nname = "held"\nlist_pages = "{held.url}/"\n\n'
            f'[[site]]\nname = "heavy"\nsitemaps = "{heavy.url}/map.xml"\n'
        )
        with subprocess.Popen(
            [sys.executable, "-m", "tests.runtime.stuck_crawl", str(tmp_path / "jobs.toml")], cwd=ROOT,
            env=environment, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            assert process.stderr is not None
            said = []
            for line in process.stderr:
                said.append(line)
                if "refused/too_heavy" in line:
                    refused.set()
                if "the loop stands still" in line:
                    process.send_signal(signal.SIGHUP)  # as SIGTERM
            code = process.wait(300)
    with PrivateRedis(tmp_path / "data" / "redis"):
        pass  # the process has ended as by `kill -9`: whoever comes next ends its server
    assert refused.is_set(), "".join(said)[-3000:]
    assert code == 1
    assert any(line.startswith("Timeout (0:00:01") for line in said)


def test_a_crawl_that_is_told_to_end_waits_for_no_site_and_tries_its_page_again(tmp_path: Path) -> None:
    """SIGTERM took as long as a download may."""
    door, asked = Door(tmp_path), threading.Event()
    pages = news(2)
    hanging, *_ = (path for path in pages if path != "/")

    def hangs() -> Reply:
        asked.set()
        return Reply("too late", wait_s=300.0)

    with SmallSite({**pages, hanging: hangs}) as site:
        words = ("crawl", "--url", f"{site.url}/", "-s", "DOWNLOAD_TIMEOUT=300")
        patient = {"ARTICLEBOT_FRONTIER_LEASE_S": "600"}
        crawl = door.begin(*words, env=patient, constants={"articlebot.extensions.stop:_SILENT_S": 0})
        assert asked.wait(300)
        crawl.send_signal(signal.SIGTERM)
        _, said = crawl.communicate(timeout=150)
        assert (crawl.returncode, "(shutdown)" in said) == (0, True), said
        site.pages[hanging] = pages[hanging]
        assert door.type(*words, env=patient).returncode == 0
    assert {row["url"].removeprefix(site.url) for row in door.archived()} == set(pages) - {"/"}


def test_a_worker_without_memory_for_a_thread_ends_too() -> None:
    """SIGTERM came in vain where the interpreter could begin no thread that watches the loop."""
    code = """
import faulthandler, os, signal, time
from articlebot.extensions import stop
def refuse(*_, **__): raise RuntimeError("unable to start watchdog thread")
faulthandler.dump_traceback_later, stop._PATIENCE_S = refuse, 1.0
one = stop.StopExtension.__new__(stop.StopExtension)
one._by_alarm = one._is_bounded = False
one._arm()
time.sleep(300)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=500, capture_output=True)
    assert done.returncode == -signal.SIGALRM, done.stderr
