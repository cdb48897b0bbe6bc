"""A job's own budget in a real crawl of real pages."""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path

from articlebot_lab.newsroom.process import Newsroom
from tests.spiders.crawling import jobs_of, log_of, start


def test_a_job_fetches_no_more_than_its_budget(tmp_path: Path) -> None:
    with Newsroom(seconds=8, grace=3600, sites=2) as room:
        jobs = Path(jobs_of(room, tmp_path).removeprefix("jobs="))
        free, capped = jobs.read_text().split("[[site]]")[1:]
        jobs.write_text(f"[[site]]{free}[[site]]{capped}budget = 120\n")
        names = [text.split('name = "')[1].split('"')[0] for text in (free, capped)]

        def asked() -> list[Counter[str]]:
            """Pages asked for by host, of the free job and of the other."""
            pages = [entry for entry in room.log() if entry["path"] not in ("/robots.txt", "/.well-known/tdmrep.json")]
            hosts = [entry["host"] for entry in pages]
            return [Counter(host for host in hosts if host.split(".")[-2] == name) for name in names]

        with start(tmp_path, room, "-a", f"jobs={jobs}") as process:
            begun, first = time.monotonic(), 0.0
            # In twenty seconds a job without a budget asks for its list page and articles ten times and more.
            while (counts := asked())[0].total() <= 8 or not first or time.monotonic() < first + 20:
                first = first or (time.monotonic() if counts[1] else 0.0)
                assert process.poll() is None, log_of(tmp_path)[-3000:]
                assert time.monotonic() < begun + 500, (counts, log_of(tmp_path)[-3000:])
                time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            assert process.wait(300) == 0
        # New pages come to a host each 30 seconds; besides its list, one that a minute may make up for, and the target
        # of a redirect, which is paid for by those that come after it.
        assert max(asked()[1].values()) <= 4 + (time.monotonic() - begun) / 30
