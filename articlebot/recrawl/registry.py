"""Policies by name or class path."""

from __future__ import annotations

import importlib
from typing import cast

from articlebot.errors import ConfigError
from articlebot.recrawl.visit import Policy

_POLICIES = "articlebot.recrawl.policies"
NAMES = {
    **dict.fromkeys(("default", "gain"), f"{_POLICIES}.gain.Gain"),
    **{name.lower(): f"{_POLICIES}.designs.{name}" for name in ("Ratio", "Additive", "Similarity", "Nutch", "Uniform")},
    "ratio_unbounded": f"{_POLICIES}.designs.Unbounded",
}


def policy(name: str) -> Policy:
    """The policy of a name (one of ``NAMES``) or of a class path such as ``mypackage.recrawl.Mine``.

    Raises:
        ConfigError: no such name, module or class, or it has no ``next_state``.
    """
    path = NAMES.get(name, name)
    module_name, _, class_name = path.rpartition(".")
    if not module_name:
        raise ConfigError(f"no recrawl policy {name!r}: use one of {', '.join(sorted(NAMES))}, or a class path")
    try:
        found = getattr(importlib.import_module(module_name), class_name)()
    except (ImportError, AttributeError, TypeError) as error:
        raise ConfigError(f"recrawl policy {name!r} cannot be loaded: {error}") from error
    if not callable(getattr(found, "next_state", None)):
        raise ConfigError(f"recrawl policy {name!r} has no next_state(state, observation, params, now, rng)")
    return cast(Policy, found)
