"""The base of the sections of the configuration."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Base of the sections: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def listed(value: Any) -> Any:
    """The parts of a text, JSON or separated by commas; anything else as it is."""
    if not isinstance(value, str):
        return value
    return json.loads(value) if value.lstrip().startswith("[") else [part for part in value.split(",") if part.strip()]
