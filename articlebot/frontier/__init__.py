"""The frontier: which page is fetched next, by whom and when.

``Frontier`` is the queue in Redis, ``slots`` and ``delays`` decide, ``scheduler.Scheduler`` is Scrapy's SCHEDULER.
"""

from articlebot.frontier.delays import DelayPolicy
from articlebot.frontier.envelope import Candidate, Envelope
from articlebot.frontier.leases import Leased, Settlement
from articlebot.frontier.queue import Frontier
from articlebot.frontier.slots import slot_for

__all__ = ["Candidate", "DelayPolicy", "Envelope", "Frontier", "Leased", "Settlement", "slot_for"]
