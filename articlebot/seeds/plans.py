"""Pages that list a site's sections for readers: 网站地图, サイトマップ, site map."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from articlebot.page import Page
from articlebot.page.anchors import anchors_of
from articlebot.urls import same_site

_CALLED = re.compile(
    r"\s*+(?:网站(?:地图|导航)|網站(?:地圖|導覽)|站点地图|サイトマップ|사이트\s?맵|site\s?map|plan du site|"
    r"mapa (?:del sitio|do site|web)|mappa del sito|inhaltsverzeichnis|sơ đồ (?:trang|website)|карта сайта|"
    r"خريطة الموقع|מפת ה?אתר|แผนผังเว็บไซต์)\s*+\Z",
    re.I,
)
_FOR_MACHINES = re.compile(r"\.(?:xml|txt|gz)\Z", re.I)


def plans(page: Page) -> list[str]:
    """The pages of its site that a page calls a plan of it, in its order."""
    return [
        one.url for one in anchors_of(page)
        if _CALLED.match(one.text) and same_site(one.url, page.url) and not _FOR_MACHINES.search(urlsplit(one.url).path)
    ]  # fmt: skip
