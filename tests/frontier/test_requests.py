from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import FormRequest, Request, Spider
from scrapy.http.request import NO_CALLBACK

from articlebot.errors import RefusedError, StateError
from articlebot.frontier.envelope import dump, load
from articlebot.frontier.requests import _OF_ONE_DOWNLOAD, request_key, to_envelope, to_request


class AnySpider(Spider):
    name = "any"

    def parse(self, response): ...

    def parse_page(self, response, number=0): ...

    def failed(self, failure): ...


SPIDER = AnySpider()
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def back_and_forth(request):
    return to_request(to_envelope(request, SPIDER).record, SPIDER)


@given(
    method=st.sampled_from(["GET", "POST", "PUT"]),
    body=st.binary(max_size=50),
    priority=st.integers(-1000, 1000),
    meta=st.dictionaries(
        st.text().filter(lambda name: name not in _OF_ONE_DOWNLOAD and name != "articlebot"), json_values, max_size=4
    ),
    dont_filter=st.booleans(),
    headers=st.dictionaries(
        st.sampled_from(["X-One", "Accept"]), st.text(st.characters(max_codepoint=255), max_size=8)
    ),
    kwargs=st.dictionaries(st.text(), json_values, max_size=2),
)
def test_a_request_comes_back_as_it_went(method, body, priority, meta, dont_filter, headers, kwargs):
    request = Request(
        "http://example.com/a?b=1#c", SPIDER.parse_page, method, body=body, priority=priority, meta=meta,
        dont_filter=dont_filter, headers={k: v.encode("latin-1") for k, v in headers.items()}, cb_kwargs=kwargs,
        errback=SPIDER.failed, flags=["x"], cookies={"a": "b"},
    )  # fmt: skip
    again = back_and_forth(request)
    names = "url method body priority meta dont_filter headers cb_kwargs callback errback flags cookies encoding"
    for name in names.split():
        assert getattr(again, name) == getattr(request, name), name


def test_a_form_comes_back_with_its_body():
    request = FormRequest("http://example.com/", formdata={"a": "1"})
    again = back_and_forth(request)
    assert (again.method, again.body) == ("POST", b"a=1")
    assert again.headers[b"Content-Type"] == b"application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://a.test/", lambda response: None),
        Request("http://a.test/", NO_CALLBACK),
        Request("http://a.test/", AnySpider().parse_page),
        Request("http://a.test/", meta={"x": object()}),
        Request("http://a.test/", meta={"x": {1: 2}}),
        Request("http://a.test/", meta={"x": float("nan")}),
        Request("http://a.test/", cb_kwargs={"x": {1}}),
    ],
)
def test_what_cannot_be_stored_is_refused_with_its_reason(request_):
    with pytest.raises(RefusedError) as caught:
        to_envelope(request_, SPIDER)
    assert caught.value.reason == "request_not_storable"


def test_a_url_that_is_no_page_is_refused():
    with pytest.raises(RefusedError):
        to_envelope(Request("data:text/plain,x"), SPIDER)


def test_identity_is_the_page_key_and_differs_by_method_and_body():
    urls = [
        Request("http://a.test/x?utm_source=y#z"),
        Request("https://A.test/x"),
        Request("http://a.test/x", method="POST"),
    ]
    first, second, third = map(request_key, urls)
    assert first == second != third
    assert request_key(Request("http://a.test/x", method="POST", body=b"1")) != third


def test_a_repeated_page_and_its_retry_get_names_of_their_own():
    plain = to_envelope(Request("http://a.test/"), SPIDER)
    again = to_envelope(Request("http://a.test/", dont_filter=True), SPIDER)
    retry = to_envelope(Request("http://a.test/", dont_filter=True, meta={"retry_times": 1}), SPIDER)
    assert plain.id == again.id[:8] == retry.id[:8]
    assert len({plain.id, again.id, retry.id}) == 3
    assert plain.key is not None
    assert again.key is None


def test_pages_that_lead_to_one_get_names_of_their_own():
    own = int.from_bytes(to_envelope(Request("http://a.test/"), SPIDER).id)
    keys = (1 << 60, 1 << 61, own, own)
    led = [Request("http://a.test/", dont_filter=True, meta={"articlebot": {"key": key}}) for key in keys]
    names = [to_envelope(request, SPIDER).id for request in led]
    assert ({len(name) for name in names}, len(set(names)), names[2]) == ({14}, 3, names[3])


def test_the_meta_of_one_download_is_left_behind():
    request = Request(
        "http://a.test/", meta={"download_slot": "stale", "download_latency": 0.1, "articlebot_slot": 4, "x": 1}
    )
    assert back_and_forth(request).meta == {"x": 1}


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"v":99,"u":"http://a.test/"}', "{"])
def test_a_record_of_another_version_is_not_guessed_at(record):
    with pytest.raises(StateError):
        load(record)


@pytest.mark.parametrize(
    "fields", [{}, {"u": "http://a.test/", "c": "no_such_method"}, {"u": 5}, {"u": "http://a.test/", "m": 7}]
)
def test_a_damaged_record_is_an_error_of_its_own(fields):
    with pytest.raises(StateError):
        to_request(dump(fields), SPIDER)
