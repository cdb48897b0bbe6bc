"""Articles as the console shows them: cleaned HTML, what changed, who says the same."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import nh3
from markupsafe import Markup
from sqlalchemy import Engine, select

from articlebot.archive import Archive, Edit, Selection, schema
from articlebot.archive.engine import reading
from articlebot.archive.record import signed, unpack_html

# No image, no style, no form: nothing that is loaded, and nothing that could pass for a part of the console.
_TAGS = frozenset(
    "p br h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code em strong b i u s sub sup a table thead tbody tfoot "
    "tr th td caption figure figcaption hr".split()
)
_CLUSTER = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One version of an article.

    Attributes:
        row: exported row of the version.
        edit: the version against the one before.
        versions: exported rows of all versions, oldest first.
        html: the text with its structure, made safe; only of the newest version, empty where it is not kept.
        cluster: rows of the other articles that say the same.
    """

    row: dict[str, Any]
    edit: Edit
    versions: list[dict[str, Any]]
    html: Markup
    cluster: list[dict[str, Any]]


def read(archive: Archive, page_key: int, version: int | None) -> Reading | None:
    """A version of an article, the newest for None; None where the archive does not have it.

    Raises:
        StoreUnavailable: the database is away.
    """
    rows = list(archive.articles(Selection(page_key=page_key), versions=True))
    numbers = [row["version"] for row in rows]
    if not rows or (version is not None and version not in numbers):
        return None
    place = numbers.index(version) if version is not None else len(rows) - 1
    row = rows[place]
    return Reading(
        row=row,
        edit=Edit.between(rows[place - 1] if place else None, row),
        versions=rows,
        html=_html(archive.engine, page_key) if place == len(rows) - 1 else Markup(""),
        cluster=_cluster(archive, rows[-1]),
    )


def clean(html: str) -> Markup:
    """HTML of a page with nothing in it that runs, loads or looks like something else."""
    attributes = {"a": {"href"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
    safe = nh3.clean(
        html, tags=set(_TAGS), attributes=attributes, url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
    )  # fmt: skip
    return Markup(safe)  # noqa: S704 - sanitised in the line before


def _html(engine: Engine, page_key: int) -> Markup:
    articles, texts = schema.articles.c, schema.texts.c
    query = (
        select(texts.html)
        .join_from(schema.articles, schema.texts, texts.id == articles.text_id)
        .where(articles.page_key == signed(page_key))
    )
    with reading(engine) as connection:
        return clean(unpack_html(connection.execute(query).scalar()))


def _cluster(archive: Archive, row: dict[str, Any]) -> list[dict[str, Any]]:
    if not row["cluster"] or row["cluster_role"] == "single":
        return []
    found = islice(archive.articles(Selection(cluster=row["cluster"])), _CLUSTER)
    return [one for one in found if one["page_key"] != row["page_key"]]
