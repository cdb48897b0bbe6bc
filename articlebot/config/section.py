"""The base of the sections of the configuration."""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

T = TypeVar("T")


class Section(BaseModel):
    """Base of the sections: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _of_json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError as error:
        raise ValueError(f"expected JSON: {error}") from None


def _listed(value: Any) -> Any:
    """The parts of a text, JSON or separated by commas; anything else as it is."""
    if not isinstance(value, str):
        return value
    return _of_json(value) if value.lstrip().startswith("[") else [part for part in value.split(",") if part.strip()]


FromJson = Annotated[T, BeforeValidator(_of_json)]
"""In the environment a JSON text."""
Listed = Annotated[tuple[T, ...], BeforeValidator(_listed)]
"""In the environment a JSON list, or parts between commas."""
