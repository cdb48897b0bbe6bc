"""The Scrapy add-on: parts of articlebot for other projects, each usable alone.

``ADDONS = {"articlebot.Addon": 500}`` and ``ARTICLEBOT_ADDON_PARTS = ["frontier", "publish"]`` in the settings of any
Scrapy project. What the project sets itself is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from articlebot.config import Config

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


@dataclass(frozen=True, slots=True)
class Part:
    """What one part sets.

    Args:
        components: by the setting's name, class path and order.
        settings: plain settings.
    """

    components: Mapping[str, Mapping[str, int]]
    settings: Mapping[str, Any] = field(default_factory=dict)


PARTS: Mapping[str, Part] = {
    # The leased queue in Redis: no page lost or fetched twice, and adjacent pages one after the other.
    "frontier": Part(
        {
            "DOWNLOADER_MIDDLEWARES": {"articlebot.middlewares.slots.SlotsMiddleware": 950},
            "EXTENSIONS": {"articlebot.extensions.crawl_log.CrawlLogExtension": 200},
        },
        {
            "SCHEDULER": "articlebot.frontier.scheduler.Scheduler",
            "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "DOWNLOAD_DELAY": 0,
        },
    ),
    "addresses": Part({"DOWNLOADER_MIDDLEWARES": {"articlebot.middlewares.addresses.AddressesMiddleware": 760}}),
    # Pages of requests with meta["articlebot_recrawl"] are visited again when the policy says so.
    "recrawl": Part({"EXTENSIONS": {"articlebot.extensions.revisit.RevisitExtension": 150}}),
    "change": Part({"ITEM_PIPELINES": {"articlebot.pipelines.change.ChangePipeline": 100}}),
    "neardup": Part({"ITEM_PIPELINES": {"articlebot.pipelines.neardup.NearDuplicatesPipeline": 200}}),
    "classify": Part({"ITEM_PIPELINES": {"articlebot.pipelines.classify.ClassifyPipeline": 300}}),
    "publish": Part({"ITEM_PIPELINES": {"articlebot.pipelines.publish.PublishPipeline": 800}}),
    "summary": Part({"EXTENSIONS": {"articlebot.extensions.summary.SummaryExtension": 400}}),
    "metrics": Part({"EXTENSIONS": {"articlebot.extensions.metrics.MetricsExtension": 500}}),
    "json_logs": Part(
        {"EXTENSIONS": {"articlebot.extensions.json_logs.JsonLogsExtension": 10}},
        {"ARTICLEBOT_OPERATIONS_JSON_LOGS": True},
    ),
}


class Addon:
    """Switches on the parts that ``ARTICLEBOT_ADDON_PARTS`` names.

    ``change``, ``neardup``, ``classify`` and ``publish`` work on ``articlebot.items.Article``; other items pass.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Adds the parts' components and settings.

        Raises:
            ConfigError: a part that there is not, or another setting that is wrong.
        """
        for name in Config.from_settings(settings).addon.parts:
            part = PARTS[name]
            for setting, components in part.components.items():
                known = settings[setting]
                for path, order in components.items():
                    if path not in known:
                        known.set(path, order, "addon")
            for setting, value in part.settings.items():
                settings.set(setting, value, "addon")
