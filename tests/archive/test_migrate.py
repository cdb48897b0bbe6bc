"""Schemas of older, newer and foreign databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, create_engine, inspect, text

from articlebot.archive import Archive, Search, migrate, schema
from articlebot.archive.engine import open_engine, reading, writing
from articlebot.errors import ConfigError, StateError
from tests.archive import first_schema
from tests.archive.conftest import MakeArticle


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    opened = open_engine(database_url)
    yield opened
    opened.dispose()


def _own(_object: object, name: str | None, kind: str, _reflected: bool, _other: object) -> bool:
    """Leaves out the index's table, which is each database's own."""
    return not (kind == "table" and str(name).startswith("search")) and name != "alembic_version"


@pytest.mark.parametrize("way", ["created", "migrated"])
def test_both_ways_lead_to_the_schema(engine: Engine, way: str) -> None:
    with writing(engine) as connection:
        if way == "created":
            migrate.create(connection)
        else:
            first_schema.create(connection)
            migrate.migrate(connection, "0001")
    with reading(engine) as connection:
        context = MigrationContext.configure(connection, opts={"include_object": _own})
        assert compare_metadata(context, schema.metadata) == []
        assert "search" in inspect(connection).get_table_names()
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == migrate.HEAD


def _old_archive(database_url: str) -> None:
    """A database as the first schema had it, with an article in it."""
    engine = open_engine(database_url)
    with writing(engine) as connection:
        first_schema.create(connection)
        connection.execute(
            text("INSERT INTO texts (id, digest, body) VALUES (1, :d, 'an old bridge')"), {"d": b"x" * 16}
        )
        columns = (
            "id, page_key, version, version_id, text_id, content_hash, event, first_archived_at, archived_at, "
            "dated_at, fetched_at, url, canonical_url, job, site, kind, title, authors, images, keywords, summary, "
            "media, anchor, extractor, confidence, categories, cluster_role, source, published"
        )
        values = (
            "1, 7, 1, 1, 1, 9, 'new', 5, 5, 5, 5, 'https://e.org/', 'https://e.org/', 'j', 'e.org', 'article', 'Old', "
            "'[\"Ann Lee\"]', '[]', '[]', '', '[]', '', '', 0, '{}', 'single', 'Bay News', '2025-03-09T08:00:00+08:00'"
        )
        connection.execute(text(f"INSERT INTO articles ({columns}) VALUES ({values})"))
        connection.execute(
            text("INSERT INTO versions (id, article_id, version, event, text_id, content_hash, fingerprint, "
                 "fingerprint_version, fetched_at, archived_at) VALUES (1, 1, 1, 'new', 1, 9, 0, 0, 5, 5)")
        )  # fmt: skip
        connection.execute(text("UPDATE counters SET value = 1"))
    engine.dispose()


def test_an_older_archive_is_brought_up_with_its_articles(database_url: str, make: MakeArticle) -> None:
    _old_archive(database_url)
    with Archive(database_url) as archive:
        assert [row["title"] for row in archive.articles()] == ["Old"]
        for words in ("bridges", "ann lee bridge", "bay news", "2025-03-09", "2025-03 lee"):
            assert archive.search(Search(words=words), 10).total == 1, words
        assert archive.search(Search(words="2025-04"), 10).total == 0
        assert archive.publish([make("a")], 10)[0].version_id == 2


def test_an_older_archive_is_refused_where_upgrades_are_off(database_url: str) -> None:
    _old_archive(database_url)
    with pytest.raises(StateError, match="ARTICLEBOT_ARCHIVE_UPGRADE=1"):
        Archive(database_url, upgrade=False)


def test_a_newer_archive_is_refused(database_url: str, engine: Engine) -> None:
    Archive(database_url).close()
    with writing(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StateError, match="newer articlebot"):
        Archive(database_url)


def test_a_foreign_database_is_refused(database_url: str, engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE articles (id integer)"))
    with pytest.raises(StateError, match="not an archive"):
        Archive(database_url)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_letter_is_refused(postgresql_url: str, encoding: str) -> None:
    admin = create_engine(postgresql_url, isolation_level="AUTOCOMMIT")
    url = admin.url.set(database=encoding.lower()).render_as_string(hide_password=False)
    with closing(admin.connect()) as connection:
        connection.execute(text(f"CREATE DATABASE {encoding} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"))
        try:
            with pytest.raises(ConfigError, match=f"is in {encoding}, .* ENCODING 'UTF8'"):
                Archive(url)
        finally:
            connection.execute(text(f"DROP DATABASE {encoding}"))
    admin.dispose()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"no database at all " * 100)
    with pytest.raises(StateError, match="damaged"):
        Archive(f"sqlite:///{tmp_path / 'a.db'}")


def test_a_file_may_have_any_name(tmp_path):
    path = tmp_path / "50%20 what? #1.db"
    Archive(f"sqlite:///{path}").close()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("url", ["mysql://x/y", "nothing", "sqlite://", "sqlite:///:memory:", "oracle+zx://a", ""])
def test_wrong_urls_are_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        Archive(url)
