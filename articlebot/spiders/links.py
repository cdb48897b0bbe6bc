"""The links of a page on their way to the queue."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from articlebot.jobs.follow import candidates

if TYPE_CHECKING:
    from articlebot.frontier import Candidate
    from articlebot.items import Link
    from articlebot.spiders.answer import Answer
    from articlebot.spiders.desk import Desk

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
    desk: Desk, page: Answer, links: Sequence[Link], published: Mapping[str, float | None] | None = None
) -> Admitted:
    """Queues those of a page's links that its job may follow and that are new.

    Scrapy's own commands only name them.

    Args:
        published: when a feed or sitemap says that they appeared, epoch seconds, by their URL.
    """
    usual = desk.runtime.config.delays.mean_s
    found = candidates(desk.jobs, page.job, links, page.visit, published or {}, usual_delay=usual)
    if desk.runtime.tool:
        logger.info("Would follow %d links: %s", len(found), ", ".join(one.url for one in found[:_SHOWN]))
        return Admitted(found, None)
    new = await desk.runtime.frontier.links.admit(
        found, job=page.job.name, parent_url=page.fetched.url, depth=page.visit.depth + 1,
        from_list=page.visit.depth == 0, errback="failed",
    )  # fmt: skip
    desk.outcomes.count("links/admitted", number=new)
    return Admitted(found, new)
