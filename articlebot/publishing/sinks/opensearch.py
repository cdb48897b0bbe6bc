"""OpenSearch or Elasticsearch: one document per article, through the bulk interface."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from articlebot.errors import StoreUnavailable
from articlebot.publishing.endpoint import Endpoint
from articlebot.publishing.sink import Event, Refusal

_AWAY = {408, 429, 502, 503, 504}


class OpenSearch:
    """Indexes each article under its page key with its version as the document's external version.

    A version that comes again replaces itself, one that comes late changes nothing; so each document is as the newest
    version delivered, however often anything was sent.

    Args:
        endpoint: the cluster's address.
        index: the index, which may have a mapping of its own.
        withdrawn: keep a withdrawn article's document (``change`` says so) or delete it.
    """

    def __init__(self, endpoint: Endpoint, index: str, withdrawn: Literal["keep", "delete"] = "keep") -> None:
        self._endpoint, self._index, self._withdrawn = endpoint, index, withdrawn

    def deliver(self, events: Sequence[Event]) -> Iterable[Refusal]:
        """Sends the events in one bulk request.

        Raises:
            StoreUnavailable: the cluster is away or overloaded; what it took of the batch may be sent again.
        """
        body = "".join(line for event in events for line in self._lines(event)).encode()
        path = f"{self._endpoint.path.rstrip('/')}/_bulk"
        status, answer = self._endpoint.post(body, {"Content-Type": "application/x-ndjson"}, path)
        if status in _AWAY or status >= 500:
            raise StoreUnavailable(f"the index answers {status}")
        if status != 200:
            reason = f"{status} {answer[:200].decode(errors='replace')}"
            return [Refusal(event.key, reason) for event in events]
        return self._refusals(events, json.loads(answer))

    def close(self) -> None:
        """Closes the connection."""
        self._endpoint.close()

    def _lines(self, event: Event) -> Iterable[str]:
        article = event.article
        where = {
            "_index": self._index, "_id": article["page_key"],
            "version": article["version"], "version_type": "external_gte",
        }  # fmt: skip
        if event.type == "withdrawn" and self._withdrawn == "delete":
            yield json.dumps({"delete": where}) + "\n"
            return
        yield json.dumps({"index": where}) + "\n"
        yield json.dumps(event.payload(), ensure_ascii=False) + "\n"

    def _refusals(self, events: Sequence[Event], answer: dict[str, Any]) -> list[Refusal]:
        refusals = []
        for event, item in zip(events, answer["items"], strict=True):
            [result] = item.values()
            status = int(result["status"])
            if status < 300 or status == 409 or (status == 404 and "delete" in item):
                continue  # 409: it has a later version; 404: there was nothing to delete
            if status in _AWAY:
                raise StoreUnavailable(f"the index answers {status} for {event.key}")
            reason = json.dumps(result.get("error", status), ensure_ascii=False)[:300]
            refusals.append(Refusal(event.key, reason, final=status == 400))
        return refusals
