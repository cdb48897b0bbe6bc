"""The newsroom in a process of its own, and the command."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from articlebot_lab.newsroom import Newsroom, score
from articlebot_lab.newsroom.serve import main

ROOT = Path(__file__).resolve().parents[3]


def test_a_newsroom_in_a_with_block() -> None:
    with Newsroom(seconds=5, sites=3, seed=3) as room:
        known = room.truth()
        status, headers, body = room.get(known["articles"][0]["url"])
        assert (status, headers["server"]) == (200, "newsroom")
        assert known["articles"][0]["title"] in body.decode()
        assert "[[site]]" in room.job_file()
        assert room.status()["sites"] == 3
        assert len(room.log()) == 1
        assert score(known, [], room.log())["pages_fetched"] == 1
    with pytest.raises(ConnectionRefusedError):
        room.get("http://newsroom.test/")


def test_it_says_how_to_use_it_and_ends_on_a_signal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ready = tmp_path / "ready.json"

    def interrupt() -> None:
        while not ready.exists():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(sys, "argv", ["newsroom", "--seconds=20", "--sites=1", f"--ready-file={ready}"])
    thread = threading.Thread(target=interrupt)
    thread.start()
    assert main() == 0
    thread.join()
    first, last = capsys.readouterr().out.splitlines()
    proxy = json.loads(ready.read_text())["proxy"]
    assert first.startswith(f"newsroom: 1 sites for 20 s through the proxy {proxy} ")
    assert last == "newsroom: closed after 0 requests"


def test_it_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["newsroom", "--seconds=5", "--grace=0", "--sites=1"])
    assert main() == 0


@pytest.mark.parametrize("option", ["--seconds=1", "--sites=0", "--rate=0", "--port=70000", "--grace=-1"])
def test_wrong_options_are_refused(
    option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["newsroom", option])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_a_taken_port_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(sys, "argv", ["newsroom", f"--port={port}", "--seconds=5", "--sites=1"])
        assert main() == 1
    assert f"cannot listen on port {port}" in capsys.readouterr().err


def test_scrapy_knows_the_command() -> None:
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "articlebot.settings"}
    command = [sys.executable, "-m", "scrapy", "newsroom", "--help"]
    done = subprocess.run(command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    assert "--hostile" in done.stdout
