"""Change of a page, and near-duplicates among pages."""

from articlebot.dedup.change import article_text, judge_change
from articlebot.dedup.looks import Arrival
from articlebot.dedup.near_duplicates import Assignments, NearDuplicates, Placement, sketches_of
from articlebot.dedup.sketch import Sketch

__all__ = [
    "Arrival", "Assignments", "NearDuplicates", "Placement", "Sketch", "article_text", "judge_change", "sketches_of",
]  # fmt: skip
