from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.frontier.audit import audit
from articlebot.frontier.crawl_log import CrawlLogWriter, Download, read_log, remove_old

DAY = 86400.0
texts = st.text(max_size=20)
times = st.floats(0, 4e9).map(lambda at: round(at, 4))
downloads = st.builds(
    Download,
    start=times, end=times, host=st.text(min_size=1, max_size=20),
    slot=st.integers(0, 10**6), parent=st.integers(0, 2**64 - 1), url=texts, status=st.integers(0, 599),
    size=st.integers(0, 10**9), worker=texts, job=texts, kind=texts, least=st.floats(0, 100).map(lambda s: round(s, 4)),
)  # fmt: skip


def row(start, end=None, host="a.test", parent=0, least=1.0, worker="w"):
    return Download(start, start + 0.2 if end is None else end, host, 1, parent, "", 200, 10, worker, "j", "", least)


@given(download=downloads)
def test_a_row_comes_back_as_it_was_written(download):
    assert Download.from_line(download.to_line()) == download
    assert "\n" not in download.to_line()


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"s":1}', "{", "3"])
def test_other_lines_are_not_rows(line):
    with pytest.raises(ValueError):
        Download.from_line(line)


def test_files_follow_each_other_by_day_and_size(tmp_path):
    writer = CrawlLogWriter(tmp_path, "w", size=200)
    rows = [row(at) for at in (10.0, 12.0, 14.0, 16.0, 18.0, DAY + 10)]
    for one in rows:
        writer.write(one)
    writer.close()
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names[-1] == "crawl-19700102-w-0.jsonl"
    assert len(names) >= 3
    assert sorted(read_log([tmp_path]), key=lambda one: one.start) == rows


def test_a_full_disk_costs_lines_and_no_others(tmp_path):
    program = (
        "import resource, signal, sys, time; from pathlib import Path\n"
        "from articlebot.frontier.crawl_log import CrawlLogWriter\n"
        "from tests.extensions.test_crawl_log import row\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "writer = CrawlLogWriter(Path(sys.argv[1]), 'w', 1000)\n"
        "flushes, flush = [0], CrawlLogWriter._flush\n"
        "def counted(self): flush(self); flushes[0] += 1\n"
        "CrawlLogWriter._flush = counted\n"
        "for at, limit in ((0, 250), (2, 250), (4, -1), (6, -1)):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, -1))\n"
        "    for n in range(2): writer.write(row(float(at + n)))\n"
        "    writer._lines.put((0.0, ''))\n"
        "    while not writer._lines.empty(): time.sleep(0.01)\n"
        "    before = flushes[0]\n"
        "    while flushes[0] == before: time.sleep(0.01)\n"
        "writer.close(); print(writer.failed)\n"
    )
    result = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert result.stderr == ""
    starts = [one.start for one in read_log([tmp_path])]
    assert {4.0, 5.0, 6.0, 7.0} <= set(starts)
    assert len(starts) + int(result.stdout) >= 8
    assert int(result.stdout) > 0


def test_writing_never_waits_and_a_full_disk_is_counted(tmp_path, monkeypatch):
    folder, flush = tmp_path / "logs", CrawlLogWriter._flush
    stands, goes_on = threading.Event(), threading.Event()

    def held(writer):
        stands.set()
        assert goes_on.wait(300)
        flush(writer)

    monkeypatch.setattr(CrawlLogWriter, "_flush", held)
    writer = CrawlLogWriter(folder, "w", size=10**6)
    folder.rmdir()
    assert stands.wait(300)
    for at in range(100):  # while the disk does not answer
        writer.write(row(float(at)))
    goes_on.set()
    writer.close()
    assert writer.failed == 100


def test_a_line_cut_by_a_crash_is_passed_over(tmp_path):
    file = tmp_path / "crawl-x.jsonl"
    file.write_text(row(1.0).to_line() + "\n" + row(2.0).to_line()[:20])
    assert len(list(read_log([file]))) == 1
    file.write_text(row(1.0).to_line()[:20] + "\n" + row(2.0).to_line() + "\n")
    assert len(list(read_log([file]))) == 1
    file.write_text("nonsense\n" * 2)
    with pytest.raises(ValueError):
        list(read_log([tmp_path]))


def test_old_files_are_removed(tmp_path):
    old, new = tmp_path / "crawl-1.jsonl", tmp_path / "crawl-2.jsonl"
    for file, at in ((old, 1000.0), (new, 2000.0)):
        file.write_text("")
        os.utime(file, (at, at))
    assert remove_old(tmp_path, 1500.0) == 1
    assert new.exists()


def test_the_audit_finds_overlaps_and_what_came_too_close():
    report = audit([row(5.0), row(0.0, end=2.5), row(2.0), row(3.5, end=3.6), row(0.0, host="b.test")])
    (a, b) = report.hosts
    assert (a.downloads, a.overlaps, a.too_close, a.smallest) == (4, 1, 1, 1.5)
    assert (b.downloads, b.overlaps, b.smallest) == (1, 0, None)
    assert audit([row(0.0), row(0.9)]).too_close == 1
    assert audit([row(0.0), row(0.9)], least=0.5).too_close == 0


def test_a_long_download_overlaps_all_that_start_within_it():
    assert audit([row(0.0, end=10.0), row(2.0, end=2.1), row(4.0, end=4.1)]).overlaps == 2


def test_the_audit_checks_pages_of_one_parent_across_hosts():
    rows = [row(0.0, host="a.test", parent=7), row(0.5, host="b.test", parent=7), row(0.5, host="c.test")]
    assert audit(rows).parents_too_close == 1
    assert audit(rows, parents=False).parents_too_close == 0
    assert audit(rows).too_close == 0


@given(starts=st.lists(st.floats(0, 100), min_size=1, max_size=20), least=st.floats(0.01, 5))
def test_a_polite_log_passes_and_shifting_one_page_into_its_neighbour_fails(starts, least):
    at, rows = 0.0, []
    for gap in starts:
        rows.append(row(at, end=at + 0.01, least=least))
        at += least + gap + 0.01
    assert audit(rows).too_close == 0
    rows.append(row(rows[-1].start, end=rows[-1].end))
    assert audit(rows).overlaps == 1
