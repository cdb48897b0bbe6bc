"""Freshness objectives: how soon after its publication an article of a job is archived, and who is told."""

from articlebot.freshness.measure import measure
from articlebot.freshness.notify import Notifier
from articlebot.freshness.objective import Measured, is_breached, percentile
from articlebot.freshness.store import Due, Objective, RedisFreshness

__all__ = ["Due", "Measured", "Notifier", "Objective", "RedisFreshness", "is_breached", "measure", "percentile"]
