"""Scrapy's requests to envelopes and back."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

from scrapy import Request, Spider

from articlebot.errors import MissingMethod, RefusedError, StateError
from articlebot.frontier.envelope import Envelope, dump, load
from articlebot.frontier.slots import SlotKeys, slot_for
from articlebot.urls import canonical_url, page_key

# Belongs to one download and would be wrong for the next.
# As ``Envelope.turns``.
TURNS = "articlebot_turns"
_OF_ONE_DOWNLOAD = frozenset(
    {"download_slot", "download_latency", "articlebot_slot", "proxy", "_auth_proxy", "_scheme_proxy"}
)


def to_envelope(request: Request, spider: Spider) -> Envelope:
    """What is stored of a request.

    Raises:
        RefusedError: its URL is no page's, or something in it is not JSON or not a method of the spider.
    """
    key = request_key(request)
    keys = keys_of(request)
    identity = key.to_bytes(8, "big")
    if request.dont_filter:
        # Queued although its page is known. A second one while the first still waits adds nothing (a list page that is
        # due again during a long back-off); a retry comes while the first is leased and needs a name of its own, and so
        # does each of the pages that lead to one.
        asked = of_articlebot(request).get("key")
        of = asked ^ key if isinstance(asked, int) else 0
        identity += min(255, max(0, _retries(request))).to_bytes(1, "big") + (of & (1 << 64) - 1).to_bytes(8, "big")[:5]
    return Envelope(
        identity,
        None if request.dont_filter else key,
        keys.host,
        keys.parent,
        request.priority,
        _record(request, spider),
        request.meta.get(TURNS),
    )


def to_request(record: str, spider: Spider) -> Request:
    """The request of a stored record.

    Raises:
        MissingMethod: it names a method that the spider does not have.
        StateError: it cannot be read.
    """
    fields = load(record)
    try:
        return Request(
            fields["u"],
            method=fields.get("M", "GET"),
            headers={name: [v.encode("latin-1") for v in values] for name, values in fields.get("h", {}).items()},
            body=b64decode(fields.get("b", "")),
            cookies=fields.get("ck"),
            meta=fields.get("m"),
            encoding=fields.get("en", "utf-8"),
            priority=fields.get("p", 0),
            dont_filter=fields.get("d", False),
            callback=_method(spider, "c", fields),
            errback=_method(spider, "e", fields),
            flags=fields.get("f"),
            cb_kwargs=fields.get("k"),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StateError(f"a stored request cannot be read: {error!r}") from None


def keys_of(request: Request) -> SlotKeys:
    """The slot keys of a request: the one question that scheduler and middleware ask."""
    parent = of_articlebot(request).get("parent") or 0
    return slot_for(request.url, parent if isinstance(parent, int) else 0)


def of_articlebot(request: Request) -> Mapping[str, Any]:
    """What articlebot's parts keep in a request's meta; empty for requests of others."""
    kept = request.meta.get("articlebot")
    return kept if isinstance(kept, Mapping) else {}


def request_key(request: Request) -> int:
    """The page key; of method, URL and body where the request is not a plain GET."""
    url = canonical_url(request.url)
    if request.method == "GET" and not request.body:
        return page_key(url)
    text = f"{request.method} {url}\n".encode() + request.body
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def _retries(request: Request) -> int:
    number = request.meta.get("retry_times", 0)
    return number if isinstance(number, int) else 0


def _record(request: Request, spider: Spider) -> str:
    meta = {name: value for name, value in request.meta.items() if name not in _OF_ONE_DOWNLOAD}
    fields = {
        "u": request.url,
        "M": "" if request.method == "GET" else request.method,
        "b": b64encode(request.body).decode(),
        "ck": request.cookies,
        "m": _json(meta, "meta"),
        "en": "" if request.encoding == "utf-8" else request.encoding,
        "p": request.priority,
        "d": request.dont_filter,
        "c": _name(spider, request.callback),
        "e": _name(spider, request.errback),
        "f": request.flags,
        "k": _json(request.cb_kwargs, "cb_kwargs"),
    }
    if request.headers:
        fields["h"] = {
            name.decode("latin-1"): [value.decode("latin-1") for value in values]
            for name, values in request.headers.items()
        }
    try:
        return dump(fields)
    except (TypeError, ValueError) as error:
        raise RefusedError("request_not_storable", f"{request}: {error}") from None


def _json(values: Mapping[Any, Any], where: str) -> Mapping[Any, Any]:
    # json.dumps turns keys that are not text into text without a word; they would come back changed.
    for name, value in values.items():
        if not isinstance(name, str):
            raise RefusedError("request_not_storable", f"{where} has a key that is not text: {name!r}")
        if isinstance(value, Mapping):
            _json(value, f"{where}[{name!r}]")
    return values


def _name(spider: Spider, method: Callable[..., Any] | None) -> str | None:
    if method is None:
        return None
    name = getattr(method, "__name__", "")
    if name and getattr(spider, name, None) == method:
        return name
    raise RefusedError("request_not_storable", f"{method!r} is not a method of the spider {spider.name!r}")


def _method(spider: Spider, field: str, fields: Mapping[str, Any]) -> Callable[..., Any] | None:
    name = fields.get(field)
    if name is None:
        return None
    method = getattr(spider, name, None)
    if not callable(method):
        raise MissingMethod(field, name, spider.name)
    return method  # type: ignore[no-any-return]
