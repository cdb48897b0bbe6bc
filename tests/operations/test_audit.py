"""What the gate says of dependencies."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from tests.operations.running import ROOT

spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
assert spec is not None
assert spec.loader is not None
audit: Any = importlib.util.module_from_spec(spec)
spec.loader.exec_module(audit)

GOOD: dict[str, Any] = {"name": "a", "version": "1", "vulns": []}
BAD: dict[str, Any] = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1"}]}
UNKNOWN: dict[str, Any] = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("rows", "code", "said"),
    [
        ([GOOD, GOOD, UNKNOWN], 0, "no known vulnerability in 2 of 3"),
        ([GOOD, BAD, UNKNOWN], 1, "vulnerable: b 2: PYSEC-1"),
        ([GOOD, UNKNOWN, UNKNOWN], 0, "skipped: the registry here has advisories for 1 of 3"),
    ],
)
def test_the_verdict(rows: list[dict[str, Any]], code: int, said: str) -> None:
    found, line = audit.verdict({"dependencies": rows})
    assert found == code
    assert said in line


def test_without_network_it_says_why_and_passes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1")
    monkeypatch.setattr(audit, "PATIENCE_S", 60)
    assert audit.main() == 0
    assert capsys.readouterr().out.startswith("audit skipped: ")
