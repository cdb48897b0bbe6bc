"""axe-core on each page in a real Chromium: wide and as a phone, light and dark, English and Chinese."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.console.conftest import Client
from tests.console.test_browser import CHROMIUM, PATIENCE_MS, browser
from tests.console.test_pages import PAGES
from tests.console.test_teach import TEACH

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH"),
    pytest.mark.xdist_group("browser"),  # of one process: a Chromium takes seconds to start
]
__all__ = ["browser"]

OPTIONS = {"resultTypes": ["violations"]}
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(
    params=[("en-GB", WIDE, "light"), ("zh-CN", PHONE, "light"), ("en-GB", PHONE, "dark"), ("zh-CN", WIDE, "dark")],
    ids=["en-wide-light", "zh-phone-light", "en-phone-dark", "zh-wide-dark"],
)
def page(request: pytest.FixtureRequest, browser: Any, server: Client) -> Iterator[Any]:
    locale, size, colours = request.param
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{server.port}", locale=locale, viewport=size, color_scheme=colours
    )
    context.set_default_timeout(PATIENCE_MS)
    opened = context.new_page()
    opened.goto(f"/?token={server.token}")
    yield opened
    context.close()


def test_axe_finds_nothing(page: Any) -> None:
    for path in [*PAGES, TEACH, "/nothing"]:
        page.goto(path)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        found = axe.Axe().run(page, options=OPTIONS)
        assert not found.response["violations"], f"{path}\n{found.generate_report()}"
