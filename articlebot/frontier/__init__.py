"""The frontier: which page is fetched next, by whom and when.

``Frontier`` is the queue in Redis, ``slots`` and ``delays`` decide, ``scheduler.Scheduler`` is Scrapy's SCHEDULER.
"""

from articlebot.frontier.delays import DelayPolicy
from articlebot.frontier.envelope import Candidate, Envelope
from articlebot.frontier.leases import Counts, Leased, Settlement, Taken
from articlebot.frontier.queue import Frontier
from articlebot.frontier.slots import SlotKeys, adjacent, slot_for

__all__ = [
    "Candidate",
    "Counts",
    "DelayPolicy",
    "Envelope",
    "Frontier",
    "Leased",
    "Settlement",
    "SlotKeys",
    "Taken",
    "adjacent",
    "slot_for",
]
