"""What is not believed at once: a notice in place of an article, another article at its address, or the half of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from typing import Any

from articlebot.archive import Edit
from articlebot.dedup import article_text, judge_change
from articlebot.dedup.volatile import compare
from articlebot.items import Article
from articlebot.page.text import squash
from articlebot.runtime.repeats import MOST_CHARS, shown_on
from articlebot.text import content_hash, normalise
from articlebot.text.simhash import distance
from articlebot.urls import site
from articlebot.visiting.answer import Answer
from articlebot.visiting.desk import Desk
from articlebot.visiting.identity import MOST_BITS, Identity
from articlebot.visiting.outcomes import is_read

# As ``middlewares.packing`` tells a whole page.
_TAIL, _LAST_TAG = 1024, re.compile(rb"</html", re.I)
# What stands at other addresses too is believed after so many visits in a row, and seconds, that showed it.
_FOR_GOOD, _FOR_GOOD_S = 3, 86_400.0


class Doubts:
    """Compares an article with what was at its address, where that was read before.

    Args:
        desk: what it works with.
        identity: tells an article from others.
    """

    def __init__(self, desk: Desk, identity: Identity) -> None:
        self._runtime, self._identity = desk.runtime, identity

    async def about(self, page: Answer, article: Article, further: Collection[str]) -> str | None:
        """Why an article is not to be published now: ``notice`` or ``unlike_before``; None where it is believed.

        Another headline with another text, or half of the same text, may stand there for an hour: what belongs to
        another site or page, or what a server had of it. So may an older version, which one of a site's servers still
        has. The next visit that shows it again is believed; what stands at another address, only when it is for good.

        Args:
            further: the article's further pages; what was there before has the text of all.
        """
        known, short = is_read(page.record), len(article.body) < MOST_CHARS
        if article.kind != "article" or not (known or short):
            return None
        is_like = known and self._identity.is_like(page, article)
        key = page.record.key if known else 0
        text = article_text(article.title, article.body)
        shown = judge_change(0, 0, text, self._runtime.config.change).fingerprint
        hashed, was_here, called_so, elsewhere = content_hash(text), False, False, False
        is_same = known and hashed == page.record.state.content_hash
        if known and not (further or is_same):
            was_here, called_so, elsewhere = await self._stood(key, article, hashed)
        if not is_like:
            elsewhere = elsewhere or await self._runtime.repeats.notice(article.site, shown_on(page.fetched.page), key)
            # What other addresses showed by a server's mistake may be an article's own text, back again.
            if elsewhere and not (was_here or called_so):
                return None if known and await self._is_for_good(page, shown) else "notice"
        if not known or is_same:
            return None
        if not (was_here or called_so) and await self._is_expected(page, article, further, is_like):
            return None
        at_last = await self._runtime.repeats.doubted(key, shown)
        may_differ = 0 if was_here else MOST_BITS
        if at_last is not None and page.record.state.failures > 0 and distance(at_last, shown) <= may_differ:
            return None
        return "unlike_before"

    async def _is_for_good(self, page: Answer, shown: int) -> bool:
        """Whether an article gave way to what others show too: merged with them, or taken down with one sentence.

        Maintenance ends, and a site publishes nothing meanwhile.
        """
        at_last, state = await self._runtime.repeats.doubted(page.record.key, shown), page.record.state
        if at_last != shown or state.failures < _FOR_GOOD - 1 or page.fetched.at - state.last_at < _FOR_GOOD_S:
            return False
        archive, since = self._runtime.archive, state.last_at
        return await self._runtime.archive_wait.call(
            lambda: asyncio.to_thread(archive.has_since, site(page.record.url), since), "A site's newest article"
        )

    async def _is_expected(self, page: Answer, article: Article, further: Collection[str], is_like: bool) -> bool:
        """Whether another text than before is what was there, edited."""
        may_be_half = not further and _may_be_half(page)
        if is_like and not may_be_half:
            return True
        # The first of several pages is short and unlike the whole, and no notice.
        if len(article.body) < MOST_CHARS and not (further or is_like):
            return False
        if (before := await self._archived(page.record.key)) is None:
            return True
        is_half = may_be_half and _is_beginning(article.body, before["body"] or "")
        return not is_half and (is_like or squash(article.title) == squash(before["title"]))

    async def _stood(self, key: int, article: Article, text: int) -> tuple[bool, bool, bool]:
        """Whether an older version of an article had a text (its hash), or its headline; whether another has it now.

        Headlines that are tried on readers change back and forth, and a line that counts hides that the text is the
        same: the headline is told where all else is as in the newest version.
        """
        archive = self._runtime.archive

        def stood() -> tuple[bool, bool, bool]:
            others = archive.with_text(article.body, text, [article.site])
            hashes = archive.hashes_of(key)
            called_so = len(hashes) > 1 and _is_former_title(archive.history(key), article)
            return text in hashes[:-1], called_so, any(other != key for other, _ in others)

        return await self._runtime.archive_wait.call(lambda: asyncio.to_thread(stood), "An article that was edited")

    async def _archived(self, key: int) -> dict[str, Any] | None:
        return await self._runtime.archive_wait.call(
            lambda: asyncio.to_thread(self._runtime.archive.newest_of, key), "An article that is another one"
        )


def _is_former_title(history: Sequence[Edit], article: Article) -> bool:
    """Whether an article differs from its newest version by a headline alone that an older version had."""
    *titles, newest = [squash(one.row["title"] or "") for one in history]
    title, before = squash(article.title), history[-1].row["body"] or ""
    return newest != title and title in titles and not compare(before, article.body).edited


def _may_be_half(page: Answer) -> bool:
    is_html = "html" in (page.fetched.content_type or "html")
    return is_html and not _LAST_TAG.search(page.fetched.body[-_TAIL:])


def _is_beginning(text: str, whole: str) -> bool:
    half, all_ = normalise(text), normalise(whole)
    return len(half) < len(all_) and all_.startswith(half)
