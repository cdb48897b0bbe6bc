"""What a form sends besides what its reader types."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any


def hidden_fields(inputs: Iterable[Any], most: int) -> list[tuple[str, str]]:
    """Names and values of the hidden fields among the first ``most`` of some ``input`` elements."""
    return [
        (one.get("name"), one.get("value") or "")
        for one in islice(inputs, most)
        if one.get("name") and (one.get("type") or "").lower() == "hidden"
    ]
