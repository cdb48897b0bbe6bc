"""Change of a page, and near-duplicates among pages."""

from articlebot.dedup.change import ChangeVerdict, article_text, judge_change
from articlebot.dedup.near_duplicates import Cluster, NearDuplicates, Placement

__all__ = ["ChangeVerdict", "Cluster", "NearDuplicates", "Placement", "article_text", "judge_change"]
