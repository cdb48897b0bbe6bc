"""A model of the protocols that keep pages and versions: small enough to look at every state that they can reach.

``check`` explores ``Protocol``, the frontier's, or ``Outbox``; ``trace.follow`` holds a simulated run against the
former. ``python -m articlebot_lab.model`` does all three.
"""

from articlebot_lab.model.checker import Result, check
from articlebot_lab.model.outbox import Outbox
from articlebot_lab.model.protocol import Protocol

__all__ = ["Outbox", "Protocol", "Result", "check"]
