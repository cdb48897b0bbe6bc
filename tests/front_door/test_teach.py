"""A title that is read wrong is corrected by pointing at the right one in a browser; the next visit archives it."""

from __future__ import annotations

import shutil
import signal
from typing import Any

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Page, SmallSite, article, front
from tests.front_door.test_console import Api, console

playwright = pytest.importorskip("playwright.sync_api", reason="no browser tests: playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")

TITLES = {f"/2026/11/20/item-{n}.html": f"Ferry number {n} leaves the old quay" for n in range(4)}


def _town(title: str) -> str:
    """A page whose heading and head name its section alone."""
    box = f"<h1 class='section'>Harbour news</h1><div class='story-title'>{title}</div>"
    named = article(title).replace(f"<title>{title}<", "<title>Harbour news<")
    return named.replace(f"<h1>{title}</h1>", box)


def _site() -> dict[str, Page]:
    return {"/": front(TITLES), **{path: _town(title) for path, title in TITLES.items()}}


def _titles(api: Api) -> set[str]:
    return {one["title"] for one in api("GET", "/articles")[1]["articles"]}


@pytest.mark.timeout(900)
def test_a_title_is_corrected_by_pointing_while_a_crawl_runs(door: Door) -> None:
    (door.folder / "jobs").mkdir()
    with SmallSite(_site()) as site, console(door, "edit") as api, playwright.sync_playwright() as running:
        api("POST", "/jobs", {"site": f"{site.url}/", "name": "town"})
        crawl = door.begin("crawl", "article", "-a", f"jobs={door.folder / 'jobs'}", "-a", "until=forever")
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            wait_for(lambda: len(api("GET", "/articles")[1]["articles"]) == len(TITLES))
            assert _titles(api) == {"Harbour news"}
            (found, *_) = api("GET", "/articles")[1]["articles"]
            page = browser.new_page(base_url=api.url, locale="en-GB")
            page.goto(f"/?token={api.token}")
            _point(page, found["page_key"])
            assert 'title = "div.story-title"' in (door.folder / "jobs" / "town.toml").read_text()
            visits = {"urls": [f"{site.url}{path}" for path in TITLES]}

            def corrected() -> bool:
                api("POST", "/visit", visits)  # the job's new selector is taken within seconds
                return _titles(api) == set(TITLES.values())

            wait_for(corrected)
            page.goto("/changes")
            page.get_by_role("button", name="Undo").first.click()
            assert "selectors" not in (door.folder / "jobs" / "town.toml").read_text()
        finally:
            browser.close()
            crawl.send_signal(signal.SIGINT)
            crawl.communicate(timeout=300)


def _point(page: Any, key: str) -> None:
    page.goto(f"/articles/{key}")
    page.get_by_role("link", name="Correct what was read").click()
    stored = page.frame_locator("#page")
    # What stands on every page is refused.
    stored.get_by_text("Harbour news", exact=True).click()
    page.get_by_role("button", name="Try it").click()
    playwright.expect(page.get_by_text("it is the site's, no article's")).to_be_visible()
    assert page.get_by_role("button", name="Keep").count() == 0
    stored.get_by_text("leaves the old quay", exact=False).first.click()
    page.get_by_role("button", name="Try it").click()
    playwright.expect(page.get_by_text(f"found on {len(TITLES)} of {len(TITLES)} stored pages")).to_be_visible()
    playwright.expect(page.locator("td", has_text="Harbour news")).to_have_count(len(TITLES))
    page.get_by_role("button", name="Keep").click()
    page.wait_for_url("**/jobs/town")
