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


def test_a_notebook_completes_its_names_and_groups_texts(tmp_path: Path) -> None:
    # In a notebook each cell runs inside a loop of asyncio.
    cell = (
        "import asyncio, articlebot\n"
        "print('near_duplicates' in dir(articlebot), 'Simhash' in dir(articlebot))\n"
        "text = 'The bridge over the river opened again on Monday, and buses use it from Tuesday on. ' * 5\n"
        "async def cell():\n"
        "    print(articlebot.near_duplicates([text, text + 'Again.']))\n"
        "asyncio.run(cell())"
    )
    done = _python("-c", cell, folder=tmp_path)
    assert done.stdout.splitlines() == ["True True", "[[0, 1]]"], done.stderr
