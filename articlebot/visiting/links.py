"""The links of a page on their way to the queue."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from redis.exceptions import RedisError

from articlebot.errors import StoreUnavailable
from articlebot.frontier import Candidate
from articlebot.items import Link
from articlebot.jobs.follow import MOST_LIST_PAGES, candidates
from articlebot.urls import page_key
from articlebot.visiting.answer import Answer
from articlebot.visiting.desk import Desk

logger = logging.getLogger(__name__)
# Links that are named where a page is looked at by hand.
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Admitted:
    """What became of a page's links.

    Attributes:
        found: those that may be followed.
        new: how many of them nobody has seen before; None where they are only shown.
    """

    found: list[Candidate]
    new: int | None


async def admit(
    desk: Desk, page: Answer, links: Sequence[Link], published: Mapping[str, float | None] | None = None,
    stated: Mapping[str, float | None] | None = None,
) -> Admitted:  # fmt: skip
    """Queues those of a page's links that its job may follow and that are new.

    Scrapy's own commands only name them.

    Args:
        published: when a feed or sitemap says that they appeared, epoch seconds, by their URL.
        stated: and that they were changed last.
    """
    usual = desk.runtime.config.delays.mean_s
    found = candidates(
        desk.jobs, page.job, links, page.visit, published or {}, usual_delay=usual, stated=stated or {},
        fresh=_is_read_again(page),
    )  # fmt: skip
    desk.note_said(found)
    async with desk.runtime.twins.turn(page.fetched.url):
        found = await _once(desk, found)
        if desk.runtime.tool:
            logger.info("Would follow %d links: %s", len(found), ", ".join(one.url for one in found[:_SHOWN]))
            return Admitted(found, None)
        new = await desk.runtime.frontier.links.admit(
            found, job=page.job.name, parent_url=page.fetched.url, depth=page.visit.depth + 1,
            from_list=page.visit.depth == 0, errback="failed",
        )  # fmt: skip
    desk.outcomes.count("links/admitted", number=new)
    return Admitted(found, new)


def _is_read_again(page: Answer) -> bool:
    """Whether a page's new links have come since it was read last: an entry page, or what goes on one."""
    visit, seen = page.visit, page.record.state.content_hash != 0
    if visit.depth or visit.backfill or visit.candidate:
        return False
    return seen if visit.part == 1 else visit.kind == "list" and not visit.further and visit.part < MOST_LIST_PAGES


async def _once(desk: Desk, found: list[Candidate]) -> list[Candidate]:
    """The candidates without the parameters that change nothing, each address once."""
    try:
        cleaned = await desk.runtime.twins.cleaned((one.url, one.meta.get("anchor", "")) for one in found)
        for site, keys in cleaned.read.items():
            await desk.runtime.frontier.of_host(site).seen.mark(keys)
    except (RedisError, StoreUnavailable) as error:
        # At the worst an article is fetched under two addresses.
        logger.info("Parameters of links are left as they are: %s", error)
        return found
    if cleaned.learned:
        logger.info("%s: tells no addresses apart from now on: %s", found[0].url, ", ".join(cleaned.learned))
        desk.outcomes.count("links/parameter_dropped", number=len(cleaned.learned))
    once: dict[int, Candidate] = {}
    for one in found:
        url = cleaned.urls.get(one.url, one.url)
        key = cleaned.keys.get(one.url) or page_key(url)
        once.setdefault(key, _under(one, url, key))
    return list(once.values())


def _under(one: Candidate, url: str, key: int) -> Candidate:
    """A candidate under another address or key."""
    return one if (url, key) == (one.url, one.key) else replace(one, url=url, key=key, meta={**one.meta, "key": key})
