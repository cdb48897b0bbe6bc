"""Commands with other constants than the product's, for tests that cannot wait: ``scrapy_with``.

``python -m tests.hurried CONSTANTS scrapy …`` sets what the JSON object names as ``module:name`` or
``module:class.name``, and becomes the command. Settings are for what operators turn; a test turns these.
"""

from __future__ import annotations

import importlib
import json
import runpy
import sys
from collections.abc import Mapping
from operator import attrgetter
from typing import Any


def scrapy_with(constants: Mapping[str, Any] | None) -> list[str]:
    """How a command begins that runs with these constants."""
    if not constants:
        return [sys.executable, "-m", "scrapy"]
    return [sys.executable, "-m", "tests.hurried", json.dumps(constants), "scrapy"]


def set_constants(constants: Mapping[str, Any]) -> None:
    """Gives constants of the product other values of their types, in this process."""
    for place, value in constants.items():
        module, _, path = place.partition(":")
        owner, _, name = path.rpartition(".")
        found = importlib.import_module(module)
        target = attrgetter(owner)(found) if owner else found
        assert isinstance(value, type(getattr(target, name)) | int), place
        setattr(target, name, value)


if __name__ == "__main__":
    set_constants(json.loads(sys.argv[1]))
    del sys.argv[1:3]
    runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
