"""WebSub (W3C 2018): subscriptions at the hubs that feeds name, so that new entries come by themselves."""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal
from urllib.parse import urlencode, urljoin

from articlebot.connect import RedisStore
from articlebot.errors import RefusedError, StateError
from articlebot.page.xml import parse_xml
from articlebot.urls import canonical_url

VERSION = 1
_METHODS = frozenset({"sha1", "sha256", "sha384", "sha512"})
_SELF_HEADER = re.compile(r"<([^<>]+)>\s*+;[^,<]*?\brel=\"?self\b")
_HEAD = 512_000
_FIRST_RETRY_S, _LONGEST_RETRY_S = 60.0, 86_400.0
_MOST_TOPIC = 2048
_CLAIM_S = 60
# At once: of two workers that see a feed in the same moment, neither may see a subscription that the other takes back.
_ADD = """
local token = redis.call('HGET', KEYS[1] .. ':feeds', ARGV[1])
local known = token and redis.call('HGET', KEYS[1] .. ':records', token)
if known then return known end
redis.call('HSET', KEYS[1] .. ':feeds', ARGV[1], ARGV[2])
redis.call('HSET', KEYS[1] .. ':records', ARGV[2], ARGV[3])
return ARGV[3]
"""
_WRITE = """
if redis.call('HEXISTS', KEYS[1] .. ':records', ARGV[1]) == 1 then
  redis.call('HSET', KEYS[1] .. ':records', ARGV[1], ARGV[2])
end
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """One feed at one hub.

    Attributes:
        token: last part of the callback's address, not to be guessed.
        topic: the feed's own address, as the hub knows it.
        feed: its address in the job.
        secret: key of the signatures.
        state: ``asked`` until the hub has verified the intent.
        asked_at: when it was last asked, epoch seconds; ``tries``: how often in a row without an answer.
        ends_at: end of the lease that the hub granted, epoch seconds; 0 before.
    """

    token: str
    hub: str
    topic: str
    feed: str
    job: str
    secret: str
    state: Literal["asked", "active", "denied"] = "asked"
    asked_at: float = 0.0
    tries: int = 0
    lease_s: float = 0.0
    ends_at: float = 0.0

    def dump(self) -> str:
        """The record as it is stored."""
        return json.dumps({"v": VERSION, **asdict(self)}, separators=(",", ":"))

    def ask_at(self) -> float:
        """When the hub is to be asked (again), epoch seconds: before the lease ends, or after a pause that doubles."""
        pause = min(_LONGEST_RETRY_S, _FIRST_RETRY_S * 2.0 ** min(20, max(0, self.tries - 1)))
        if self.state == "denied":
            return self.asked_at + _LONGEST_RETRY_S
        renewal = self.ends_at - self.lease_s / 3
        return max(renewal, self.asked_at + pause) if self.tries else renewal

    def asked(self, now: float) -> Subscription:
        """The record when the hub is being asked."""
        return replace(self, asked_at=now, tries=self.tries + 1)

    def form(self, callback: str, lease_s: float) -> bytes:
        """The body of the request to the hub."""
        return urlencode({
            "hub.callback": callback, "hub.mode": "subscribe", "hub.topic": self.topic, "hub.secret": self.secret,
            "hub.lease_seconds": round(lease_s),
        }).encode()  # fmt: skip

    def answer(self, question: Mapping[str, str], now: float, longest_s: float) -> tuple[Subscription, str] | None:
        """The record after a hub's question whether we asked for this, and the text to answer with.

        None where we did not: the hub gets a 404, and nothing changes. That includes a question nobody waits for: who
        learned the callback's address cannot prolong or end a subscription by it.
        """
        mode, topic = question.get("hub.mode", ""), question.get("hub.topic", "")
        if topic != self.topic:
            return None
        if mode == "denied":
            return replace(self, state="denied", ends_at=0.0), ""
        challenge = question.get("hub.challenge", "")
        if mode != "subscribe" or not challenge or not self.tries:
            return None
        try:
            lease = min(longest_s, max(1.0, float(question.get("hub.lease_seconds", longest_s))))
        except ValueError:
            return None
        return replace(self, state="active", tries=0, lease_s=lease, ends_at=now + lease), challenge


def load(text: bytes | str) -> Subscription:
    """The record as it was stored.

    Raises:
        StateError: damaged, or of another version.
    """
    try:
        row = json.loads(text)
        if row.pop("v") != VERSION:
            raise StateError("a subscription is of another version")
        return Subscription(**row)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StateError(f"a subscription cannot be read: {type(error).__name__}") from None


def signed(header: str, secret: str, body: bytes) -> bool:
    """Whether a delivery's ``X-Hub-Signature`` is that of its body; compared in constant time."""
    method, _, given = header.strip().partition("=")
    if method not in _METHODS or not given.isascii():
        return False
    return hmac.compare_digest(hmac.new(secret.encode(), body, method).hexdigest(), given.strip().lower())


def topic_of(body: bytes, url: str, link_header: str = "") -> str:
    """The feed's own address as it states it (``rel=self``), else the one it was fetched from."""
    found = _SELF_HEADER.search(link_header[:4000])
    stated = found[1] if found else ""
    if not stated and body.lstrip()[:1] == b"<":
        root: Any = parse_xml(body[:_HEAD])
        links = root.iter() if root is not None else ()
        stated = next((e.get("href") or "" for e in links if _is_self(e)), "")
    elif not stated:
        stated = _of_json(body)
    try:
        absolute = urljoin(url, stated) if stated else url
        canonical_url(absolute)
    except (RefusedError, ValueError):
        return url
    return absolute if len(absolute) <= _MOST_TOPIC else url


def _is_self(element: Any) -> bool:
    # The channel's own, not an entry's.
    parent = element.getparent()
    return (
        isinstance(element.tag, str)
        and element.tag.rpartition("}")[2] == "link"
        and element.get("rel") == "self"
        and parent is not None
        and str(parent.tag).rpartition("}")[2] in ("channel", "feed", "RDF")
    )


def _of_json(body: bytes) -> str:
    try:
        stated = json.loads(body).get("feed_url", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return stated if isinstance(stated, str) else ""


class RedisSubscriptions(RedisStore):
    """The subscriptions in Redis, so that any server may answer a hub and one at a time asks it."""

    below = "websub"

    async def add(self, subscription: Subscription) -> Subscription:
        """The subscription of a feed: this one where there was none, else the one there is."""
        row = await self._redis.eval(_ADD, 1, self._key, subscription.feed, subscription.token, subscription.dump())
        with suppress(StateError):
            return load(row)
        await self.remove(subscription)  # of another version: it begins anew
        return await self.add(subscription)

    async def get(self, token: str) -> Subscription | None:
        """The subscription of a callback, None where there is none that can be read."""
        row = await self._redis.hget(f"{self._key}:records", token)
        with suppress(StateError):
            return load(row) if row is not None else None
        return None

    async def all(self) -> list[Subscription]:
        """All that can be read."""
        found = []
        for row in (await self._redis.hgetall(f"{self._key}:records")).values():
            with suppress(StateError):
                found.append(load(row))
        return found

    async def write(self, subscription: Subscription) -> None:
        """Writes a subscription anew; one that was removed stays so."""
        await self._redis.eval(_WRITE, 1, self._key, subscription.token, subscription.dump())

    async def remove(self, subscription: Subscription) -> None:
        """Forgets a subscription; what its hub still sends gets a 404, which ends it there."""
        await self._redis.hdel(f"{self._key}:feeds", subscription.feed)
        await self._redis.hdel(f"{self._key}:records", subscription.token)

    async def claim(self, subscription: Subscription) -> bool:
        """Whether this worker is the one that asks the hub now; for a minute no other is."""
        return bool(await self._redis.set(f"{self._key}:asks:{subscription.token}", b"1", nx=True, ex=_CLAIM_S))

    async def release(self, subscription: Subscription) -> None:
        """Ends the claim."""
        await self._redis.delete(f"{self._key}:asks:{subscription.token}")
