"""Which archive this is, and how far it has come: by which another one, or an older copy, is told from it."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from sqlalchemy import Engine, insert, select

from articlebot.archive import schema
from articlebot.archive.engine import reading, writing

_NAME = "identity"


class Identity(NamedTuple):
    """The archive's own number, 0 where it has none yet, and how many versions it has ever had."""

    number: int
    versions: int


def identity_of(engine: Engine, *, made: bool = False) -> Identity:
    """The identity of an archive; ``made`` gives it one where it has none.

    Raises:
        StoreUnavailable: the database is away.
    """
    found = _read(engine)
    if made and not found.number:
        with writing(engine) as connection:
            known = select(schema.counters.c.value).where(schema.counters.c.name == _NAME)
            if connection.execute(known).scalar() is None:
                connection.execute(insert(schema.counters).values(name=_NAME, value=secrets.randbits(62) or 1))
        found = _read(engine)
    return found


def _read(engine: Engine) -> Identity:
    query = select(schema.counters.c.name, schema.counters.c.value).where(
        schema.counters.c.name.in_((_NAME, "versions"))
    )
    with reading(engine) as connection:
        values = {row.name: int(row.value) for row in connection.execute(query)}
    return Identity(values.get(_NAME, 0), values.get("versions", 0))
