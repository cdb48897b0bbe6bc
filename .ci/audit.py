"""Asks whether a pinned dependency has a known vulnerability: fails on one, and says why where nobody can be asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PATIENCE_S = 180
# pip-audit passes over what the service does not know; where it knows next to nothing, it is no advisory service.
LEAST_KNOWN = 0.5


def verdict(report: dict[str, Any]) -> tuple[int, str]:
    """Exit code and line for pip-audit's JSON report."""
    rows = report["dependencies"]
    found = [
        f"{row['name']} {row['version']}: {', '.join(one['id'] for one in row['vulns'])}"
        for row in rows
        if row.get("vulns")
    ]
    if found:
        return 1, "vulnerable: " + "; ".join(found)
    known = sum("skip_reason" not in row for row in rows)
    if known < LEAST_KNOWN * len(rows):
        return 0, f"audit skipped: the registry here has advisories for {known} of {len(rows)} dependencies only"
    return 0, f"audit: no known vulnerability in {known} of {len(rows)} dependencies"


def main() -> int:
    """Runs the audit."""
    command = [
        sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--timeout", "10",
        "--requirement", str(Path(__file__).parents[1] / "constraints.txt"), "--no-deps", "--disable-pip",
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)  # noqa: S603
        code, said = verdict(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        code, said = 0, f"audit skipped: the advisory service did not answer within {PATIENCE_S} s"
    except (ValueError, KeyError, TypeError):
        last = (done.stderr.strip().splitlines() or ["nothing said"])[-1]
        code, said = 0, f"audit skipped: the advisory service cannot be reached ({last[:200]})"
    print(said)  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main())
