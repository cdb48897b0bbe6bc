"""What is read wrong is corrected by pointing at the right place in a browser; the next reading has the right value."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Page, SmallSite, article, front
from tests.front_door.test_console import Api, console

playwright = pytest.importorskip("playwright.sync_api", reason="no browser tests: playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")
# A busy machine takes more than the five seconds that are waited for what is expected.
PATIENCE_MS = 300_000
playwright.expect.set_options(timeout=PATIENCE_MS)

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


@contextmanager
def _crawled(door: Door, pages: dict[str, Page]) -> Iterator[tuple[SmallSite, Api, Any]]:
    """The pages while they are crawled, the console's API, and a browser's page where somebody has let himself in."""
    (door.folder / "jobs").mkdir()
    with SmallSite(pages) as site, console(door, "edit") as api, playwright.sync_playwright() as running:
        api("POST", "/jobs", {"site": f"{site.url}/", "name": "town"})
        crawl = door.begin("crawl", "article", "-a", f"jobs={door.folder / 'jobs'}", "-a", "until=forever")
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE_MS)
        try:
            wait_for(lambda: len(api("GET", "/articles")[1]["articles"]) == len(TITLES))
            page = browser.new_page(base_url=api.url, locale="en-GB")
            page.set_default_timeout(PATIENCE_MS)
            page.goto(f"/?token={api.token}")
            yield site, api, page
        finally:
            browser.close()
            crawl.send_signal(signal.SIGINT)
            crawl.communicate(timeout=300)


def _visited(api: Api, urls: list[str]) -> None:
    """Asks for pages to be visited, as often as a person would."""
    api("POST", "/visit", {"urls": urls})
    time.sleep(1)


def test_a_title_is_corrected_by_pointing_while_a_crawl_runs(door: Door) -> None:
    with _crawled(door, _site()) as (site, api, page):
        assert _titles(api) == {"Harbour news"}
        (found, *_) = api("GET", "/articles")[1]["articles"]
        _point(page, found["page_key"])
        path = door.folder / "jobs" / "town.toml"
        assert 'title = "div.story-title"' in path.read_text()
        visits = [f"{site.url}{path}" for path in TITLES]

        def corrected() -> bool:
            _visited(api, visits)  # the job's new selector is taken within seconds
            return _titles(api) == set(TITLES.values())

        wait_for(corrected)
        page.goto("/changes")
        page.get_by_role("button", name="Undo").first.click()
        assert "selectors" not in path.read_text()


LATE = "/2026/11/20/late.html"


def _signed(title: str) -> str:
    """A page that names who moved it and the day it was moved to another system."""
    box = "<p class='line-b'><i class='who'>Mara Lind 18 Nov 2026</i> <i class='when'>18 November 2026, 08:15</i></p>"
    named = article(title, head='<meta name="author" content="Hanna Berg">', date="2026-11-21T00:00:00+00:00")
    return named.replace("</h1>", f"</h1>{box}")


def test_author_and_date_of_the_next_article_are_those_that_were_pointed_at(door: Door) -> None:
    pages: dict[str, Page] = {"/": front(TITLES), **{path: _signed(title) for path, title in TITLES.items()}}
    with _crawled(door, pages) as (site, api, page):
        (found, *_) = api("GET", "/articles")[1]["articles"]
        before = api("GET", f"/articles/{found['page_key']}")[1]
        assert (before["authors"], before["published_at"][:10]) == (["Hanna Berg"], "2026-11-21")
        for field, text in (("author", "Mara Lind"), ("date", "18 November 2026")):
            page.goto(f"/articles/{found['page_key']}")
            page.get_by_role("link", name="Correct what was read").click()
            _stored(page).get_by_text(text).first.click()
            page.get_by_label(field).check()
            page.get_by_role("button", name="Try it").click()
            page.get_by_role("button", name="Keep").click()
            page.wait_for_url("**/jobs/town")

        def late() -> list[Any]:
            """The articles that came after the correction was taken, which takes a running crawl seconds."""
            number = len(pages)
            title = f"Late report number {number} of the boats"
            pages[LATE.replace("late", f"late-{number}")] = _signed(title)
            _visited(api, [f"{site.url}{path}" for path in pages if "late" in path])
            rows = [one for one in api("GET", "/articles?q=late")[1]["articles"] if "late" in one["url"]]
            return [api("GET", f"/articles/{one['page_key']}")[1] for one in rows]

        def corrected() -> bool:
            return any((one["authors"], one["published_at"][:10]) == (["Mara Lind"], "2026-11-18") for one in late())

        wait_for(corrected)


def _stored(page: Any) -> Any:
    """The stored page, once it takes clicks: it is scrolled before, and a click on its way meets another box."""
    shown = page.frame_locator("#page")
    shown.locator("body[data-ready]").wait_for()
    return shown


def _point(page: Any, key: str) -> None:
    page.goto(f"/articles/{key}")
    page.get_by_role("link", name="Correct what was read").click()
    stored = _stored(page)
    # What stands on every page is refused.
    stored.get_by_text("Harbour news", exact=True).click()
    page.get_by_role("button", name="Try it").click()
    playwright.expect(page.get_by_text("it is the site's, no article's")).to_be_visible()
    assert page.get_by_role("button", name="Keep").count() == 0
    _stored(page).get_by_text("leaves the old quay", exact=False).first.click()
    page.get_by_role("button", name="Try it").click()
    playwright.expect(page.get_by_text(f"found on {len(TITLES)} of {len(TITLES)} stored pages")).to_be_visible()
    playwright.expect(page.locator("td", has_text="Harbour news")).to_have_count(len(TITLES))
    page.get_by_role("button", name="Keep").click()
    page.wait_for_url("**/jobs/town")
