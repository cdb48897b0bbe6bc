"""Numbers for Prometheus: a text endpoint in the crawl's own process, where a port is named."""

from __future__ import annotations

import logging
import re
import resource
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from redis.exceptions import RedisError
from scrapy.crawler import Crawler

from articlebot.alerts.freshness import objectives
from articlebot.errors import Off, StateError, StoreUnavailable
from articlebot.extensions.listening import listen, stop
from articlebot.items import Article
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)

# Seconds between two looks at sizes in Redis: Prometheus asks every 15 to 60 s.
GAUGES_S = 15.0
# Seconds from a page's own date to the archive; a first crawl finds old articles, so look at rates, not at totals.
BUCKETS = (10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400)
_GAUGES = {"articlebot/jobs/mine": "articlebot_jobs_mine", "articlebot/proxies/pool": "articlebot_proxies_pool"}
_SCRAPY = {
    "downloader/request_count": "scrapy_requests_total",
    "downloader/response_bytes": "scrapy_response_bytes_total",
    "item_scraped_count": "scrapy_items_total",
}
_LABELLED = {
    "downloader/response_status_count/": ("scrapy_responses_total", "status"),
    "downloader/exception_type_count/": ("scrapy_exceptions_total", "type"),
    "log_count/": ("scrapy_log_total", "level"),
}

Sample = tuple[str, Mapping[str, str], float]


class MetricsExtension(Component):
    """Answers ``GET /metrics`` while a crawl runs, and ``/healthz`` for what only asks whether it lives.

    Raises:
        Off: no port is named.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        port = self._runtime.config.metrics.port
        if port is None:
            raise Off("ARTICLEBOT_METRICS_PORT is not set")
        self._wanted = port
        self._port: Any = None
        self._gauges: list[Sample] = []
        self._delays = [0] * (len(BUCKETS) + 1)
        self._delay_sum = 0.0

    def spider_opened(self) -> None:
        """Listens; a port that is taken costs the metrics, not the crawl."""
        from articlebot.extensions.plain_pages import plain_pages  # noqa: PLC0415 - a server few crawls need

        section, self._begun = self._runtime.config.metrics, self._runtime.now()
        site = plain_pages({"metrics": self.text, "healthz": lambda: "ok\n"})
        self._port = listen("metrics", site, self._wanted, section.address)
        if self._port is None:
            return
        logger.info("Metrics at http://%s:%d/metrics", section.address, self._port.getHost().port)
        self._repeat(self._look, GAUGES_S, now=True)

    async def spider_closed(self) -> None:
        """Stops listening."""
        self._stop()
        await stop(self._port)

    def item_scraped(self, item: Any) -> None:
        """Takes the time from an article's own date to now, for the first version of each."""
        if not isinstance(item, Article) or item.change != "new" or item.published_at_epoch is None:
            return
        with self._runtime.aside("metrics"):
            self._took(max(0.0, self._runtime.now() - item.published_at_epoch))

    def _took(self, delay: float) -> None:
        self._delay_sum += delay
        self._delays[next((i for i, bound in enumerate(BUCKETS) if delay <= bound), len(BUCKETS))] += 1

    def text(self) -> str:
        """All samples in Prometheus' text format, version 0.0.4."""
        stats = self._crawler.stats
        assert stats is not None
        usage = resource.getrusage(resource.RUSAGE_SELF)
        own: list[Sample] = [
            ("articlebot_start_time_seconds", {}, self._begun),
            ("process_cpu_seconds_total", {}, usage.ru_utime + usage.ru_stime),
            ("articlebot_max_resident_bytes", {}, usage.ru_maxrss * 1024),
        ]
        return render([*own, *self._gauges, *of_stats(stats.get_stats()), *self._freshness()])

    def _freshness(self) -> Iterator[Sample]:
        name, count = "articlebot_publication_to_archive_seconds", 0
        for bound, more in zip((*map(str, BUCKETS), "+Inf"), self._delays, strict=True):
            count += more
            yield f"{name}_bucket", {"le": bound}, count
        yield f"{name}_sum", {}, self._delay_sum
        yield f"{name}_count", {}, count

    async def _look(self) -> None:
        runtime = self._runtime
        try:
            counts, pages = await runtime.frontier.counts(), await runtime.pages.counts(runtime.now())
            due_at = await runtime.pages.next_due_at()
            alerts = await runtime.alerts.all()
            fresh = objectives(alerts)
        except (StoreUnavailable, StateError, RedisError) as failure:
            logger.debug("The gauges wait for Redis: %s", failure)
            self._gauges = [("articlebot_redis_up", {}, 0)]
            return
        overdue = 0.0 if due_at is None else max(0.0, runtime.now() - due_at)
        self._gauges = [
            ("articlebot_redis_up", {}, 1),
            *(("articlebot_frontier_requests", {"state": state}, getattr(counts, state))
              for state in ("queued", "leased", "quarantined")),
            ("articlebot_frontier_slots", {}, counts.slots),
            ("articlebot_frontier_workers", {}, counts.workers),
            ("articlebot_pages", {"state": "known"}, pages.pages),
            ("articlebot_pages", {"state": "due"}, pages.due),
            ("articlebot_pages_overdue_seconds", {}, overdue),
            *(("articlebot_alerts_open", {"kind": kind}, number)
              for kind, number in sorted(Counter(one.kind for one in alerts if one.open).items())),
            *(("articlebot_freshness_breached", {"job": one.job}, int(one.breached)) for one in fresh),
            *(("articlebot_freshness_p95_seconds", {"job": one.job}, one.p95_s)
              for one in fresh if one.p95_s is not None),
        ]  # fmt: skip


def of_stats(stats: Mapping[str, Any]) -> Iterator[Sample]:
    """Scrapy's stats as samples: ``articlebot/page/failed/timeout`` becomes
    ``articlebot_page_total{outcome="failed",detail="timeout"}``."""
    for key, value in sorted(stats.items()):
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if key in _GAUGES:
            yield _GAUGES[key], {}, value
        elif key in _SCRAPY:
            yield _SCRAPY[key], {}, value
        elif key.startswith("articlebot/"):
            component, _, rest = key.removeprefix("articlebot/").partition("/")
            outcome, _, detail = rest.partition("/")
            yield (
                f"articlebot_{re.sub(r'[^a-z0-9_]', '_', component)}_total",
                {"outcome": outcome, "detail": detail},
                value,
            )
        for prefix, (name, label) in _LABELLED.items():
            if key.startswith(prefix):
                yield name, {label: key.removeprefix(prefix)}, value


def render(samples: Iterable[Sample]) -> str:
    """The text of samples, one family after the other, each with its type.

    600 samples take 2.2 ms of the event loop; prometheus-client's 5.0 ms (docs/decisions/0004).
    """
    families: dict[str, list[str]] = {}
    for name, labels, value in samples:
        told = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items() if text)
        line = f"{name}{{{told}}} {value!r}" if told else f"{name} {value!r}"
        families.setdefault(re.sub(r"_(bucket|sum|count)$", "", name), []).append(line)
    out = []
    for family, lines in families.items():
        histogram = any(line.startswith(f"{family}_bucket") for line in lines)
        kind = "histogram" if histogram else "counter" if family.endswith("_total") else "gauge"
        out += [f"# TYPE {family} {kind}", *lines]
    return "\n".join(out) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
