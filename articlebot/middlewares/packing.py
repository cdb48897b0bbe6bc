"""Scrapy's unpacking of answers (gzip, deflate, br, zstd), which here tells a half of one from a whole."""

from __future__ import annotations

import re
import zlib
from importlib import import_module
from types import ModuleType
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import ACCEPTED_ENCODINGS, HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from scrapy.responsetypes import responsetypes
from twisted.internet.error import ConnectionLost
from twisted.web._newclient import HTTPClientParser, ParseError

from articlebot.middlewares.silent import tries_of

# Of a header's line and of all: as curl has it. Policies and cookies exceed Twisted's 16,384 a line. Of all it has no
# limit: headers without end would fill a worker's memory until the time is out.
_MOST_LINE, _MOST_HEADERS = 102_400, 307_200
# Bytes that are unpacked at once, to be thrown away.
_PIECE = 1 << 16
# Names of headers (RFC 9110, 5.1), and lengths, which some state twice.
_NAME, _LENGTH = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"), re.compile(rb"[0-9]+(?:[ \t]*,[ \t]*[0-9]+)*+")
_PACKINGS = frozenset({*ACCEPTED_ENCODINGS, b"x-gzip"})
_GZIP = b"\x1f\x8b"
_BEGINS = {b"gzip": _GZIP, b"x-gzip": _GZIP, b"zstd": b"\x28\xb5\x2f\xfd"}
# Bytes that no text has (MIME Sniffing, 3: binary data bytes). Of what is packed they are one in ten, so that as many
# bytes without one are text.
_NO_TEXT, _TELLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]"), 200
# What has its last tag is whole, and is not unpacked a second time.
_TAIL, _LAST_TAG = 1024, re.compile(rb"</(?:html|rss|feed|rdf:rdf|urlset|sitemapindex)", re.I)


def _take(self: Any, data: bytes) -> None:
    """Parses what a server sends, as ``dataReceived`` of a parser: Scrapy's own has it, too."""
    if self.line_mode:
        self.taken = getattr(self, "taken", 0) + len(data)
        if self.taken > _MOST_HEADERS:
            raise ParseError("the headers are too long", data[:100])  # type: ignore[no-untyped-call]
    _parse(self, data)


def _take_header(self: Any, name: bytes, value: bytes) -> None:
    """Takes a header as browsers do: one whose name is none is left out, and so is a length that is no number."""
    name = name.strip().lower()
    if name == b"content-length" and not _LENGTH.fullmatch(value):
        return
    if name == b"location":  # in addresses of the web they are the same (URL Standard, 4.4)
        path, mark, query = value.partition(b"?")
        value = path.replace(b"\\", b"/") + mark + query
    if _NAME.fullmatch(name):
        _keep_header(self, name, value)


HTTPClientParser.MAX_LENGTH = _MOST_LINE
_keep_header: Any = HTTPClientParser.headerReceived
HTTPClientParser.headerReceived = _take_header  # type: ignore[method-assign]
_parse: Any = HTTPClientParser.dataReceived
HTTPClientParser.dataReceived = _take  # type: ignore[method-assign]


class PackingMiddleware(HttpCompressionMiddleware):
    """What is packed is unpacked as its bytes and headers say together: servers name packings that there are not, and
    leave the name where they, or a proxy between, have unpacked a page or did not pack it.

    An answer whose packed body breaks off is asked for again, as one whose connection did.

    Servers and proxies between pack what they got of a page, and end the answer properly. Scrapy takes what can be
    unpacked for all of it, so that half of an article would stand for the whole.

    Others never end an answer as they should, and state a greater length or leave out the last chunk. Where it breaks
    off at the last try, too, it is taken if it has its last tag.
    """

    _crawler: Crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        self = super().from_crawler(crawler)
        self._crawler = crawler
        return self

    def process_request(self, request: Request, spider: Any = None) -> Request | Response | None:
        """Nothing; at the last try, what breaks off is given to ``process_response``."""
        if request.meta.get("retry_times", 0) >= tries_of(self._crawler, request):
            request.meta.setdefault("download_fail_on_dataloss", False)
        return super().process_request(request)

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        """The answer unpacked, or its request where half of it is missing.

        Raises:
            ConnectionLost: that was so each time.
        """
        if request.method == "HEAD":
            return response
        is_named, packings = "Content-Encoding" in response.headers, _packings(response)
        # Judged by the one that came last, which is the first to undo.
        packing = packings[-1] if packings and not _is_plain(response.body, packings[-1]) else b""
        unpacked = self._unpacked(request, response, packings) if is_named or packings else response
        if _LAST_TAG.search(unpacked.body[-_TAIL:]):
            return unpacked
        # It ended with its connection, however that did; without its last tag it may be whole all the same.
        is_page = response.status == 200 and isinstance(unpacked, HtmlResponse | XmlResponse)
        is_cut = "dataloss" in response.flags or (bool(packing) and not _is_whole(response.body, packing))
        if not (is_cut or ("partial" in response.flags and is_page)):
            return unpacked
        assert self._crawler.spider is not None
        again = get_retry_request(request, spider=self._crawler.spider, reason="cut_off")
        # Where each answer of a server ends so, its robots.txt would close the site; it ends with a whole line.
        is_rules = request.url.endswith("/robots.txt") and unpacked.body.endswith(b"\n")
        if again is None and is_cut and not is_rules:
            raise ConnectionLost(f"{response.url} breaks off")
        return again or unpacked

    def _unpacked(self, request: Request, response: Response, packings: list[bytes]) -> Response:
        unpacked = response
        for stated in (packings, None):  # some pack once more than they say
            for packing in reversed(_packings(unpacked) if stated is None else stated):
                if not _is_plain(unpacked.body, packing):
                    unpacked.headers["Content-Encoding"] = packing
                    result = super().process_response(request, unpacked)
                    assert isinstance(result, Response)
                    unpacked = result
        if unpacked is response:  # what has such a header has come as no text
            kind = responsetypes.from_args(headers=response.headers, url=response.url, body=response.body)
            return response.replace(cls=kind)
        return unpacked


def _packings(response: Response) -> list[bytes]:
    """How a body was packed, in that order. The header is taken away, and with it names that no packing has."""
    stated = b",".join(response.headers.pop("Content-Encoding", [])).lower().split(b",")
    packings = [name for one in stated if (name := one.partition(b";")[0].strip(b" \t\"'")) in _PACKINGS]
    if response.body.startswith(_GZIP) and (not packings or _BEGINS.get(packings[-1]) != _GZIP):
        kind = responsetypes.from_headers(response.headers)
        # Sitemaps are packed files as often, and are unpacked where they are read, as far as they are taken.
        is_page = issubclass(kind, TextResponse) and not issubclass(kind, XmlResponse)
        packings[-1:] = [b"gzip"] if packings or is_page else []
    return packings


def _is_plain(body: bytes, packing: bytes) -> bool:
    """Whether a body is text, and not packed as its header says; one that is too short to tell is not."""
    if begin := _BEGINS.get(packing):
        return not body.startswith(begin) and not _NO_TEXT.search(body, 0, _TELLS)
    return len(body) >= _TELLS and not _NO_TEXT.search(body, 0, _TELLS)


def _is_whole(packed: bytes, packing: bytes) -> bool:
    """Whether a packed body has its end; True also for one that cannot be judged."""
    if packing == b"br":
        library = _codec("brotli", "brotlicffi")
        return library is None or _reaches_end(library.Decompressor(), packed)
    if packing == b"zstd":
        library = _codec("compression.zstd", "backports.zstd")
        return library is None or _reaches_end(library.ZstdDecompressor(), packed)
    if packing not in (b"gzip", b"x-gzip", b"deflate"):
        return True
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    try:
        while packed and not stream.eof:
            stream.decompress(packed, _PIECE)
            packed = stream.unconsumed_tail
    except zlib.error:  # a wrong sum at the end, or bare deflate: Scrapy has made something of it
        return True
    return stream.eof


def _reaches_end(stream: Any, packed: bytes) -> bool:
    """Whether a stream of Brotli or Zstandard ends with a body. Only as much is asked for at once as may be kept."""
    if hasattr(stream, "is_finished"):
        stream.process(packed, output_buffer_limit=_PIECE)
        while not stream.is_finished() and stream.process(b"", output_buffer_limit=_PIECE):
            pass
        return bool(stream.is_finished())
    stream.decompress(packed, _PIECE)
    while not stream.eof and not stream.needs_input:
        stream.decompress(b"", _PIECE)
    return bool(stream.eof)


def _codec(*names: str) -> ModuleType | None:
    """The first module of these that is installed, as Scrapy chooses it."""
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    return None
