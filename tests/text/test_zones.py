"""The zone that a site's domain or language tells."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from articlebot.text import zones
from articlebot.text.zones import told_zone


@pytest.mark.parametrize(
    ("host", "language", "zone"),
    [
        ("news.sina.com.cn", None, "Asia/Shanghai"),
        ("www.asahi.jp", "zh", "Asia/Tokyo"),  # the country before the language
        ("www.example.com", "zh", "Asia/Shanghai"),
        ("www.bbc.co.uk", "en", "Europe/London"),
        ("www.example.com", "en", None),
        ("www.example.us", "en", None),
        ("127.0.0.1", "de", "Europe/Berlin"),
        ("", None, None),
    ],
)
def test_the_country_tells_the_zone_and_else_the_language(host: str, language: str | None, zone: str | None) -> None:
    assert told_zone(host, language) == (None if zone is None else ZoneInfo(zone))


def test_a_country_that_a_page_states_tells_the_zone_where_its_domain_may_be_anybodys() -> None:
    assert told_zone("www.example.co", "es") is None
    assert told_zone("www.example.com", "es", "es-CO") == ZoneInfo("America/Bogota")
    assert told_zone("www.example.com", "es", "es-MX") == ZoneInfo("America/Mexico_City")


def test_every_zone_of_the_tables_exists() -> None:
    names = {*zones._zones()[0].values(), *zones._zones()[1].values()}
    assert {ZoneInfo(name).key for name in names} == names
