"""The command as a person starts it, and the files it needs when the package is an egg."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import articlebot
from tests.conftest import ROOT

PACKAGE = Path(articlebot.__file__).resolve().parent


def start(folder: Path, redis_url: str, *args: str, program: str = "scrapy") -> subprocess.Popen[str]:
    environment = {**os.environ, "ARTICLEBOT_DATA_DIR": str(folder), "REDIS_URL": redis_url}
    command = [sys.executable, "-m", program, "console", *args]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_it_listens_where_and_for_whom_it_is_told(tmp_path: Path, redis_url: str) -> None:
    with socket.socket() as kept:
        kept.bind(("127.0.0.2", 0))
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server may listen there; nobody else gets it
        port = kept.getsockname()[1]
        own = {"ARTICLEBOT_CONSOLE_HOST": "127.0.0.2", "ARTICLEBOT_CONSOLE_PORT": str(port),
               "ARTICLEBOT_CONSOLE_TOKEN": "a-token-of-ones-own"}  # fmt: skip
        settings = [word for name, value in own.items() for word in ("-s", f"{name}={value}")]
        with start(tmp_path, redis_url, *settings, program="articlebot") as process:
            assert process.stdout is not None
            link = process.stdout.readline().strip()
            connection = http.client.HTTPConnection("127.0.0.2", port, timeout=200)
            told = ""
            for path in ("/", "/api/v1/articles"):  # outside the project's folder scrapy has no such command
                connection.request("GET", path)
                told += connection.getresponse().read().decode()
            connection.close()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=300)
    assert link == f"http://127.0.0.2:{port}/?token=a-token-of-ones-own"
    assert re.findall(r"(\w+) console`? (?:printed|tokens|打)", told) == ["articlebot"] * 3


def test_it_prints_a_link_serves_and_ends_by_interrupt(tmp_path: Path, redis_url: str) -> None:
    with start(tmp_path, redis_url, "--port", "0") as process:
        assert process.stdout is not None
        link = urlsplit(process.stdout.readline().strip())
        assert link.hostname == "127.0.0.1"
        assert re.fullmatch(r"token=[\w-]{32}", link.query)
        connection = http.client.HTTPConnection("127.0.0.1", link.port, timeout=200)
        connection.request("GET", f"/?{link.query}")
        answer = connection.getresponse()
        answer.read()
        cookie = str(answer.getheader("Set-Cookie")).partition(";")[0]
        connection.request("GET", "/", headers={"Cookie": cookie})  # an empty data folder
        answer = connection.getresponse()
        assert (answer.status, "Overview" in answer.read().decode()) == (200, True)
        connection.close()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert "Traceback" not in errors
    assert process.returncode == 0


def test_a_password_is_not_shown_when_its_database_is_away(tmp_path: Path, redis_url: str) -> None:
    for url in ("postgresql://u:hunter2@127.0.0.1:1/x", "postgresql://u:hunter2/x@127.0.0.1/x"):
        process = start(tmp_path, redis_url, "-s", f"ARTICLEBOT_DATABASE_URL={url}")
        said, errors = process.communicate(timeout=500)
        assert process.returncode in (2, 75)  # not an address, or one where nobody answers
        assert "database" in said + errors
        assert "hunter" not in said + errors


def test_a_taken_port_and_a_wrong_job_file_are_said(tmp_path: Path, redis_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = start(tmp_path, redis_url, "--port", str(taken.getsockname()[1]))
        _, errors = process.communicate(timeout=500)
    assert process.returncode == 2
    assert "Traceback" not in errors
    process = start(tmp_path, redis_url, "--jobs", str(tmp_path / "missing.toml"))
    said, errors = process.communicate(timeout=500)
    assert process.returncode == 2
    assert "missing.toml" in said + errors


def test_templates_and_static_files_come_out_of_an_egg(tmp_path: Path) -> None:
    egg = tmp_path / "articlebot.egg"
    with zipfile.ZipFile(egg, "w") as out:
        for file in PACKAGE.rglob("*"):
            if file.suffix in (".py", ".html", ".css", ".js", ".lua", ".toml", ".txt", ".json", ".gz"):
                out.write(file, file.relative_to(PACKAGE.parent))
    code = (
        f"import sys; sys.path.insert(0, {str(egg)!r})\n"
        "from articlebot.console.view import environment; import articlebot.console.view as view\n"
        "from importlib.resources import files\n"
        "assert '.egg' in view.__file__, view.__file__\n"
        "names = environment().list_templates(); [environment().get_template(name) for name in names]\n"
        "print(len(names), len(files('articlebot.console').joinpath('static', 'console.js').read_bytes()) > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(len(list((PACKAGE / "console" / "templates").iterdir()))), "True"]
