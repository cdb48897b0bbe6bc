"""A user's terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.front_door.door import Door


@pytest.fixture
def door(tmp_path: Path) -> Door:
    return Door(tmp_path)
