"""Delivering what was archived: outbox, routes and sinks."""

from articlebot.publishing import letters
from articlebot.publishing.atom import edits_feed
from articlebot.publishing.deliverer import Deliverer
from articlebot.publishing.outbox import Counts, Outbox, Retry, open_outbox
from articlebot.publishing.sink import Event, Interrupted, Refusal, Sink
from articlebot.publishing.specs import Routes, Rule, Sinks, open_sinks

__all__ = [
    "Counts", "Deliverer", "Event", "Interrupted", "Outbox", "Refusal", "Retry", "Routes", "Rule", "Sink", "Sinks",
    "edits_feed", "letters", "open_outbox", "open_sinks",
]  # fmt: skip
