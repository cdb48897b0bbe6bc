"""The tutorial, followed to the letter."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.operations.running import ROOT


def test_the_tutorial_runs(tmp_path: Path) -> None:
    tutorial = (ROOT / "docs" / "tutorial" / "first-crawl.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?ms)^```sh\n(.*?)^```$", tutorial)
    script = "set -eu -o pipefail\n" + "\n".join(blocks)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ARTICLEBOT_", "REDIS_URL"))}
    environment = {
        **kept, "TMPDIR": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-mc", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "articlebot: article done (finished)" in done.stderr
    assert "Published: " in done.stdout
