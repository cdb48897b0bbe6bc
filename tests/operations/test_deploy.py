"""The files in deploy/ are such as their readers take."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from articlebot.config import setting_names
from articlebot.extensions.metrics import of_stats
from articlebot.spiders.article import ArticleSpider

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


def _instructions() -> list[tuple[str, str]]:
    """Instruction and argument of each line of the Dockerfile, continued lines joined."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    rows = (line.split(None, 1) for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [(name.upper(), argument) for name, argument in rows]


def test_the_image_is_built_from_what_there_is_and_runs_as_nobody() -> None:
    rows = _instructions()
    names = [name for name, _ in rows]
    assert names[0] == "FROM"
    assert set(names) <= {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "VOLUME", "STOPSIGNAL", "ENTRYPOINT", "CMD"}
    for name, argument in rows:
        if name == "COPY":
            for source in argument.split()[:-1]:
                assert (DEPLOY.parent / source).exists(), source
        elif name == "ENV":
            known = {setting for _, _, setting in setting_names()} | {"PYTHONUNBUFFERED"}
            assert {part.partition("=")[0] for part in argument.split()} <= known
        elif name == "FROM":
            assert ":" in argument, "an image without a version is another one tomorrow"
    assert dict(rows)["USER"] not in ("root", "0")
    assert names.index("USER") > max(place for place, name in enumerate(names) if name in ("RUN", "COPY"))
    command = [*json.loads(dict(rows)["ENTRYPOINT"]), *json.loads(dict(rows)["CMD"])]
    assert command[:3] == ["articlebot", "crawl", "article"]
    # What the command says is what the spider takes, and the signal ends it in order.
    ArticleSpider.check_arguments(url="http://a.test/", until=command[-1].partition("=")[2])
    assert dict(rows)["STOPSIGNAL"] == "SIGINT"


def test_compose_waits_for_stores_that_say_how_they_are() -> None:
    file = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())
    services = file["services"]
    for name, service in services.items():
        for other, how in service.get("depends_on", {}).items():
            assert how["condition"] != "service_healthy" or "healthcheck" in services[other], (name, other)
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            local = source.startswith(".")
            assert any((DEPLOY / "compose" / source).iterdir()) if local else source in file["volumes"], volume
        if "build" in service:
            context = (DEPLOY / "compose" / service["build"]["context"]).resolve()
            assert (context / service["build"]["dockerfile"]).is_file()
        else:
            assert ":" in service["image"]
    hosts = re.findall(r"(?:@|//)(\w+)[:/]", " ".join(map(str, services["worker"]["environment"].values())))
    assert set(hosts) - {"articlebot"} <= services.keys()


def test_every_command_of_the_files_is_one(tmp_path: Path) -> None:
    texts = " ".join(path.read_text() for path in DEPLOY.rglob("*") if path.is_file() and path.suffix != ".json")
    written = re.sub(r"[\[\]\",;\\]|ENTRYPOINT|CMD|command:|args:", " ", texts)
    known = r"(crawl article|archive retention|console)((?: -{1,2}[a-z]+)*)"
    typed = {(name, *options.split()) for name, options in re.findall(known, re.sub(" +", " ", written))}
    assert {name for name, *_ in typed} == {"crawl article", "archive retention", "console"}
    for name, *options in typed:
        done = subprocess.run(
            [sys.executable, "-m", "articlebot", *name.split(), "--help"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert all(option in done.stdout for option in options), (name, options)


def test_logrotate_takes_the_file() -> None:
    if (program := shutil.which("logrotate", path="/usr/sbin:/usr/bin")) is None:
        pytest.skip("logrotate is not installed")
    file = DEPLOY / "logrotate" / "articlebot"
    said = subprocess.run([program, "--debug", str(file)], capture_output=True, text=True, check=False)
    assert (said.returncode, "error" in said.stderr) == (0, False), said.stderr


@pytest.mark.skipif(shutil.which("docker") is None, reason="docker is not installed")
def test_docker_compose_takes_the_file() -> None:
    command = ["docker", "compose", "-f", str(DEPLOY / "compose" / "compose.yaml"), "config", "-q"]
    done = subprocess.run(
        command,
        env={**os.environ, "POSTGRES_PASSWORD": "x", "CONSOLE_TOKEN": "x"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "is not a docker command" in done.stderr or "unknown" in done.stderr:
        pytest.skip("docker has no compose here")
    assert done.returncode == 0, done.stderr
