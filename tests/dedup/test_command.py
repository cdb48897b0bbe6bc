from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.runtime.fleet import wait_for

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, stdin: bytes | None = None, **environment: str) -> subprocess.CompletedProcess[bytes]:
    clean = {k: v for k, v in os.environ.items() if k != "REDIS_URL" and not k.startswith("ARTICLEBOT_")}
    command = [sys.executable, "-m", "scrapy", "neardup", *arguments]
    return subprocess.run(
        command, input=stdin, capture_output=True, cwd=ROOT, env={**clean, **environment}, check=False
    )


def write(path: Path, rows: list[Any]) -> str:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return str(path)


def test_clusters_real_reprints(corpus: Path, tmp_path: Path) -> None:
    lines = (corpus / "texts" / "reprints.zh.jsonl").read_text(encoding="utf-8").splitlines()[:150]
    rows = [json.loads(line) for line in lines]
    docs = write(tmp_path / "docs.jsonl", [{"id": n, "text": row["text"]} for n, row in enumerate(rows)])
    done = run("--docs", docs, "--json")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["id"] for row in found] == list(range(len(rows)))
    pairs = [(a, b) for a in range(len(rows)) for b in range(a + 1, len(rows))]
    wanted = {(a, b) for a, b in pairs if rows[a]["gid"] == rows[b]["gid"]}
    got = {(a, b) for a, b in pairs if found[a]["cluster"] == found[b]["cluster"]}
    assert 2 * len(wanted & got) / (len(wanted) + len(got)) >= 0.98


def test_bad_rows_are_named_and_the_rest_is_clustered(redis_url: str) -> None:
    lines = ['{"id": 1, "text": "Blue whale seen near the old harbour"}', "nonsense", '{"id": 2}', "", "[]",
             '{"id": 1, "text": "again"}', '{"id": "b", "text": 7}',
             '{"id": "b", "text": "Blue whale seen near old harbour"}', '{"id": 3, "text": ""}']  # fmt: skip
    stdin = "\n".join(lines).encode() + b'\n{"id": 4, "text": "\xff"}\n'
    done = run("--docs", "-", "--json", stdin=stdin, REDIS_URL=redis_url)
    assert done.returncode == 1
    errors = done.stderr.decode().splitlines()
    assert [error.split(":")[1] for error in errors] == ["2", "3", "5", "6", "7", "10"]
    assert "line 1 already" in errors[3]
    found = {row["id"]: row["cluster"] for row in map(json.loads, done.stdout.splitlines())}
    assert list(found) == [1, "b", 3]
    assert found[1] == found["b"] != found[3]
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose path leaves room for that of a socket."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_however_it_is_ended_it_takes_its_server_along(short_path: Path, sent: signal.Signals, code: int) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "REDIS_URL"} | {"TMPDIR": str(short_path)}
    command = [sys.executable, "-m", "scrapy", "neardup", "--docs", "-"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE) as worker:
        assert worker.stdin is not None
        worker.stdin.writelines(b'{"id": %d, "text": "title number %d"}\n' % (n, n) for n in range(64))
        worker.stdin.flush()
        deadline = time.monotonic() + 300
        while not (used := _servers(short_path)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert used
        worker.send_signal(sent)
        assert worker.wait(timeout=500) == code
    # After a kill it is the server's own watch that clears up, and the folder is gone a moment before the watch is.
    wait_for(lambda: not list(short_path.glob("articlebot-neardup-*")))
    wait_for(lambda: not _serving(used))


def _servers(folder: Path) -> list[Path]:
    """The sockets of servers that answer."""
    found = []
    for socket in folder.rglob("redis.sock"):
        with contextlib.suppress(redis.RedisError), redis.Redis(unix_socket_path=str(socket)) as client:
            found += [socket] if client.ping() else []
    return found


def _serving(sockets: list[Path]) -> list[bytes]:
    """Of the processes on this machine those that serve one of the sockets."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            lines.append((process / "cmdline").read_bytes())
    return [line for line in lines if any(str(socket).encode() in line for socket in sockets)]


def test_a_table_for_people(tmp_path: Path, redis_url: str) -> None:
    rows = [{"id": n, "text": "Blue whale seen near the old harbour"} for n in range(3)] + [{"id": 9, "text": "x"}]
    done = run("--docs", write(tmp_path / "d.jsonl", rows), REDIS_URL=redis_url)
    assert done.returncode == 0
    assert b"0, 1, 2" in done.stdout
    assert done.stdout.decode().splitlines()[-1] == "4 texts, 2 stories, 1 of them more than once"


@pytest.mark.parametrize(
    "arguments", [(), ("--docs", "/no/such/file"), ("--docs", "-", "-s", "ARTICLEBOT_DEDUP_METHOD=x")]
)
def test_wrong_use_says_why(arguments: tuple[str, ...], redis_url: str) -> None:
    done = run(*arguments, stdin=b"", REDIS_URL=redis_url)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr + done.stdout
