"""The files in deploy/ are such as their readers take."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from articlebot.config import setting_names
from articlebot.extensions.metrics import of_stats

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for unit in (DEPLOY / "systemd").iterdir():
        # The program is not installed here, and systemd looks whether it is.
        text = re.sub(r"(?m)^ExecStart=\S+", f"ExecStart={shutil.which('true')}", unit.read_text())
        (tmp_path / unit.name).write_text(text)
    said = subprocess.run(
        ["systemd-analyze", "verify", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.returncode, said.stderr) == (0, ""), said.stderr


@pytest.mark.parametrize("path", sorted(DEPLOY.rglob("*.yaml")), ids=lambda path: path.name)
def test_yaml_is_yaml_and_settings_are_settings(path: Path) -> None:
    assert all(yaml.safe_load_all(path.read_text()))
    known = {name for _, _, name in setting_names()}
    assert set(re.findall(r"\bARTICLEBOT_[A-Z_]+\b", path.read_text())) <= known


def test_the_dashboard_asks_for_what_there_is() -> None:
    dashboard = json.loads((DEPLOY / "grafana" / "articlebot.json").read_text())
    asked = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    source = (DEPLOY.parent / "articlebot" / "extensions" / "metrics.py").read_text()
    components = ("publish", "page", "recrawl", "outbox")
    made = {name for name, _, _ in of_stats({f"articlebot/{component}/x": 1 for component in components})}
    for name in re.findall(r"\b(?:articlebot|scrapy|process)_[a-z_]+", asked):
        assert name in made or name.removesuffix("_bucket") in source, name
