"""What is learned of sites in the archive's database, for machines that share it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from articlebot.archive import migrate
from articlebot.archive.engine import insert_into, is_shared, open_engine, reading, writing
from articlebot.archive.schema import sample_pages, site_notes, wrappers
from articlebot.errors import StateError
from articlebot.extraction.wrapper.shelf import FolderShelf, Shelf


def open_shelf(database_url: str, data_dir: Path, *, upgrade: bool = True) -> Shelf:
    """The shelf of all who share an archive: its database, or the data folder where that is one machine's own.

    What the data folder has is taken into a database that has nothing yet.

    Raises:
        StoreUnavailable: the database is away.
        StateError: its schema is another.
    """
    here = FolderShelf(data_dir)
    if not is_shared(database_url):
        return here
    engine = open_engine(database_url)
    migrate.prepare(engine, upgrade=upgrade)
    shelf = SqlShelf(engine)
    if not shelf.sites():
        _copy(here, shelf)
    return shelf


def _copy(source: Shelf, target: Shelf) -> None:
    for site in source.sites():
        for number in source.numbers(site):
            target.add(site, number, source.version(site, number))
        for name, value in source.state(site).items():
            target.note(site, name, value)


class SqlShelf(Shelf):
    """Tables of the archive's database. Methods raise ``StoreUnavailable`` where that is away.

    Args:
        engine: of the archive, whose tables are there.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def sites(self) -> list[str]:
        with reading(self._engine) as connection:
            return list(connection.execute(select(wrappers.c.site).distinct().order_by(wrappers.c.site)).scalars())

    def numbers(self, site: str) -> list[int]:
        query = select(wrappers.c.version).where(wrappers.c.site == site).order_by(wrappers.c.version)
        with reading(self._engine) as connection:
            return list(connection.execute(query).scalars())

    def version(self, site: str, number: int) -> str:
        query = select(wrappers.c.rules).where(wrappers.c.site == site, wrappers.c.version == number)
        with reading(self._engine) as connection:
            found = connection.execute(query).scalar()
        if found is None:
            raise StateError("no such version")
        return str(found)

    def add(self, site: str, number: int, text: str) -> bool:
        try:
            with writing(self._engine, alone=False) as connection:
                connection.execute(insert(wrappers).values(site=site, version=number, rules=text))
        except IntegrityError:
            return False
        return True

    def place(self, site: str, number: int) -> str:
        return f"the database's wrapper of {site}, version {number}"

    def state(self, site: str) -> dict[str, Any]:
        query = select(site_notes.c.name, site_notes.c.value).where(site_notes.c.site == site)
        with reading(self._engine) as connection:
            return {row.name: row.value for row in connection.execute(query)}

    def note(self, site: str, name: str, value: Any) -> None:
        with writing(self._engine, alone=False) as connection:
            self._put(connection, site_notes, {"site": site, "name": name}, {"value": value})

    def forget(self, site: str) -> bool:
        with writing(self._engine, alone=False) as connection:
            counts = [
                connection.execute(delete(one).where(one.c.site == site)).rowcount for one in (wrappers, site_notes)
            ]
        return any(counts)

    def put_page(self, site: str, name: str, packed: bytes, most: int) -> int:
        mine = sample_pages.c.site == site
        number = select(func.coalesce(func.max(sample_pages.c.number), 0) + 1).where(mine).scalar_subquery()
        newest = select(sample_pages.c.name).where(mine).order_by(*_NEWEST_FIRST).limit(most)
        with writing(self._engine, alone=False) as connection:
            self._put(connection, sample_pages, {"site": site, "name": name}, {"number": number, "page": packed})
            if (count := _count(connection, site)) > most:
                connection.execute(delete(sample_pages).where(mine, sample_pages.c.name.not_in(newest)))
            return min(count, most)

    def count_pages(self, site: str) -> int:
        with reading(self._engine) as connection:
            return _count(connection, site)

    def pages(self, site: str) -> Iterator[bytes]:
        query = select(sample_pages.c.page).where(sample_pages.c.site == site).order_by(*_NEWEST_FIRST)
        with reading(self._engine) as connection:
            yield from connection.execute(query).scalars()

    def forget_pages(self, site: str) -> None:
        with writing(self._engine, alone=False) as connection:
            connection.execute(delete(sample_pages).where(sample_pages.c.site == site))

    def close(self) -> None:
        self._engine.dispose()

    def _put(self, connection: Connection, table: Table, key: dict[str, Any], values: dict[str, Any]) -> None:
        row = insert_into(connection, table).values(**key, **values)
        connection.execute(row.on_conflict_do_update(index_elements=list(key), set_=values))


_NEWEST_FIRST = (sample_pages.c.number.desc(), sample_pages.c.name)


def _count(connection: Connection, site: str) -> int:
    query = select(func.count()).select_from(sample_pages).where(sample_pages.c.site == site)
    return int(connection.execute(query).scalar_one())
