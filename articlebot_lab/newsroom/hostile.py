"""``hostile.newsroom.test``: what a crawler meets when a server is broken or means harm. Served on request only."""

from __future__ import annotations

import asyncio
import functools
import html
import random
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from articlebot_lab.newsroom.grammar import Teller
from articlebot_lab.newsroom.sites import DOMAIN

HOST = f"hostile.{DOMAIN}"
LARGE_BYTES = 64 << 20
BOMB_BYTES = 512 << 20
DEPTH = 100_000
_BLOCK = 1 << 20
_LINKS = 20_000
_PATIENCE = 600.0  # seconds after which even a page without an end ends
_STRANGE_LINKS = (
    "javascript:alert(1)", "mailto:a@b.test", "data:text/html,x", "ftp://hostile.newsroom.test/x", "file:///etc/passwd",
    "http://[::1", "http://hostile.newsroom.test:99999/", "http://", "//", "http://hostile.newsroom.test/%zz%", "tel:1",
    "http://hostile.newsroom.test/" + "a" * 5000, "http://hostile.newsroom.test/a\x00b", "http://xn--/", "http://..../",
)  # fmt: skip


async def serve(writer: asyncio.StreamWriter, path: str, now: float) -> None:
    """Answers one request; the connection is closed after it."""
    writer.transport.set_write_buffer_limits(high=_BLOCK)
    if path == "/robots.txt":
        await _page(writer, b"User-agent: *\nDisallow:\n", kind="text/plain")
    elif path == "/":
        await _page(writer, _index())
    elif path.startswith("/good/"):
        await _page(writer, article(path, now))
    elif path.startswith("/redirect-chain/"):
        number = path.rsplit("/", 1)[1]
        following = int(number) + 1 if number.isdigit() and len(number) < 9 else 0
        await _redirect(writer, f"/redirect-chain/{following}")
    elif path in TRAPS:
        await TRAPS[path](writer, now)
    else:
        await _page(writer, b"not here", status="404 Not Found")


def truth(now: float) -> dict[str, Any]:
    """What the host serves: the good articles a crawler must still get, and the paths of its traps."""
    paths = [f"/good/{number}" for number in range(3)]
    good = [
        {"url": f"http://{HOST}{path}", "title": _story(path)[0], "body": "\n".join(_story(path)[1])} for path in paths
    ]
    return {"host": HOST, "good": good, "traps": _traps(), "asked_at": now}


def job() -> str:
    """The host's block of the job file."""
    start = f'[[site]]\nname = "hostile"\nlist_pages = ["http://{HOST}/"]\nallowed_domains = ["{HOST}"]\ndelay = 0.0\n'
    return f"{start}article_pattern = ['{HOST}/.']\n"


def is_hostile(host: str) -> bool:
    """Whether a host name is the hostile host or one of its subdomains."""
    return host == HOST or host.endswith(f".{HOST}")


@functools.cache
def _story(path: str) -> tuple[str, list[str]]:
    teller = Teller("en", "science", random.Random(path))
    return teller.title(), teller.body(8)


def article(path: str, now: float, *, title: str | None = None, date: float | None = None, extra: str = "") -> bytes:
    """A well-formed article; ``date`` is its publication, a quarter of an hour ago where None."""
    own_title, paragraphs = _story(path)
    shown = datetime.fromtimestamp(now - 900 if date is None else date, UTC).isoformat(timespec="seconds")
    heading = html.escape(title or own_title)
    body = "".join(f"<p>{html.escape(text)}</p>" for text in paragraphs)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{heading}</title>'
        f'<meta property="article:published_time" content="{shown}"></head><body><article><h1>{heading}</h1>'
        f'<time datetime="{shown}">{shown}</time>{extra}{body}</article></body></html>'
    ).encode()


def _traps() -> list[str]:
    # Each on a host of its own: a crawler that is slow to one host would else hardly come to the others.
    paths = [*TRAPS, "/redirect-chain/0"]
    return [f"http://{path.split('/')[1]}.{HOST}{path}" for path in paths]


def _index() -> bytes:
    urls = [url for good in range(3) for url in (f"http://{HOST}/good/{good}", *_traps()[good::3])]
    links = "".join(f'<li><a href="{url}">{html.escape(_story(urlsplit(url).path)[0])}</a></li>' for url in urls)
    head = '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Hostile</title>'
    return f"{head}<ul>{links}</ul></html>".encode()


async def _page(
    writer: asyncio.StreamWriter,
    body: bytes,
    *,
    status: str = "200 OK",
    kind: str = "text/html; charset=utf-8",
    headers: tuple[str, ...] = (),
    length: int | None = None,
) -> None:
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body) if length is None else length}",
    ]
    writer.write("\r\n".join([*lines, *headers, "Connection: close", "", ""]).encode("latin-1") + body)
    await writer.drain()


async def _redirect(writer: asyncio.StreamWriter, target: str) -> None:
    await _page(writer, b"", status="302 Found", headers=(f"Location: {target}",))


def _to(target: str) -> Callable[[asyncio.StreamWriter, float], Awaitable[None]]:
    return lambda writer, _: _redirect(writer, target)


def _fixed(body: bytes, **options: Any) -> Callable[[asyncio.StreamWriter, float], Awaitable[None]]:
    return lambda writer, _: _page(writer, body, **options)


async def _large(writer: asyncio.StreamWriter, now: float) -> None:
    """A page of 64 MB with an honest length."""
    head = article("/large", now)
    await _page(writer, head, length=LARGE_BYTES)
    left = LARGE_BYTES - len(head)
    while left > 0:
        writer.write(b"<p>more</p>".ljust(65536)[:left])
        left -= 65536
        await writer.drain()


async def _endless(writer: asyncio.StreamWriter, now: float) -> None:
    """A chunked page that does not end."""
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    part = b"<p>and so on</p>".ljust(65536)
    for _ in range(4 * LARGE_BYTES // len(part)):
        writer.write(b"%x\r\n%s\r\n" % (len(part), part))
        await writer.drain()


@functools.cache
def bomb() -> bytes:
    """A gzip body of about half a megabyte that unpacks to 512 MB of spaces, checksum included."""
    block = b" " * _BLOCK
    count = BOMB_BYTES // _BLOCK
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    # The first block refers to nothing before it and ends flushed, so that it may be repeated as it is.
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = 0
    for _ in range(count):
        checksum = zlib.crc32(block, checksum)
    trailer = struct.pack("<II", checksum, BOMB_BYTES & 0xFFFFFFFF)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + packed * count + b"\x03\x00" + trailer


async def _bomb(writer: asyncio.StreamWriter, _: float) -> None:
    await _page(writer, bomb(), headers=("Content-Encoding: gzip",))


async def _drip(writer: asyncio.StreamWriter, now: float) -> None:
    """Half a page, then a byte at a time."""
    await _page(writer, article("/slow", now)[:400], length=10_000_000)
    for _ in range(int(_PATIENCE / 0.5)):
        await asyncio.sleep(0.5)
        writer.write(b" ")
        await writer.drain()


async def _silent(writer: asyncio.StreamWriter, _: float) -> None:
    """No answer at all."""
    await asyncio.sleep(_PATIENCE)


async def _reset(writer: asyncio.StreamWriter, now: float) -> None:
    """Half a page and a reset connection."""
    await _page(writer, article("/reset", now)[:500], length=5000)
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _garbage(writer: asyncio.StreamWriter, now: float) -> None:
    """A header that is none, and a page behind it."""
    writer.write(
        b"HTTP/1.1 200 OK\r\nno colon here\r\n\xff\xfe\x00: x\r\n: empty\r\nSet-Cookie\r\n\r\n" + article("/g", now)
    )
    await writer.drain()


async def _no_http(writer: asyncio.StreamWriter, _: float) -> None:
    writer.write(b"\x00\x01SSH-2.0-nonsense\r\n\r\n")
    await writer.drain()


async def _huge_header(writer: asyncio.StreamWriter, now: float) -> None:
    await _page(writer, article("/huge-header", now), headers=(f"X-Long: {'a' * 300_000}",))


async def _future(writer: asyncio.StreamWriter, now: float) -> None:
    await _page(writer, article("/future", now, date=now + 10 * 365 * 86400))


async def _deep(writer: asyncio.StreamWriter, now: float) -> None:
    await _page(writer, b"<html><body>" + b"<div>" * DEPTH + b"<p>deep</p>" + b"</div>" * DEPTH + b"</body></html>")


async def _links(writer: asyncio.StreamWriter, now: float) -> None:
    many = "".join(f'<a href="/redirect-chain/{number}">{number}</a>\n' for number in range(_LINKS))
    strange = "".join(
        f'<a href="{html.escape(link)}">{index} strange link</a>' for index, link in enumerate(_STRANGE_LINKS)
    )
    await _page(writer, article("/links", now, extra=strange + many))


async def _broken_text(writer: asyncio.StreamWriter, now: float) -> None:
    page = article("/broken-text", now).replace(b"<p>", b"<p>\xff\xfe\x80\x00\x0b\xed\xa0\x80", 3)
    await _page(writer, page)


async def _charset(writer: asyncio.StreamWriter, now: float) -> None:
    await _page(writer, article("/charset", now).replace(b"utf-8", b"x-klingon"), kind="text/html; charset=x-klingon")


TRAPS: dict[str, Callable[[asyncio.StreamWriter, float], Awaitable[None]]] = {
    "/large": _large,
    "/endless": _endless,
    "/bomb": _bomb,
    "/slow": _drip,
    "/silent": _silent,
    "/reset": _reset,
    "/garbage-header": _garbage,
    "/no-http": _no_http,
    "/huge-header": _huge_header,
    "/future": _future,
    "/deep": _deep,
    "/links": _links,
    "/broken-text": _broken_text,
    "/charset": _charset,
    "/redirect-loop": _to("/redirect-loop-back"),
    "/redirect-loop-back": _to("/redirect-loop"),
    "/redirect-self": _to("/redirect-self"),
    "/redirect-file": _to("file:///etc/passwd"),
    "/redirect-private": _to("http://169.254.169.254/latest/meta-data/"),
    "/redirect-nowhere": _to("http://[broken"),
    "/empty": _fixed(b""),
    "/blank": _fixed(b" \n\t \xc2\xa0\n"),
    "/truncated": _fixed(b"<html><body><h1>Cut short</h1><p>This page ends in the mid", length=50_000),
    "/binary": _fixed(bytes(range(256)) * 64),
    "/not-gzip": _fixed(b"<html><body><p>plain</p></body></html>", headers=("Content-Encoding: gzip",)),
    "/later": _fixed(b"busy", status="503 Service Unavailable", headers=("Retry-After: 99999999999",)),
    "/strange-status": _fixed(b"what?", status="799 Who Knows"),
    "/bad-validators": _fixed(b"<p>x</p>", headers=('ETag: ""broken', "Last-Modified: yesterday evening")),
}
