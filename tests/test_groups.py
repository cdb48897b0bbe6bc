"""Tests of a group run in one process, so that what they share is made once."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.xdist_group("groups")


def test_a_test_has_the_name_of_its_group(request: pytest.FixtureRequest) -> None:
    assert not getattr(request.config.option, "loadgroup", False) or request.node.nodeid.endswith("@groups")
