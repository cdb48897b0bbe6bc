"""The Prometheus endpoint of a running crawl, and the log as JSON."""

from __future__ import annotations

import json
import logging
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from articlebot.extensions.json_logs import JsonFormatter
from articlebot.extensions.metrics import of_stats, render
from articlebot_lab.newsroom.process import Newsroom
from tests.operations.running import ROOT, Crawled, crawl_environment

LINE = re.compile(r'[a-z_]+(\{([a-z]+="([^"\\\n]|\\.)*",?)*\})? -?[0-9.e+inf-]+')


def test_a_running_crawl_answers(tmp_path: Path) -> None:
    with Newsroom(seconds=60, sites=1, grace=60) as room:
        jobs = tmp_path / "jobs.toml"
        jobs.write_bytes(room.get("http://newsroom.test/jobs.toml")[2])
        log = tmp_path / "crawl.log"
        command = [
            sys.executable, "-m", "scrapy", "crawl", "article", "-a", f"jobs={jobs}", "-s", f"LOG_FILE={log}",
            "-s", "ARTICLEBOT_METRICS_PORT=0", "-s", "ARTICLEBOT_METRICS_GAUGES_S=1",
        ]  # fmt: skip
        environment = crawl_environment(tmp_path, room.proxy)
        with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL) as process:
            try:
                text = poll(log)
            finally:
                process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(LINE.fullmatch(line) for line in lines), text
    assert 'articlebot_publish_total{outcome="new"}' in text
    assert "# TYPE articlebot_publication_to_archive_seconds histogram" in text
    assert "articlebot_redis_up 1" in text
    assert 'scrapy_responses_total{status="200"}' in text


def poll(log: Path) -> str:
    """The metrics, once something was published and the gauges are there."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        said = log.read_text() if log.exists() else ""
        if found := re.search(r"Metrics at (http://127\.0\.0\.1:\d+)/metrics", said):
            text = opener.open(f"{found[1]}/metrics", timeout=10).read().decode()
            if "articlebot_publish_total" in text and "articlebot_redis_up" in text:
                assert opener.open(f"{found[1]}/healthz", timeout=10).read() == b"ok\n"
                return text
        time.sleep(0.2)
    raise AssertionError(log.read_text()[-3000:])


@given(st.dictionaries(st.text(max_size=30).map("articlebot/page/{}".format), st.integers() | st.text()))
def test_whatever_a_stat_is_called_it_is_a_line(stats: dict[str, int | str]) -> None:
    text = render(of_stats(stats))
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    assert len(lines) == sum(isinstance(value, int) for value in stats.values())


def test_the_log_is_json_where_asked(crawled: Crawled) -> None:
    lines = crawled.log.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith('{"at"'))
    rows = [json.loads(line) for line in lines[first:]]
    assert any("Following 1 sites" in row["message"] for row in rows)
    assert {"at", "level", "logger", "message", "worker"} <= set(rows[0])


def test_nothing_forges_a_line_of_the_log() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.LogRecord("a", logging.ERROR, "", 1, "%s", ("x\n{}",), sys.exc_info())
    line = JsonFormatter("w").format(record)
    assert "\n" not in line
    assert "two\nlines" in json.loads(line)["exception"]
