"""Which answers are looked at as requests for consent."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from articlebot.middlewares.consent import _asking

GERMAN = (
    "<html lang=de><title>Datenschutz</title><h1>Wir brauchen Ihre Zustimmung</h1><p>Wir und unsere 214 Partner "
    "verarbeiten Daten, um Inhalte und Anzeigen zu messen.</p><a href=/ok>Zustimmen und weiter</a></html>"
)


@pytest.mark.parametrize(("body", "asks"), [(GERMAN, True), ("<html><p>The bridge is open again.</p></html>", False)])
def test_a_request_for_consent_need_not_speak_of_cookies(body: str, asks: bool) -> None:
    headers = {"Content-Type": "text/html; charset=utf-8"}
    answer = HtmlResponse("http://consent.n.test/?to=1", body=body.encode(), headers=headers)
    assert (_asking(answer) is not None) is asks
