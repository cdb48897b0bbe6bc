"""Why a look proposes a page of a site, or leaves it out: each reason that the code gives has its Chinese."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import articlebot
from articlebot.console.view import in_chinese

# Which argument of what is called is a reason.
_PLACES = {"Entry": 2, "_lists_of": 2, "leave_out": 1, "_leave": 1, "list_at": 1, "note": 1}


def _texts(node: ast.AST) -> Iterator[str]:
    """The texts that an expression may be; what is put into one is the path of a page."""
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "/list" for one in values)
        case ast.IfExp(body=first, orelse=second):
            yield from (*_texts(first), *_texts(second))
        case ast.BinOp(left=first, right=second):
            yield from (one + other for one in _texts(first) for other in [*_texts(second)])


def _reasons(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            place = _PLACES.get(getattr(node.func, "id", "") or getattr(node.func, "attr", ""), 99)
            for argument in node.args[place : place + 1]:
                yield from _texts(argument)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "why":
            yield from _texts(node.value)


def test_each_reason_has_its_chinese() -> None:
    package = Path(articlebot.__file__).parent
    sources = [*package.glob("looks/*.py"), package / "seeds" / "jobblock.py"]
    told = {reason for source in sources for reason in _reasons(source.read_text(encoding="utf-8"))}
    # News sitemaps: behind what names them.
    told = {"declared, news" if reason == "/list, news" else reason for reason in told}
    assert len(told) > 25
    assert [reason for reason in sorted(told) if in_chinese(reason) is None] == []
