"""The zone that a site's domain or language tells."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from articlebot.text import zones
from articlebot.text.zones import told_zone, zone_by_times


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


@pytest.mark.parametrize(
    ("times", "told", "language", "zone"),
    [
        ("Tue, 24 Nov 2026 13:05:00 +0500", "Europe/Moscow", "ru", "Etc/GMT-5"),
        ("2026-11-24T13:05:00+01:00 Sun, 06 Sep 2026 10:00:00 +0200", None, "es", "Europe/Madrid"),
        ("Tue, 24 Nov 2026 10:00:00 GMT 2026-11-24T13:05:00-05:00", None, "en", "America/New_York"),
        ("Tue, 24 Nov 2026 13:05:00 +0545", None, "en", "Asia/Kathmandu"),
        ("Tue, 24 Nov 2026 13:05:00 -0300", "America/Sao_Paulo", "pt", "America/Sao_Paulo"),
        ("Tue, 24 Nov 2026 13:05:00 -0500", "Europe/Paris", "fr", "Europe/Paris"),  # of a host in America
        ("2026-11-24T13:05:00Z 2026-11-23T13:05:00Z 2026-09-01T13:05:00+01:00", None, "en", None),
        ("", None, "es", None),
        ("0001-01-01T00:00:00+05:00 Fri, 31 Dec 9999 23:59:59 -0500", None, "en", None),  # what is unset
    ],
)
def test_the_times_of_feeds_tell_the_zone_where_country_and_language_leave_it_open(
    times: str, told: str | None, language: str, zone: str | None
) -> None:
    found = zone_by_times(times, told and ZoneInfo(told), language)
    assert (found and found.key) == zone


def test_every_zone_of_the_tables_exists() -> None:
    kept = zones._kept()
    named = {*kept["several"].split(), *kept["summers"].split()[1::2]}
    names = {*zones._zones()[0].values(), *zones._zones()[1].values(), *named}
    assert {ZoneInfo(name).key for name in names} == names
