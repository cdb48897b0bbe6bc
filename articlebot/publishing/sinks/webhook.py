"""A webhook: one signed POST per version."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from articlebot.publishing.endpoint import Endpoint
from articlebot.publishing.sink import Event, Interrupted, Refusal

# Answers that speak of the server's state, and those that speak of what was sent. Any other (a 500, a redirect, a wrong
# password) speaks of the one version only where the server took another.
_AWAY = {408, 425, 429, 502, 503, 504}
_CONTENT = {400, 406, 409, 411, 413, 415, 422, 431}


class Webhook:
    """Posts ``{"type", "timestamp", "data"}`` as the Standard Webhooks specification (1.0.0) has it.

    Headers: ``webhook-id`` (the idempotency key, also ``Idempotency-Key``), ``webhook-timestamp`` and, with a secret
    (base64 after ``whsec_``, else taken as it is), ``webhook-signature``: ``v1,`` and the base64 of HMAC-SHA256 over
    ``id.timestamp.body``.
    """

    def __init__(self, endpoint: Endpoint, secret: str | None, now: Callable[[], float]) -> None:
        self._endpoint, self._now = endpoint, now
        self._key = None if secret is None else signing_key(secret)

    def deliver(self, events: Sequence[Event]) -> Iterable[Refusal]:
        """Posts each event, oldest first.

        Raises:
            Interrupted: no answer in time, an answer that means later, or not one event taken and none to blame.
        """
        refusals: list[Refusal] = []
        judged = False
        for number, event in enumerate(events):
            done = [earlier.key for earlier in events[:number]]
            try:
                status, _ = self._post(event)
            except OSError as error:
                raise Interrupted(str(error) or type(error).__name__, done, refusals) from error
            if status in _AWAY:
                raise Interrupted(f"the webhook answers {status}", done, refusals, self._endpoint.asks_s)
            taken = 200 <= status < 300
            judged = judged or taken or status in _CONTENT
            if not taken:
                # Without its text: it may repeat what was sent to it, secrets included, and this is kept and shown.
                refusals.append(Refusal(event.key, str(status)))
        if refusals and not judged:
            raise Interrupted(f"the webhook takes nothing: {refusals[0].reason}", ())
        return refusals

    def close(self) -> None:
        """Closes the connection."""
        self._endpoint.close()

    def _post(self, event: Event) -> tuple[int, bytes]:
        at = int(self._now())
        payload = {"type": f"article.{event.type}", "timestamp": at, "data": event.article}
        return post_signed(self._endpoint, self._key, event.key, at, payload)


def post_signed(endpoint: Endpoint, key: bytes | None, name: str, at: int, payload: Any) -> tuple[int, bytes]:
    """Posts a message under an id by which a repetition is known; status and body of the answer.

    Raises:
        OSError: no connection, no answer in time, or not HTTP.
    """
    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    headers = {
        "Content-Type": "application/json", "Idempotency-Key": name, "webhook-id": name, "webhook-timestamp": str(at),
    }  # fmt: skip
    if key is not None:
        headers["webhook-signature"] = f"v1,{signature(key, name, at, body)}"
    return endpoint.post(body, headers)


def signature(key: bytes, event_key: str, at: int, body: bytes) -> str:
    """Base64 of HMAC-SHA256 over ``id.timestamp.body``."""
    return base64.b64encode(hmac.digest(key, f"{event_key}.{at}.".encode() + body, "sha256")).decode()


def signing_key(secret: str) -> bytes:
    """The key of a secret: base64 after ``whsec_``, else its text."""
    return base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
