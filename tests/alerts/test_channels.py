"""What people are told by: commands and webhooks that do not answer."""

from __future__ import annotations

import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from articlebot.alerts.channels import Channel, Command, Webhook
from articlebot.alerts.messages import Message
from tests.runtime.test_children import alive

_MESSAGE = Message("id", "subject", "text", {"type": "quiet.begun", "timestamp": 1.0, "data": {}})


def _cut_soon(channel: Channel, happens: threading.Event) -> None:
    def cut() -> None:
        assert happens.wait(100)
        channel.cut()

    threading.Thread(target=cut, daemon=True).start()


def test_a_command_is_ended_with_what_it_has_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a shell had started outlived it, and the worker waited for it."""
    note = tmp_path / "pid"
    channel = Command(
        f'{sys.executable} -c \'import subprocess; subprocess.run(["sh", "-c", "echo $$ > {note}; sleep 600"])\''
    )
    begun = threading.Event()

    def noted() -> None:
        while not note.exists() or not note.read_text().strip():
            time.sleep(0.02)
        begun.set()

    threading.Thread(target=noted, daemon=True).start()
    _cut_soon(channel, begun)
    with pytest.raises(OSError, match="exit code -9"):
        channel.send(_MESSAGE)
    while alive(int(note.read_text())):
        time.sleep(0.02)
    with pytest.raises(OSError, match="the crawl ends"):
        channel.send(_MESSAGE)
    late = Command(f"{sys.executable} -c 'import time; time.sleep(600)'")
    monkeypatch.setattr("articlebot.alerts.channels._COMMAND_S", 0.05)
    with pytest.raises(OSError, match="did not end within"):
        late.send(_MESSAGE)


def test_a_post_without_answer_is_cut() -> None:
    asked, ended = threading.Event(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        channel = Webhook(f"http://127.0.0.1:{server.getsockname()[1]}/", None)

        def accept() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                asked.set()
                ended.wait()

        serving = threading.Thread(target=accept, daemon=True)
        serving.start()
        _cut_soon(channel, asked)
        with pytest.raises(OSError):
            channel.send(_MESSAGE)
        with pytest.raises(OSError, match="the crawl ends"):
            channel.send(_MESSAGE)
        channel.close()
        ended.set()
        serving.join()
