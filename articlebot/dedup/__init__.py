"""Change of a page, and near-duplicates among pages."""

from articlebot.dedup.change import ChangeVerdict, article_text, judge_change

__all__ = ["ChangeVerdict", "article_text", "judge_change"]
