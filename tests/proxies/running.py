"""articlebot's commands and spiders as processes of their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.hurried import scrapy_with

ROOT = Path(__file__).resolve().parents[2]


def scrapy(
    folder: Path, *arguments: str, seconds: float = 500, constants: Mapping[str, Any] | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """A command with its data in ``folder``; loopback is allowed, the environment's proxies are not used."""
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    environment |= {
        "ARTICLEBOT_DATA_DIR": str(folder),
        "ARTICLEBOT_ALLOW_PRIVATE": "1",
        "ARTICLEBOT_PROXIES_ALLOW_PRIVATE": "1",
        **variables,
    }
    command = [*scrapy_with(constants), *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True, timeout=seconds
    )
