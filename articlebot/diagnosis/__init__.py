"""Why a crawl found nothing, or far less than before: from small counts of each job to a sentence and what to do."""

from articlebot.diagnosis.coverage import Coverage, coverage
from articlebot.diagnosis.findings import Finding, diagnose, exits_badly, told
from articlebot.diagnosis.store import RedisPasts
from articlebot.diagnosis.tally import JobCounts, Past, Tally, after

__all__ = [
    "Coverage", "Finding", "JobCounts", "Past", "RedisPasts", "Tally", "after", "coverage", "diagnose", "exits_badly",
    "told",
]  # fmt: skip
