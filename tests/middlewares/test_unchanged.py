"""A 304 is believed unless it tells of a change itself."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import Response

from articlebot.middlewares.unchanged import contradicts

_BEFORE, _LATER = "Fri, 20 Nov 2026 10:00:00 GMT", "Fri, 20 Nov 2026 10:00:01 GMT"


@pytest.mark.parametrize(
    ("asked", "stated", "is_one"),
    [
        (_BEFORE, _LATER, True), (_BEFORE, _BEFORE, False), (_LATER, _BEFORE, False),
        (_BEFORE, None, False), (None, _LATER, False), (_BEFORE, "soon", False),
        (_BEFORE, "Fri, 99 Nov 99999999999 10:00:00 GMT", False),
    ],
)  # fmt: skip
def test_a_304_that_tells_of_a_later_change_contradicts_itself(asked, stated, is_one) -> None:
    request = Request("http://a.test/1", headers={"If-None-Match": '"x"', "If-Modified-Since": asked} if asked else {})
    answer = Response(request.url, status=304, headers={"Last-Modified": stated} if stated else {})
    assert contradicts(answer, request) is is_one
