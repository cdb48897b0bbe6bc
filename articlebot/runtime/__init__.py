"""Putting the parts together: the one place where stores, clock and configuration meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from articlebot.runtime.runtime import Runtime

__all__ = ["Runtime"]


def __getattr__(name: str) -> Any:
    # At first use: the root imports every package, and a command that wants only the clock need not wait for that.
    if name == "Runtime":
        from articlebot.runtime.runtime import Runtime  # noqa: PLC0415

        return Runtime
    raise AttributeError(name)
