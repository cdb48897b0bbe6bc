"""What cron sees of a crawl: exit code, one line, and never two of the same run at once."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import time
from pathlib import Path

import pytest
import redis

from articlebot.errors import ConfigError, StoreUnavailable, UnderWay
from articlebot.runtime.run_lock import NEEDED, check_folder, check_redis, folder_lock, lock_name, redis_lock
from tests.operations.running import Crawled, crawl, scrapy

NOW = 1_700_000_000.0


@pytest.mark.xdist_group("crawled")
def test_a_run_tells_what_it_did_and_is_alone(crawled: Crawled) -> None:
    assert crawled.code == 0, crawled.said
    assert len(crawled.said) == 1
    assert crawled.said[0].startswith("articlebot: article done (finished) in ")
    with folder_lock(crawled.folder / "locks", lock_name("article", {"jobs": str(crawled.jobs)}), NOW):
        code, said = crawl(crawled.folder, "article", "-a", f"jobs={crawled.jobs}", "-a", "until=idle")
    assert code == 75
    (line,) = said
    assert f"under way since 2023-11-14T22:13:20+00:00, process {os.getpid()}" in line


def test_bad_use_and_stores_that_are_away(tmp_path: Path) -> None:
    code, said = crawl(tmp_path, "article", "-a", "jobs=missing.toml", "-a", "until=idle")
    assert code == 2
    assert "missing.toml" in said[-1]
    run = ("article", "-a", "url=http://a.test/", "-a", "until=idle")
    code, said = crawl(tmp_path, *run, REDIS_URL="redis://127.0.0.1:1/0")
    assert code == 75, said
    assert said[-1].startswith("articlebot: REDIS_URL: Redis does not answer: ")
    code, said = crawl(tmp_path, *run, ARTICLEBOT_DATABASE_URL="postgresql+psycopg://nobody@127.0.0.1:1/none")
    assert code == 75, said
    assert len(said) == 1
    assert said[0].startswith("articlebot: article broke off: ARTICLEBOT_DATABASE_URL: ")


def test_a_file_where_a_folder_belongs_is_named(tmp_path: Path) -> None:
    (tmp_path / "redis").write_text("of somebody else")
    code, said = crawl(tmp_path, "article", "-a", "url=http://a.test/", "-a", "until=idle")
    assert code == 2
    assert said[-1] == f"articlebot: article broke off: {tmp_path / 'redis'}: a file is there, and no folder"


def test_errors_in_the_log_make_the_exit_code(tmp_path: Path) -> None:
    code, said = crawl(tmp_path, "proxy_lists")
    assert code == 1, said
    assert said[-1].startswith("articlebot: proxy_lists finished with errors (")


def test_the_name_is_of_what_is_done() -> None:
    name = lock_name("article", {"jobs": "a.toml,b.toml", "until": "idle", "seconds": "5", "_job": "1"})
    assert name == lock_name("article", {"jobs": f"{Path('b.toml').resolve()},./a.toml"})
    assert name != lock_name("article", {"jobs": "a.toml"})
    assert name != lock_name("focused", {"jobs": "a.toml,b.toml"})


def test_a_folder_is_locked_once(tmp_path: Path) -> None:
    with (
        folder_lock(tmp_path, "one", NOW),
        pytest.raises(UnderWay, match="since 2023-11-14"),
        folder_lock(tmp_path, "one", NOW),
    ):
        pass
    with folder_lock(tmp_path, "one", NOW), folder_lock(tmp_path, "two", NOW):
        assert json.loads((tmp_path / "one.lock").read_text())["pid"] == os.getpid()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"ARTICLEBOT_DATA_DIR.* cannot be written to: Not a directory"):
        check_folder(tmp_path / "file" / "data")
    with pytest.raises(ConfigError, match="ARTICLEBOT_DATA_DIR"), folder_lock(tmp_path / "file", "one", NOW):
        pass


@pytest.mark.parametrize(("number", "raised"), [(errno.ENOLCK, ConfigError), (errno.ENOSPC, StoreUnavailable)])
def test_a_file_system_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, raised: type[Exception]
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(raised, match=os.strerror(number)), folder_lock(tmp_path, "one", NOW):
        pass


def test_a_database_that_there_is_not_is_a_wrong_setting(redis_url: str, tmp_path: Path) -> None:
    wrong = redis_url.replace("?db=0", "?db=99")
    with pytest.raises(ConfigError, match="REDIS_URL: Redis refuses: DB index is out of range"):
        check_redis(wrong)
    run = ("article", "-a", "url=http://a.test/", "-a", "until=idle")
    code, said = crawl(tmp_path, *run, REDIS_URL=wrong)
    assert code == 2, said
    assert "REDIS_URL: Redis refuses: DB index is out of range" in said[-1]


def test_what_redis_lets_its_user_do_is_looked_at_before_a_start(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:

        def told(*rules: str) -> str:
            client.execute_command("ACL", "SETUSER", "bot", "reset", "on", ">pw", *rules)
            try:
                check_redis(redis_url.replace("unix://", "unix://bot:pw@"))
            except ConfigError as error:
                return str(error).partition("REDIS_URL: Redis lets its user do too little: ACL SETUSER bot ")[2]
            return str(client.keys() or "")

        assert told("~{articlebot*", "+@all", "-@admin", "-@dangerous") == ""
        for command in NEEDED:
            assert told("~{articlebot*", "+@all", f"-{command}") == f"+{command.lower()}"
        assert told("~*", "+@all", "-multi") == "+multi"
        assert told("~{articlebot:f*", "+@all", "-zrem") == "+zrem ~{articlebot}*"


def test_rights_are_looked_at_for_each_command_of_the_scripts() -> None:
    scripts = "".join(path.read_text("utf-8") for path in Path("articlebot").rglob("*.lua"))
    assert set(re.findall(r"redis\.p?call\('(\w+)'", scripts)) - {"INFO"} <= set(NEEDED)


def test_redis_is_locked_once_and_the_lock_outlives_its_time(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        with redis_lock(redis_url, "articlebot:lock:one", NOW, ttl_s=3.0):
            with pytest.raises(UnderWay), redis_lock(redis_url, "articlebot:lock:one", NOW):
                pass
            holder, left = client.get("articlebot:lock:one"), client.pttl("articlebot:lock:one")
            while (now_left := client.pttl("articlebot:lock:one")) <= left:  # until it is renewed
                assert now_left > 0  # it has not ended
                left = now_left
                time.sleep(0.02)
            assert client.get("articlebot:lock:one") == holder
        assert not client.exists("articlebot:lock:one")
    with pytest.raises(StoreUnavailable):
        check_redis("redis://127.0.0.1:1/0")


AWAY = {"ARTICLEBOT_DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:1/none"}


@pytest.mark.parametrize(
    ("arguments", "environment", "code"),
    [
        (("archive", "retention", "--apply"), AWAY, 75),
        (("outbox", "deliver"), AWAY, 75),
        (("outbox", "deliver"), {"ARTICLEBOT_DATABASE_URL": "sqlite:////tmp"}, 2),
        (("run", "--jobs", "missing.toml"), {}, 2),
        (("run", "--url", "http://a.test/"), {"REDIS_URL": "redis://127.0.0.1:1/0"}, 75),
        (("jobs", "windows", "missing.toml"), {}, 2),
        (("learn", "nobody.test"), {}, 1),
        (("learn", "--pages", sys.executable), {}, 2),
        (("archive", "reextract", "--warc", __file__), {}, 1),
        (("frontier", "politeness", "."), {}, 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_other_commands_keep_to_the_codes(
    tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str], code: int
) -> None:
    found, out, said = scrapy(tmp_path, *arguments, ARTICLEBOT_PROGRESS_S="0", **environment)
    assert found == code, (out, said)
    assert "Traceback" not in said
    assert said.strip()
