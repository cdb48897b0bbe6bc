"""OpenSearch or Elasticsearch: one document per article, through the bulk interface."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from articlebot.errors import StoreUnavailable
from articlebot.publishing.endpoint import Endpoint
from articlebot.publishing.sink import Event, Interrupted, Refusal

# Overload, and what is the configuration's fault: no right to write, no such index, a read-only one.
_AWAY = {408, 429, 502, 503, 504}
_CONFIGURED = {401, 403, 404}


class OpenSearch:
    """Indexes each article under its page key with its version as the document's external version.

    A version that comes again replaces itself, one that comes late changes nothing; so each document is as the newest
    version delivered, however often anything was sent. A withdrawn article's document is kept (``change`` says so) or
    deleted.
    """

    def __init__(self, endpoint: Endpoint, index: str, withdrawn: Literal["keep", "delete"] = "keep") -> None:
        self._endpoint, self._index, self._withdrawn = endpoint, index, withdrawn

    def deliver(self, events: Sequence[Event]) -> Iterable[Refusal]:
        """Sends the events in one bulk request.

        Raises:
            StoreUnavailable: the cluster is away, overloaded or answers something else than the bulk interface does;
                what it took of the batch may be sent again.
        """
        body = "".join(line for event in events for line in self._lines(event)).encode()
        path = f"{self._endpoint.path.rstrip('/')}/_bulk"
        status, answer = self._endpoint.post(body, {"Content-Type": "application/x-ndjson"}, path)
        if status in (400, 413):
            return self._halved(events, f"{status} {answer[:200].decode(errors='replace')}")
        if status != 200:  # of the cluster or the configuration, not of one article
            said = f"the index answers {status} {answer[:200].decode(errors='replace')}".strip()
            raise Interrupted(said, (), asks_s=self._endpoint.asks_s)
        try:
            items = [item.popitem() for item in json.loads(answer)["items"]]
            results = [(action, int(result["status"]), result.get("error")) for action, result in items]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreUnavailable(f"the index answers no bulk result: {answer[:200]!r}") from error
        if len(results) != len(events):
            raise StoreUnavailable(f"the index answers for {len(results)} of {len(events)} articles")
        return _refusals(events, results)

    def close(self) -> None:
        """Closes the connection."""
        self._endpoint.close()

    def _halved(self, events: Sequence[Event], reason: str) -> Iterable[Refusal]:
        """Sends a batch that is too large or malformed as a whole in halves, down to the one event that is to blame."""
        if len(events) == 1:
            return [Refusal(events[0].key, reason)]
        half = len(events) // 2
        return [*self.deliver(events[:half]), *self.deliver(events[half:])]

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
        yield json.dumps(event.article, ensure_ascii=False) + "\n"


def _refusals(events: Sequence[Event], results: Sequence[tuple[str, int, Any]]) -> list[Refusal]:
    refusals, taken, away = [], [], ""
    for event, (action, status, error) in zip(events, results, strict=True):
        absent = status == 404 and action == "delete"  # there was nothing to delete
        if status in _AWAY or (status in _CONFIGURED and not absent):
            away = away or f"{status} {json.dumps(error, ensure_ascii=False)[:300]}"
            continue
        taken.append(event.key)
        if status >= 300 and status != 409 and not absent:  # 409: it has a later version
            reason = json.dumps(error or status, ensure_ascii=False)[:300]
            refusals.append(Refusal(event.key, reason, final=status == 400))
    if away:
        raise Interrupted(f"the index answers {away}", taken, refusals)
    return refusals
