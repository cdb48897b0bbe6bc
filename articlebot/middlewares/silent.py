"""What becomes of a page whose host does not answer, or refuses for haste: its slot rests and it goes back."""

from __future__ import annotations

from collections.abc import Callable

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from articlebot.extraction.walls import wall_in
from articlebot.frontier.breaker import unanswered
from articlebot.frontier.in_hand import InHand
from articlebot.frontier.pace import REFUSALS
from articlebot.frontier.scheduler import Scheduler
from articlebot.page import page_of
from articlebot.runtime.trial import is_light


def does_not_answer(crawler: Crawler, request: Request, fault: str) -> bool:
    """Whether a request goes back to the queue because its host was silent; else it had its tries, or has no lease."""
    return _goes_back(crawler, request, fault, lambda in_hand, tries: in_hand.no_answer(request, fault, tries))


def refuses(crawler: Crawler, request: Request, response: Response) -> bool:
    """The same for a host that refuses it for haste or load: with 429 or 503, where these are tried again at all.

    A wall for robots, which no patience moves, and what the spider wants to see are none.
    """
    status = response.status
    if status not in REFUSALS or status not in map(int, crawler.settings.getlist("RETRY_HTTP_CODES")):
        return False
    if not _tries(crawler) or request.meta.get("dont_retry") or _asks_for_proof(response):
        return False
    handled = getattr(crawler.spider, "handle_httpstatus_list", ())
    if request.meta.get("handle_httpstatus_all") or status in request.meta.get("handle_httpstatus_list", handled):
        return False
    return _goes_back(
        crawler, request, f"http_{status}", lambda in_hand, tries: in_hand.refused(request, status, tries)
    )


def _goes_back(crawler: Crawler, request: Request, fault: str, tell: Callable[[InHand, int], bool]) -> bool:
    scheduler = Scheduler.of(crawler)
    if scheduler is None or not scheduler.in_hand.holds(request):
        return False
    if tell(scheduler.in_hand, tries_of(crawler, request)):
        crawler.signals.send_catch_log(unanswered, request=request, fault=fault)
        return True
    request.meta["dont_retry"] = True  # it had its tries
    return False


def tries_of(crawler: Crawler, request: Request) -> int:
    """How often Scrapy tries a request again."""
    if request.meta.get("dont_retry"):
        return 0
    return int(request.meta.get("max_retry_times", _tries(crawler)))


def _tries(crawler: Crawler) -> int:
    """How often Scrapy tries again."""
    settings = crawler.settings
    return settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0


def _asks_for_proof(response: Response) -> bool:
    """Whether a 503 is a wall for robots."""
    if response.status != 503 or not isinstance(response, HtmlResponse) or not is_light(response.body):
        return False
    return wall_in(page_of(response)) in ("captcha", "challenge")
