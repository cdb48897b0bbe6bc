from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOOD = '[[site]]\nname = "daily"\nlist_pages = "https://daily.example/"\ninterval = "10m"\n'


def scrapy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ARTICLEBOT_DATA_DIR": str(folder / "data")}
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_check_names_file_line_and_key(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text(GOOD)
    bad.write_text(GOOD.replace('"10m"', "0"))
    done = scrapy(tmp_path, "jobs", "check", str(good), str(bad))
    assert done.returncode == 1
    assert f"{good}: 1 jobs, no fault" in done.stdout
    assert f"{bad}:4: site[0].interval" in done.stdout
    (tmp_path / "worse.toml").write_text(GOOD.replace("daily", "other") + 'list_page = "http://a.test/"\n')
    (tmp_path / "two.toml").write_text(GOOD.replace('"daily"', '"two"').replace("https", "http") + GOOD)
    done = scrapy(tmp_path, "jobs", "check", str(tmp_path), str(tmp_path / "two.toml"))
    assert done.returncode == 1
    assert f"{bad}:4: site[0].interval" in done.stdout
    assert "worse.toml:5: site[0].list_page: unknown key; did you mean list_pages?" in done.stdout
    assert "//daily.example/ is an entry page of the jobs daily and two: only one" in done.stdout


def test_check_names_a_site_that_two_jobs_have(tmp_path: Path) -> None:
    sites = {"one": "https://bücher.example/", "two": "http://xn--bcher-kva.example"}
    both = "".join(f'[[site]]\nname = "{name}"\nsite = "{url}"\n' for name, url in sites.items())
    (tmp_path / "both.toml").write_text(both, encoding="utf-8")
    done = scrapy(tmp_path, "jobs", "check", str(tmp_path / "both.toml"))
    assert done.returncode == 1
    assert "//xn--bcher-kva.example/ is an entry page of the jobs one and two: only one" in done.stdout


def test_list_says_when_jobs_are_due(tmp_path: Path) -> None:
    path = tmp_path / "jobs.toml"
    path.write_text(GOOD)
    done = scrapy(tmp_path, "jobs", "list", str(path), "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["name"], row["entry_pages"], row["next_due"]) == ("daily", 1, "now")


def test_wrong_use_is_refused(tmp_path: Path) -> None:
    assert scrapy(tmp_path, "jobs").returncode == 2
    assert scrapy(tmp_path, "jobs", "list", str(tmp_path / "absent.toml")).returncode == 2
    done = scrapy(tmp_path, "crawl", "article", "-a", f"jobs={tmp_path / 'absent.toml'}")
    assert done.returncode == 2
    assert "cannot be read" in done.stderr
    assert scrapy(tmp_path, "run", "--jobs", str(tmp_path / "absent.toml")).returncode == 2
