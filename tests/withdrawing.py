"""Taking an article back, as the spider does when its page is gone."""

from __future__ import annotations

from articlebot.archive import Archive, Published
from articlebot.items import Article, Withdrawal


def withdraw(archive: Archive, article: Article, at: float) -> Published:
    (published,) = archive.publish([Withdrawal(url="", page_key=article.page_key, job="", at=at, reason="gone")], at)
    return published
