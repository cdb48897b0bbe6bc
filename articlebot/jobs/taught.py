"""A selector in a job's block of its file, as a person would write it there."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from articlebot.errors import ConfigError
from articlebot.jobs.lines import Lines

_TABLE = ("site", 0, "selectors")


def with_selector(block: str, field: str, selector: str, inherited: Mapping[str, Any]) -> str:
    """A block whose ``[site.selectors]`` has a selector of a field; the rest stays as it is written.

    Args:
        block: one ``[[site]]`` block that can be read.
        inherited: the selectors that the job has from its group, if any: a table of its own replaces them.

    Raises:
        ConfigError: the block has its selectors written otherwise than in a table of their own.
    """
    wanted = tomllib.loads(block)
    site = wanted["site"][0]
    before = site.get("selectors")
    site["selectors"] = {**(inherited if before is None else before), field: selector}
    lines, places = block.rstrip().split("\n"), Lines(block)
    said = _said(field, selector)
    if before is None:
        # Remarks at the end may be those of the next job.
        end = next(number for number in range(len(lines), 0, -1) if lines[number - 1].partition("#")[0].strip())
        lines[end:end] = ["", "[site.selectors]", *(_said(key, value) for key, value in site["selectors"].items())]
    elif (at := places.find((*_TABLE, field))) is not None:
        lines[at - 1] = said
    elif (header := places.find(_TABLE)) is not None:
        lines.insert(header, said)
    text = "\n".join(lines) + "\n"
    if _read(text) != wanted:
        raise ConfigError(f"the job's selectors are no table [site.selectors] of their own: write {said} there by hand")
    return text


def _said(key: str, value: Any) -> str:
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _read(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
