"""The formats of ``scrapy export``: each takes the archive's rows one after the other, whatever their number."""

from __future__ import annotations

import csv
import json
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from io import StringIO
from itertools import chain, islice
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions.output import printable
from articlebot.errors import ConfigError
from articlebot.files import draft_of
from articlebot.items import Article, Image
from articlebot.text import fold
from articlebot.times import iso

Row = Mapping[str, Any]
COLUMNS = tuple(one.name for one in fields(Article))
# Rows of a Parquet row group: some ten megabytes of text, which readers take at once.
_GROUP = 5000
_SLUG_CHARS = 60
_STATED = ("url", "published_at", "author", "site", "language", "category", "keywords", "version", "archived_at")
_MARKS = re.compile(r"([\\`*_\[\]<>])")
_LINE_MARKS = re.compile(r"^(\s*(?:\d+(?=[.)]))?)([#+\-=|~.)])")


def _table_lines(rows: Iterable[Row]) -> Iterator[str]:
    """A line for each: published, version, site, title."""
    for row in rows:
        published = (row["published_at"] or "-")[:16]
        yield f"{published:16}  {row['version']:3}  {row['site']:24}  {printable(row['title'][:70])}\n"


def json_lines(rows: Iterable[Row]) -> Iterator[str]:
    """A JSON object on each line."""
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def csv_lines(rows: Iterable[Row]) -> Iterator[str]:
    """A heading and a line for each (RFC 4180); what is nested stands as JSON."""
    line = StringIO(newline="")
    for cells in chain([COLUMNS], ([_cell(row[name]) for name in COLUMNS] for row in rows)):
        csv.writer(line).writerow(cells)
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _markdown_lines(rows: Iterable[Row]) -> Iterator[str]:
    """One document after the other, each with its fields in front."""
    return (_markdown(row) + "\n" for row in rows)


def into_folder(rows: Iterable[Row], folder: Path) -> None:
    """A Markdown file for each article: its day, title and page key make the name."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        name = "-".join(filter(None, [(row["published_at"] or "")[:10], _slug(row["title"]), row["page_key"]]))
        version = f"-v{row['version']}" if row["version"] > 1 else ""
        (folder / f"{name}{version}.md").write_text(_markdown(row), encoding="utf-8")


def into_parquet(rows: Iterable[Row], path: Path) -> None:
    """A Parquet file with a column for each field, compressed with Zstandard.

    Raises:
        ConfigError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ModuleNotFoundError:
        raise ConfigError("--format parquet needs pyarrow: pip install '.[parquet]' in the source tree") from None
    hints = typing.get_type_hints(Article)
    schema = pa.schema([(name, _arrow(pa, hints[name])) for name in COLUMNS])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        left = iter(rows)
        while group := list(islice(left, _GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))


TEXT: dict[str, Callable[[Iterable[Row]], Iterator[str]]] = {
    "table": _table_lines, "jsonl": json_lines, "csv": csv_lines, "markdown": _markdown_lines
}  # fmt: skip
FILES: dict[str, Callable[[Iterable[Row], Path], None]] = {"parquet": into_parquet}


def write(rows: Iterable[Row], form: str, out: str | None) -> None:
    """Writes rows to a file, or to standard output where none is named; a file is there whole or not at all.

    Raises:
        UsageError: the file cannot be written, or the format needs one.
    """
    if out is None or out == "-":
        if form in FILES:
            raise UsageError(f"--format {form} is not for a terminal: name a file with --out FILE", print_help=False)
        sys.stdout.writelines(TEXT[form](rows))
        return
    path = Path(out)
    try:
        if form == "markdown" and (path.is_dir() or not path.suffix):
            into_folder(rows, path)
            return
        with draft_of(path) as draft:
            if form in FILES:
                FILES[form](rows, draft)
            else:
                with draft.open("w", encoding="utf-8", newline="" if form == "csv" else None) as file:
                    file.writelines(TEXT[form](rows))
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}", print_help=False) from None


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | tuple) else value


def _markdown(row: Row) -> str:
    # JSON is YAML, so that any title may stand in the front matter.
    row = {**row, "archived_at": iso(row["archived_at"])}
    stated = {"title": row["title"], **{name: row[name] for name in _STATED if row[name] not in (None, "", [])}}
    front = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in stated.items())
    body = "\n\n".join(_escaped(line) for line in row["body"].split("\n") if line.strip())
    return f"---\n{front}\n---\n\n# {_escaped(row['title'])}\n\n{body}\n"


def _escaped(line: str) -> str:
    return _LINE_MARKS.sub(r"\1\\\2", _MARKS.sub(r"\\\1", line))


def _slug(title: str) -> str:
    return "-".join(re.findall(r"\w+", fold(title)))[:_SLUG_CHARS].strip("-")


def _arrow(pa: Any, hint: Any) -> Any:
    """The Arrow type of a field's annotation."""
    plain = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    if hint in plain:
        return plain[hint]
    origin, given = typing.get_origin(hint), typing.get_args(hint)
    if origin is dict:
        return pa.map_(_arrow(pa, given[0]), _arrow(pa, given[1]))
    if origin is tuple:
        if typing.get_origin(given[0]) is dict:  # images
            kinds = typing.get_type_hints(Image)
            return pa.list_(pa.struct([(one.name, _arrow(pa, kinds[one.name])) for one in fields(Image)]))
        return pa.list_(_arrow(pa, given[0]))
    if origin is typing.Literal:
        return pa.string()
    return _arrow(pa, next(one for one in given if one is not type(None)))  # a type or None
