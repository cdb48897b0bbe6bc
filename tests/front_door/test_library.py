"""What a script or a notebook imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.front_door.door import ROOT


def _python(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


def test_the_page_s_examples_run_outside_of_the_project(tmp_path: Path) -> None:
    done = _python("-m", "doctest", str(ROOT / "docs" / "how-to" / "library.md"), folder=tmp_path)
    assert done.returncode == 0, done.stdout


def test_importing_it_loads_nothing_else(tmp_path: Path) -> None:
    asked = "import sys, articlebot; print({'scrapy', 'numpy', 'lxml', 'pydantic'} & set(sys.modules), dir(articlebot))"
    done = _python("-c", asked, folder=tmp_path)
    assert done.stdout.startswith("set() "), done.stdout + done.stderr
