"""Half of a packed answer is not taken for a whole one."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
from scrapy import Request, Spider
from scrapy.downloadermiddlewares.httpcompression import ACCEPTED_ENCODINGS
from scrapy.http import HtmlResponse, Response, TextResponse
from twisted.internet.error import ConnectionLost

from articlebot.middlewares.packing import PackingMiddleware
from tests.crawlers import crawler_with

try:
    from compression import zstd
except ImportError:
    from backports import zstd

PAGE = b"<!doctype html><p>" + b"".join(b"line %d of the page, " % n for n in range(9000))
WHOLE = PAGE + b"</body></html>\n"
_PACKERS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd.compress}
# Older Scrapy unpacks Zstandard by another library, which may be absent.
PACKED = {name: pack for name, pack in _PACKERS.items() if name.encode() in ACCEPTED_ENCODINGS}


@pytest.fixture(scope="module")
def middleware() -> PackingMiddleware:
    crawler = crawler_with(settings_dict={"RETRY_TIMES": 1})
    crawler.spider = Spider(name="article")
    crawler.spider.crawler = crawler
    return PackingMiddleware.from_crawler(crawler)


def answer(body: bytes, packing: str) -> Response:
    headers = {"Content-Encoding": packing, "Content-Type": "text/html"}
    return HtmlResponse("http://a.test/1", body=body, headers=headers)


@pytest.mark.parametrize("packing", PACKED)
def test_what_breaks_off_is_asked_for_again_and_fails_then(middleware: PackingMiddleware, packing: str) -> None:
    packed = PACKED[packing](WHOLE)
    again = middleware.process_response(Request("http://a.test/1"), answer(packed[: len(packed) // 2], packing))
    assert isinstance(again, Request)
    with pytest.raises(ConnectionLost):
        middleware.process_response(again, answer(packed[: -len(packed) // 4], packing))


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("page", [WHOLE, PAGE])
def test_what_has_its_end_is_unpacked(middleware: PackingMiddleware, packing: str, page: bytes) -> None:
    unpacked = middleware.process_response(Request("http://a.test/1"), answer(PACKED[packing](page), packing))
    assert isinstance(unpacked, Response)
    assert unpacked.body == page


@pytest.mark.parametrize(
    ("body", "packing"),
    [
        (zlib.compress(PAGE)[2:-4], "deflate"), (gzip.compress(PAGE) + b"more", "gzip"),
        (gzip.compress(PAGE)[:-8] + bytes(8), "gzip"), (gzip.compress(gzip.compress(PAGE)), "gzip, gzip"),
    ],
)  # fmt: skip
def test_what_servers_do_otherwise_is_taken(middleware: PackingMiddleware, body: bytes, packing: str) -> None:
    unpacked = middleware.process_response(Request("http://a.test/1"), answer(body, packing))
    assert isinstance(unpacked, Response)
    assert unpacked.body == PAGE


@pytest.mark.parametrize(
    ("body", "packing"),
    [
        (gzip.compress(PAGE), "GZIP"), (gzip.compress(PAGE), "X-GZip"), (gzip.compress(PAGE), "gzip, identity"),
        (gzip.compress(PAGE), "gzip;q=1.0"), (gzip.compress(PAGE), '"gzip"'), (gzip.compress(PAGE), "gz"),
        (gzip.compress(PAGE), ""), (gzip.compress(PAGE), "br"), (gzip.compress(PAGE), "gzip, gzip"),
        (gzip.compress(gzip.compress(PAGE)), "gzip"), (PAGE, "identity"), (PAGE, "utf-8"),
        (PAGE, "gzip"), (PAGE, "deflate"), (PAGE, "br"), (PAGE, "zstd"), (b"User-agent: *", "gzip"),
    ],
)  # fmt: skip
def test_a_wrong_name_of_the_packing_costs_no_page(middleware: PackingMiddleware, body: bytes, packing: str) -> None:
    # As it comes from the downloader, which takes what has a Content-Encoding for no text.
    came = Response("http://a.test/1", body=body, headers={"Content-Encoding": packing, "Content-Type": "text/html"})
    unpacked = middleware.process_response(Request("http://a.test/1"), came)
    assert isinstance(unpacked, HtmlResponse)
    assert (unpacked.body, "Content-Encoding" in unpacked.headers) == (PAGE if len(body) > 20 else body, False)


def test_what_is_packed_otherwise_than_it_says_is_no_page(middleware: PackingMiddleware) -> None:
    with pytest.raises(OSError, match="gzip"):
        middleware.process_response(Request("http://a.test/1"), answer(brotli.compress(WHOLE), "gzip"))


def test_what_has_its_last_tag_is_taken_at_the_last_try_however_it_ends(middleware: PackingMiddleware) -> None:
    first = Request("http://a.test/1")
    middleware.process_request(first)
    assert "download_fail_on_dataloss" not in first.meta
    last = first.replace(meta={"retry_times": 1})
    middleware.process_request(last)
    assert last.meta["download_fail_on_dataloss"] is False
    for packing, pack in {"": bytes, "gzip": gzip.compress}.items():
        cut = answer(pack(WHOLE), packing).replace(flags=["dataloss"])
        assert middleware.process_response(last, cut).body == WHOLE
        with pytest.raises(ConnectionLost):
            middleware.process_response(last, cut.replace(body=pack(PAGE)))


def test_robots_txt_of_a_server_that_ends_no_answer_is_taken_at_the_last_try(middleware: PackingMiddleware) -> None:
    rules = TextResponse("http://a.test/robots.txt", body=b"User-agent: *\nDisallow: /x\n", flags=["dataloss"])
    again = middleware.process_response(Request(rules.url), rules)
    assert isinstance(again, Request)
    assert middleware.process_response(again, rules) is rules
    with pytest.raises(ConnectionLost):
        middleware.process_response(again, rules.replace(body=b"User-agent: *\nDisal"))


def test_a_page_without_length_and_last_tag_is_asked_for_again_and_taken_then(middleware: PackingMiddleware) -> None:
    cut = HtmlResponse("http://a.test/1", body=PAGE, flags=["partial"])
    again = middleware.process_response(Request(cut.url), cut)
    assert isinstance(again, Request)
    assert middleware.process_response(again, cut) is cut
    for whole in (cut.replace(body=WHOLE), TextResponse(cut.url, body=b'{"a": 1}', flags=["partial"])):
        assert middleware.process_response(Request(cut.url), whole) is whole
