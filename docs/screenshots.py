"""Takes the pictures of the console in ``docs/img``: ``python docs/screenshots.py``; needs Chromium and Pillow.

A crawl of the newsroom fills a new data folder. What takes weeks to come about is made up beside it: four weeks
of rounds of one job, out of which ``scrapy jobs windows`` learns its windows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from PIL import Image
from playwright.sync_api import sync_playwright

from articlebot.archive import Archive
from articlebot.jobs.history import FolderRounds, RoundRecord
from articlebot.runtime import clock

IMAGES = Path(__file__).resolve().parent / "img"
WIDE, PHONE = {"width": 1100, "height": 760}, {"width": 360, "height": 760}
_MOST = 1400  # pixels of height; a page of results goes on for long
ZONE = ZoneInfo("Asia/Shanghai")


def main() -> None:
    """Crawls, makes up the rounds, serves, takes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120, help="how long the newsroom publishes")
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "newsroom"
        _scrapy(Path(name), "run", "--seconds", str(seconds))
        job = re.findall(r'^name = "(.+)"', (folder / "jobs.toml").read_text("utf-8"), re.M)[0]
        _make_up_rounds(folder, job)
        _scrapy(folder, "jobs", "windows", str(folder / "jobs.toml"))
        edited = _edited(folder)
        pages = {
            "console-overview": ("/", WIDE, "en-GB"),
            "console-job": (f"/jobs/{job}", WIDE, "en-GB"),
            "console-sites": ("/sites", WIDE, "en-GB"),
            "console-article": (f"/articles/{edited['page_key']}", WIDE, "en-GB"),
            "console-search": ("/articles?q=council+OR+协会", WIDE, "en-GB"),
            "console-url": (f"/url?url={quote(edited['url'])}", WIDE, "en-GB"),
            "console-phone": ("/", PHONE, "zh-CN"),
        }
        _take(folder, pages)


def _scrapy(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "scrapy", *arguments]
    subprocess.run(command, env=_environment(folder), check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - own command


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "ARTICLEBOT_DATA_DIR": str(folder),
        "ARTICLEBOT_PUBLISHING_SINKS": json.dumps({"jsonlines": {"type": "jsonlines"}}),
    }


def _make_up_rounds(folder: Path, job: str) -> None:
    """Every quarter of an hour over four weeks: much in the day's two rushes, little at night and on Sundays."""
    history, rng, now = FolderRounds(folder / "history", "made-up"), random.Random(5), clock.now()
    for step in range(28 * 96, 8, -1):
        at = now - step * 900
        local = datetime.fromtimestamp(at, ZONE)
        rush = 0.95 if local.hour in (8, 9, 10, 15, 16, 17) else 0.55 if 7 <= local.hour < 20 else 0.0
        share = rush * (0.4 if local.weekday() == 6 else 1.0)
        if rush or rng.random() < 0.1:
            history.write(RoundRecord(job, at, new_items=sum(rng.random() < share for _ in range(3))))
    history.close()


def _edited(folder: Path) -> dict[str, Any]:
    """The row of an English article with an edit, in a cluster where there is one."""
    with Archive(f"sqlite:///{folder / 'archive.db'}") as archive:
        rows = [row for row in archive.articles() if row["version"] > 1 and row["withdrawn_at"] is None]
    if not rows:
        raise SystemExit("no article was edited while the crawl ran: give it more --seconds")
    rows.sort(key=lambda row: (row["language"] != "en", row["cluster_role"] == "single", row["page_key"]))
    return rows[0]


def _shrink(path: Path) -> None:
    with Image.open(path) as picture:
        shown = picture.crop((0, 0, picture.width, min(picture.height, _MOST)))
        small = shown.convert("RGB").quantize(48)
    small.save(path, optimize=True)


def _take(folder: Path, pages: dict[str, tuple[str, Any, str]]) -> None:
    command = [sys.executable, "-m", "scrapy", "console", "--port", "0", "--jobs", str(folder / "jobs.toml")]
    with subprocess.Popen(command, env=_environment(folder), stdout=subprocess.PIPE, text=True) as console:  # noqa: S603
        assert console.stdout is not None
        link = console.stdout.readline().strip()
        try:
            with sync_playwright() as playwright:
                chromium = next(
                    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
                )
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                for name, (path, size, locale) in pages.items():
                    context = browser.new_context(viewport=size, locale=locale, color_scheme="light")
                    page = context.new_page()
                    page.goto(link)
                    page.goto(link.partition("/?")[0] + path)
                    page.screenshot(path=IMAGES / f"{name}.png", full_page=size is WIDE)
                    _shrink(IMAGES / f"{name}.png")
                    context.close()
        finally:
            console.terminate()


if __name__ == "__main__":
    main()
