"""What becomes of a page whose host does not answer, or refuses for haste: its slot rests and it goes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from articlebot.frontier.breaker import unanswered
from articlebot.frontier.scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler

    from articlebot.frontier.in_hand import InHand


def does_not_answer(crawler: Crawler, request: Request, fault: str) -> bool:
    """Whether a request goes back to the queue because its host was silent; else it had its tries, or has no lease."""
    return _goes_back(crawler, request, fault, lambda in_hand, tries: in_hand.no_answer(request, fault, tries))


def refuses(crawler: Crawler, request: Request, status: int) -> bool:
    """The same for a host that refuses it for haste or load with this status, 429 or 503."""
    return _goes_back(
        crawler, request, f"http_{status}", lambda in_hand, tries: in_hand.refused(request, status, tries)
    )


def _goes_back(crawler: Crawler, request: Request, fault: str, tell: Callable[[InHand, int], bool]) -> bool:
    scheduler = Scheduler.of(crawler)
    if scheduler is None or not scheduler.in_hand.holds(request):
        return False
    usual = crawler.settings.getint("RETRY_TIMES") if crawler.settings.getbool("RETRY_ENABLED") else 0
    if tell(scheduler.in_hand, 0 if request.meta.get("dont_retry") else request.meta.get("max_retry_times", usual)):
        crawler.signals.send_catch_log(unanswered, request=request, fault=fault)
        return True
    request.meta["dont_retry"] = True  # it had its tries
    return False
