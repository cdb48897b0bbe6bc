from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import redis

from articlebot.errors import StateError, StoreUnavailable
from articlebot.runtime import private_redis
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.runtime.redis_binary import find_server
from tests.runtime.fleet import wait_for


def test_users_share_one_server_and_the_last_one_out_ends_it(tmp_path: Path) -> None:
    first, second = PrivateRedis(tmp_path / "r"), PrivateRedis(tmp_path / "r")
    first.acquire()
    second.acquire()
    pid = first.pid
    assert pid is not None
    assert second.pid == pid
    first.release()
    assert second.pid == pid
    second.release()
    assert second.pid is None


def test_the_log_of_many_starts_does_not_grow_without_end(tmp_path: Path) -> None:
    for size in (private_redis._LOG_BYTES, private_redis._LOG_BYTES + 1):
        (tmp_path / "redis.log").write_bytes(b"x" * size)
        server = PrivateRedis(tmp_path)
        server.acquire()
        server.release()
        assert (tmp_path / "redis.log.1").exists() == (size > private_redis._LOG_BYTES)
    assert 0 < (tmp_path / "redis.log").stat().st_size < 100_000


def test_the_last_one_out_ends_it_where_the_disk_only_reads_by_then(tmp_path: Path) -> None:
    server = PrivateRedis(tmp_path)
    server.acquire()
    # A program that runs cannot be written to, not by root either.
    lock = tmp_path / "start.lock"
    lock.unlink()
    shutil.copy(str(shutil.which("sleep")), lock)
    with subprocess.Popen([lock, "300"]) as running:
        try:
            with pytest.raises(OSError, match="busy"):
                lock.open("ab")
            server.release()
        finally:
            running.kill()
    assert server.pid is None


def test_what_was_written_outlives_an_orderly_end(tmp_path: Path) -> None:
    with PrivateRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        client.set("kept", "1")
    with PrivateRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        assert client.get("kept") == b"1"


def test_a_killed_server_is_started_again_with_its_data(tmp_path: Path) -> None:
    server = PrivateRedis(tmp_path)
    server.acquire()
    with redis.Redis.from_url(server.url) as client:
        client.set("kept", "1")
        # The file is written before the answer, but for where its last write to the disk goes on.
        wait_for(lambda: client.info("persistence")["aof_buffer_length"] == 0)
        pid = server.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
    with PrivateRedis(tmp_path) as again, redis.Redis.from_url(again.url) as client:
        assert client.get("kept") == b"1"
    server.release()
    assert server.pid is None


def test_a_server_that_died_under_its_user_is_started_again_and_one_that_was_stopped_is_not(tmp_path: Path) -> None:
    with PrivateRedis(tmp_path) as server:
        pid = server.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        server.revive()
        os.kill(pid, signal.SIGCONT)
        assert server.pid == pid
        os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + 300
        while server.pid in (None, pid) and time.monotonic() < until:
            time.sleep(0.02)
            server.revive()  # a process that is still dying counts as one that was stopped
        assert server.pid not in (None, pid)


def test_a_killed_user_does_not_keep_the_server_for_ever(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom articlebot.runtime.private_redis import PrivateRedis\n"
        "PrivateRedis(Path(sys.argv[1])).acquire()\nprint('up', flush=True)\ntime.sleep(60)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"up\n"
    child.kill()
    child.wait()
    child.stdout.close()
    server = PrivateRedis(tmp_path)
    assert server.pid is not None, "the server outlives its killed user"
    server.acquire()
    server.release()
    assert server.pid is None


def test_nobody_else_can_reach_it(tmp_path: Path) -> None:
    with PrivateRedis(tmp_path / "r") as server:
        assert stat.S_IMODE((tmp_path / "r").stat().st_mode) == 0o700
        assert stat.S_IMODE(server.socket.stat().st_mode) == 0o700
        with redis.Redis.from_url(server.url) as client:
            assert client.config_get("port")["port"] == "0"


def test_a_folder_may_have_any_name() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="50%20 what? #1") as folder, PrivateRedis(Path(folder)) as server,
        redis.Redis.from_url(server.url) as client,
    ):  # fmt: skip
        assert str(server.socket).startswith(folder)
        assert client.ping()


@pytest.mark.parametrize("temporary", ["", "long" * 30])
def test_a_long_path_is_no_obstacle(tmp_path: Path, temporary: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if temporary:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / temporary))
    with PrivateRedis(tmp_path / ("long" * 30)) as server, redis.Redis.from_url(server.url) as client:
        assert client.ping()


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ("--maxmemory nonsense", "argument must be a memory value"),
        # It ends when it is in the background already, and before it has written its process id.
        ("--port 7 --bind 203.0.113.1", "Failed listening on port 7"),
    ],
)
def test_a_server_that_does_not_come_up_says_why_at_once(
    tmp_path: Path, extra: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = tmp_path / "redis-server"
    refused.write_text(f'#!/bin/sh\nexec {find_server()} "$@" {extra}\n')
    refused.chmod(0o700)
    monkeypatch.setattr(private_redis, "find_server", lambda: str(refused))
    monkeypatch.setattr(private_redis, "_START_TIMEOUT", 3600.0)  # it waited as long
    with pytest.raises(StoreUnavailable, match=said):
        PrivateRedis(tmp_path / "r").acquire()


def test_no_second_server_writes_the_file_of_one_that_stands_still(tmp_path: Path) -> None:
    with PrivateRedis(tmp_path) as server:
        pid = server.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(StoreUnavailable, match=f"process {pid}, does not answer"):
                PrivateRedis(tmp_path).acquire()
        finally:
            os.kill(pid, signal.SIGCONT)
        with PrivateRedis(tmp_path) as other:
            assert other.pid == pid


def test_a_server_is_found() -> None:
    assert Path(find_server()).name.startswith(("redis-server", "valkey-server"))


def test_the_server_of_a_folder_that_was_removed_ends_and_that_of_a_new_one_stays(tmp_path: Path) -> None:
    first, second = PrivateRedis(tmp_path / "r"), PrivateRedis(tmp_path / "r")
    first.acquire()
    old = first.pid
    assert old is not None
    shutil.rmtree(tmp_path / "r")
    with second:
        new = second.pid
        first.release()
        assert second.pid == new
    deadline = time.monotonic() + 300
    while Path(f"/proc/{old}/cmdline").exists() and Path(f"/proc/{old}/cmdline").read_bytes():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_damaged_append_only_file_is_named_with_what_mends_it(tmp_path: Path) -> None:
    server = PrivateRedis(tmp_path / "redis")
    with server, server._client() as client:
        client.set("a", "b")
    wait_for(lambda: server.pid is None)
    for file in tmp_path.rglob("*.aof"):
        file.write_bytes(b"garbage\r\n" * 20)
    with pytest.raises(StateError, match=r"append-only file .* is damaged: redis-check-aof --fix"):
        server.acquire()
