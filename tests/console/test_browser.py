"""The console in a real Chromium: no script error, live figures, search, diff, judging, keyboard, phone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.console.conftest import Client
from tests.console.test_pages import BRIDGE, PAGES
from tests.console.test_teach import FRAME, TEACH

playwright = pytest.importorskip("playwright.sync_api", reason="no browser tests: playwright is not installed")
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH"),
    pytest.mark.xdist_group("browser"),  # of one process: a Chromium takes seconds to start
]
# A busy machine takes more than the five seconds that are waited for what is expected.
PATIENCE_MS = 300_000
playwright.expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE_MS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any, server: Client) -> Iterator[Any]:
    """A page of somebody who opened the link; fails on script errors, refused resources and requests elsewhere."""
    context = browser.new_context(base_url=f"http://127.0.0.1:{server.port}", locale="en-GB")
    context.set_default_timeout(PATIENCE_MS)
    opened, faults = context.new_page(), []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    opened.on("request", lambda sent: faults.append(sent.url) if not sent.url.startswith("http://127.0.0.1:") else None)
    opened.goto(f"/?token={server.token}")
    assert "token" not in opened.url
    yield opened
    context.close()
    assert not faults


def test_every_page_runs_without_a_fault_and_fits_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for path in [*PAGES, TEACH]:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        # Nothing is cut at a side: no plot, and no table but that of hours, is wider than the screen.
        wide = "[...document.querySelectorAll('.scroll:not(:has(.dense))')].filter(e => e.scrollWidth > e.clientWidth)"
        assert page.evaluate(f"{wide}.map(e => e.ariaLabel)") == [], path
        assert not page.evaluate(
            "[...document.querySelectorAll('input:not([type=hidden]),select')].some(e => !e.labels.length)"
        )


def test_figures_are_live_until_paused(page: Any) -> None:
    page.evaluate("document.getElementById('figure-articles').textContent = 'old'")
    playwright.expect(page.locator("#figure-articles")).to_have_text("4")
    page.get_by_role("button", name="Pause updates").click()
    assert page.get_by_role("button", name="Pause updates").get_attribute("aria-pressed") == "true"


def test_lists_are_live_and_leave_the_reader_alone(page: Any, server: Client) -> None:
    page.clock.install()
    for path in ("/jobs", "/jobs/example", "/sites", "/sites/example.com"):
        page.goto(path)
        live = page.locator("[data-live]").nth(1)
        link = live.locator("a").first
        focused = link.count() > 0
        if focused:
            link.focus()
        page.evaluate("document.getElementById('at').textContent = 'old'")
        live.evaluate("element => element.append('stale')")
        with page.expect_response(lambda got, path=path: got.url.endswith(path)):
            page.clock.run_for(11_000)
        playwright.expect(page.locator("#at")).not_to_have_text("old")
        if focused:  # what the keyboard is in is not replaced under it
            assert "stale" in live.inner_text()
            link.blur()
            page.clock.run_for(11_000)
        playwright.expect(live).not_to_contain_text("stale")


def test_search_leads_to_an_article_and_its_difference(page: Any) -> None:
    page.get_by_role("link", name="Articles", exact=True).click()
    page.get_by_label("Words").fill("bridge")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Bridge opened").click()
    assert page.locator("ins").first.inner_text() == "opened"
    page.get_by_role("link", name="new", exact=True).click()
    assert page.get_by_role("heading", level=1).inner_text() == "Bridge closed"


def test_a_class_is_corrected_by_keyboard(page: Any) -> None:
    page.goto(f"/articles/{BRIDGE}")
    page.get_by_label("Right class").focus()
    page.get_by_label("Right class").select_option(index=3)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("Noted.").wait_for()


def test_the_first_stop_skips_the_navigation_and_the_language_changes(page: Any) -> None:
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.get_by_role("link", name="中文").click()
    assert page.get_by_role("heading", level=1).inner_text() == "概览"


def test_articles_are_gone_through_by_keys_and_what_was_read_is_marked(page: Any) -> None:
    def read() -> set[str]:
        return set(page.locator(".results .read h2").all_inner_texts())

    page.goto("/articles?q=bridge")
    before = read()
    page.keyboard.press("/")
    playwright.expect(page.locator("input[type=search]")).to_be_focused()
    page.keyboard.type("j")  # a letter like any other there
    playwright.expect(page.locator("input[type=search]")).to_have_value("j")
    page.goto("/articles?q=bridge")
    links = page.locator(".results h2 a")
    for key, place in (("j", 0), ("j", 1), ("j", 1), ("k", 0)):
        page.keyboard.press(key)
        playwright.expect(links.nth(place)).to_be_focused()
    opened = links.first.inner_text()
    page.keyboard.press("o")
    playwright.expect(page.locator("h1")).to_have_text(opened)
    page.goto("/articles?q=bridge")
    assert read() == before | {opened}


def test_a_stored_page_runs_loads_and_sends_nothing(page: Any, server: Client) -> None:
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url.partition(f":{server.port}")[2]))
    for path in (FRAME, TEACH):  # by itself, and in its frame
        page.goto(path)
        page.wait_for_timeout(1500)
        assert page.evaluate("document.title").startswith(("The stored page", "Correct"))
    assert not [one for one in asked if not one.startswith(("/teach", "/static/", "/favicon"))]
    stored = page.frame_locator("#page")
    stored.get_by_text("and is open").click()
    assert stored.locator("[data-chosen]").inner_text() == "and is open"
    assert page.url.endswith(TEACH)
    assert [urlsplit(one.url).path for one in page.frames] == ["/teach", "/teach/page"]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_field_is_pointed_at_and_widened(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(TEACH)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    stored = page.frame_locator("#page")
    stored.get_by_text("Words.").first.click()
    page.get_by_role("button", name="Wider").click()
    assert "The old bridge" in stored.locator("[data-chosen]").inner_text()
    page.get_by_label("body").check()
    page.get_by_role("button", name="Try it").click()
    playwright.expect(page.locator("code", has_text="div.story")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_field_is_chosen_by_keyboard(page: Any) -> None:
    page.goto(TEACH)
    page.get_by_label("Element").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    chosen = page.frame_locator("#page").locator("[data-chosen]")
    playwright.expect(chosen).to_have_text("Bridge number 0")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    playwright.expect(page.get_by_text("found on 5 of 5 stored pages")).to_be_visible()
    playwright.expect(chosen).to_have_text("Bridge number 0")  # is pointed at still
