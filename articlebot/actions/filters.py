"""Options that several commands share: which articles of the archive are meant, how many, and what does the work."""

from __future__ import annotations

import argparse

_HELP = {
    "since": "{since} since: 2024-05-01, 2024-05-01T12:00, 36h or 7d",
    "site": "articles of this site, such as example.com",
    "category": "articles of this category",
    "job": "articles of this job",
    "cluster": "articles of this near-duplicate cluster",
    "language": "articles in this language, such as zh",
}
_MOST = 1_000_000_000


def add_filters(parser: argparse.ArgumentParser, *names: str, only: str = "", since: str = "archived") -> None:
    """Declares some of the filters; ``only`` says which action they are for, ``since`` what is to have happened."""
    for name in names:
        text = _HELP[name].format(since=since)
        text = f"{only}: {text}" if only else text
        parser.add_argument(f"--{name}", metavar="WHEN" if name == "since" else None, help=text)


def how_many(text: str) -> int:
    """A number of things, as an option takes it.

    Raises:
        ArgumentTypeError: it is none, or more than any store counts.
    """
    if not (text.isdecimal() and 0 < int(text[:20]) <= _MOST):
        raise argparse.ArgumentTypeError(f"expected a number from 1 to {_MOST:,}, not {text}")
    return int(text)


def add_engine(parser: argparse.ArgumentParser, only: str = "") -> None:
    """Declares what runs work over batches; ``only`` says which action it is for."""
    start = f"{only}: " if only else ""
    parser.add_argument(
        "--engine", metavar="ENGINE", default="local", help=f"{start}local processes, or dask://host:port (%(default)s)"
    )
    parser.add_argument("--processes", type=int, metavar="N", help=f"{start}local processes (one for each core)")
