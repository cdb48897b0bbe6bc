"""Putting the parts together: the one place where stores, clock and configuration meet."""

from articlebot.runtime.runtime import Runtime

__all__ = ["Runtime"]
