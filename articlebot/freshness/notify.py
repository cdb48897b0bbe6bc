"""Messages about objectives, signed as the webhook sink signs versions."""

from __future__ import annotations

from articlebot.freshness.store import Due
from articlebot.publishing.endpoint import Endpoint
from articlebot.publishing.sinks.webhook import post_signed, signing_key


class Notifier:
    """Posts ``{"type": "freshness.breached", "timestamp", "data"}``, and ``freshness.recovered`` when it is over.

    Args:
        url: where to.
        secret: of the signature, as of the webhook sink; None: unsigned.
        name: of the crawl, part of each message's id, by which a repetition is known.

    Raises:
        ConfigError: not such a URL.
    """

    def __init__(self, url: str, secret: str | None, name: str) -> None:
        self._endpoint = Endpoint(url)
        self._key = None if secret is None else signing_key(secret)
        self._name = name

    def send(self, due: Due, now: float) -> None:
        """Posts a message.

        Raises:
            OSError: it was not taken.
        """
        one = due.objective
        data = {
            "job": one.job, "objective_s": one.objective_s, "p95_s": one.p95_s, "articles": one.articles,
            "since": one.since,
        }  # fmt: skip
        payload = {"type": f"freshness.{due.kind}", "timestamp": int(now), "data": data}
        name = f"{self._name}-freshness-{one.job}-{due.turn}"
        status, answer = post_signed(self._endpoint, self._key, name, int(now), payload)
        if not 200 <= status < 300:
            raise OSError(f"{status} {answer[:200].decode(errors='replace')}".strip())

    def close(self) -> None:
        """Closes the connection."""
        self._endpoint.close()
