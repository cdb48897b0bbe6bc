"""Kafka: one message per version, through librdkafka's idempotent producer."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from articlebot.errors import ConfigError
from articlebot.publishing.sink import Event, Interrupted, Refusal

_TOO_BIG = frozenset({"MSG_SIZE_TOO_LARGE", "_MSG_SIZE_TOO_LARGE", "INVALID_MSG", "INVALID_RECORD"})


class Kafka:
    """Sends JSON under the page key, so that the versions of an article stay in order in one partition.

    The header ``idempotency-key`` carries the event's key. ``producer`` are librdkafka's settings.

    Raises:
        ConfigError: the client is not installed, or refuses the settings.
    """

    def __init__(self, topic: str, producer: Mapping[str, Any], timeout_s: float = 30.0) -> None:
        try:
            client = importlib.import_module("confluent_kafka")
        except ImportError:
            raise ConfigError(
                "the Kafka sink needs confluent-kafka: pip install '.[kafka]' in the source tree"
            ) from None
        settings = {"enable.idempotence": True, "message.timeout.ms": int(timeout_s * 1000), **producer}
        try:
            self._producer = client.Producer(settings)
        except (client.KafkaException, ValueError, TypeError) as error:
            raise ConfigError(f"the Kafka sink: {error}") from None
        self._topic, self._timeout_s = topic, timeout_s

    def deliver(self, events: Sequence[Event]) -> Iterable[Refusal]:
        """Sends the events and waits until the brokers have them all.

        Raises:
            Interrupted: a message was not confirmed in time.
        """
        taken: list[str] = []
        errors: dict[str, Any] = {}
        for event in events:
            body = json.dumps(event.article, ensure_ascii=False, separators=(",", ":")).encode()
            self._producer.produce(
                self._topic, body, key=str(event.article["page_key"]),
                headers=[("idempotency-key", event.key.encode()), ("type", event.type.encode())],
                on_delivery=partial(_confirmed, event.key, taken, errors),
            )  # fmt: skip
        self._producer.flush(self._timeout_s + 1)
        refusals = [
            Refusal(key, str(error))
            for key, error in errors.items()
            if not error.retriable() and error.name() in _TOO_BIG
        ]
        if len(taken) + len(refusals) < len(events):
            first = next((str(error) for error in errors.values()), "no answer in time")
            raise Interrupted(f"Kafka: {first}", taken, refusals)
        return refusals

    def close(self) -> None:
        """Waits for what is under way."""
        self._producer.flush(self._timeout_s)


def _confirmed(key: str, taken: list[str], errors: dict[str, Any], error: Any, _message: Any) -> None:
    if error is None:
        taken.append(key)
    else:
        errors[key] = error
