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

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from articlebot.extensions.json_logs import JsonFormatter
from articlebot.extensions.metrics import of_stats, render
from articlebot_lab.newsroom.process import Newsroom
from tests.hurried import scrapy_with
from tests.operations.running import ROOT, Crawled, crawl_environment


def test_a_running_crawl_answers(tmp_path: Path) -> None:
    with Newsroom(seconds=60, sites=1, grace=3600) as room:
        jobs = tmp_path / "jobs.toml"
        jobs.write_bytes(room.get("http://newsroom.test/jobs.toml")[2])
        log = tmp_path / "crawl.log"
        command = [
            *scrapy_with({"articlebot.extensions.metrics:GAUGES_S": 1.0}), "crawl", "article", "-a", f"jobs={jobs}",
            "-s", f"LOG_FILE={log}", "-s", "ARTICLEBOT_METRICS_PORT=0",
            "-s", "ARTICLEBOT_METRICS_ADDRESS=127.0.0.2",
        ]  # fmt: skip
        environment = crawl_environment(tmp_path, room.proxy)
        with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL) as process:
            try:
                text = poll(log)
            finally:
                process.send_signal(signal.SIGINT)
            assert process.wait(300) == 0
    families = {family.name: family for family in text_string_to_metric_families(text)}
    published = {tuple(one.labels.items()): one.value for one in families["articlebot_publish"].samples}
    delays = families["articlebot_publication_to_archive_seconds"]
    assert delays.type == "histogram"
    buckets = [one.value for one in delays.samples if "le" in one.labels]
    assert buckets == sorted(buckets)
    assert 0 < buckets[-1] <= published[(("outcome", "new"),)]
    assert [one.value for one in families["articlebot_redis_up"].samples] == [1]
    assert {"status": "200"} in [one.labels for one in families["scrapy_responses"].samples]


def poll(log: Path) -> str:
    """The metrics, once an article went through all pipelines and the gauges are there."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        said = log.read_text() if log.exists() else ""
        if found := re.search(r"Metrics at (http://127\.0\.0\.2:\d+)/metrics", said):
            text = opener.open(f"{found[1]}/metrics", timeout=100).read().decode()
            delays = re.search(r"^articlebot_publication_to_archive_seconds_count (\d+)$", text, re.M)
            if delays and int(delays[1]) and "articlebot_redis_up" in text:
                assert opener.open(f"{found[1]}/healthz", timeout=100).read() == b"ok\n"
                return text
        time.sleep(0.2)
    raise AssertionError(log.read_text()[-3000:])


@given(st.dictionaries(st.text(max_size=30).map("articlebot/page/{}".format), st.integers(-(2**53), 2**53) | st.text()))
def test_whatever_a_stat_is_called_prometheus_reads_it(stats: dict[str, int | str]) -> None:
    written = {key: value for key, value in stats.items() if isinstance(value, int)}
    read = [one for family in text_string_to_metric_families(render(of_stats(stats))) for one in family.samples]
    names = [f"{one.labels.get('outcome', '')}/{one.labels.get('detail', '')}".removesuffix("/") for one in read]
    assert sorted(zip(names, (one.value for one in read), strict=True)) == sorted(
        (key.removeprefix("articlebot/page/").removesuffix("/"), value) for key, value in written.items()
    )


@pytest.mark.xdist_group("crawled")
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
