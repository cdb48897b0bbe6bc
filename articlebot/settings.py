"""Scrapy settings of the project.

Only Scrapy's own names stand here. Every ``ARTICLEBOT_*`` setting has its default, unit and range in
``articlebot/config.py`` and may be given here, in the environment or with ``-s``.
"""

import os

from articlebot import __version__
from articlebot.files import open_standard_streams

# The matrices of a page are small: more threads cost more time than they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# It has no plugins here, and would look for them in what is known of every installed package: 40 ms of each start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# Archive, pages and logs are for whom they belong to. What is published may be read as its sink says.
os.umask(os.umask(0o077) | 0o077)

open_standard_streams()

BOT_NAME = "articlebot"
SPIDER_MODULES = ["articlebot.spiders"]
NEWSPIDER_MODULE = "articlebot.spiders"
COMMANDS_MODULE = "articlebot.commands"

# Polite: who asks is said, robots.txt is obeyed, and the frontier alone decides when a host is asked again.
USER_AGENT = f"articlebot/{__version__} (article crawler; obeys robots.txt)"
ROBOTSTXT_OBEY = True
ROBOTSTXT_PARSER = "articlebot.manners.robots_txt.RobotsTxt"
DOWNLOAD_DELAY = 0
CONCURRENT_REQUESTS = 64
CONCURRENT_REQUESTS_PER_DOMAIN = 1
# Scrapy starts as many tasks for each page, whatever it yields: with its default of 100 that is a millisecond a page.
CONCURRENT_ITEMS = 8
AUTOTHROTTLE_ENABLED = False

# Bounded: an article page has a few hundred kB; whatever is far beyond is refused, not stored.
DOWNLOAD_TIMEOUT = 30
# Each looks up a name, and a server of names that does not answer holds one up for a minute: one for each request.
REACTOR_THREADPOOL_MAXSIZE = CONCURRENT_REQUESTS
DOWNLOAD_MAXSIZE = 20 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_FAIL_ON_DATALOSS = True
DOWNLOAD_VERIFY_CERTIFICATES = True
REDIRECT_MAX_TIMES = 5
RETRY_TIMES = 2
# A page that cannot be had is data, counted by its reason; an error is what somebody has to mend.
RETRY_GIVE_UP_LOG_LEVEL = "INFO"
DEPTH_STATS_VERBOSE = False
LOG_FORMATTER = "articlebot.extensions.log_formatter.LogFormatter"
URLLENGTH_LIMIT = 2048

# Nothing listens on a port unless asked, nothing executes what comes in.
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
SCHEDULER = "articlebot.frontier.scheduler.Scheduler"
# What was seen stays known when a crawl is done: the next one goes on with the same sites.
SCHEDULER_PERSIST = True
# The scheduler admits links together with its seen set; a second filter would only cost.
DUPEFILTER_CLASS = "scrapy.dupefilters.BaseDupeFilter"

DOWNLOADER_MIDDLEWARES = {
    "articlebot.middlewares.proxies.ProxyGateMiddleware": 40,
    "articlebot.middlewares.jobs.JobsMiddleware": 50,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "articlebot.middlewares.robots.RobotsMiddleware": 100,
    "articlebot.middlewares.looked.LookedMiddleware": 110,
    "articlebot.middlewares.shown.ShownMiddleware": 553,
    "articlebot.middlewares.proxies.ProxyWallsMiddleware": 555,
    "articlebot.middlewares.consent.ConsentMiddleware": 557,
    "articlebot.middlewares.first_visits.FirstVisitsMiddleware": 575,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "articlebot.middlewares.refresh.RefreshMiddleware": 580,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "articlebot.middlewares.packing.PackingMiddleware": 590,
    "articlebot.middlewares.moved.MovedMiddleware": 610,
    "articlebot.middlewares.proxies.ProxiesMiddleware": 690,
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
    "articlebot.middlewares.cookies.CookiesMiddleware": 700,
    "articlebot.middlewares.identity.IdentityMiddleware": 695,
    "articlebot.middlewares.addresses.AddressesMiddleware": 760,
    "articlebot.middlewares.slots.SlotsMiddleware": 950,
    "articlebot.middlewares.unchanged.UnchangedMiddleware": 960,
    "articlebot.middlewares.posts.PostsMiddleware": 970,
    "articlebot.middlewares.whole_views.WholeViewsMiddleware": 975,
    "articlebot.middlewares.path_sessions.PathSessionsMiddleware": 980,
}
ITEM_PIPELINES = {
    "articlebot.pipelines.change.ChangePipeline": 100,
    "articlebot.pipelines.relevance.RelevancePipeline": 150,
    "articlebot.pipelines.neardup.NearDuplicatesPipeline": 200,
    "articlebot.pipelines.classify.ClassifyPipeline": 300,
    "articlebot.pipelines.publish.PublishPipeline": 800,
    "articlebot.pipelines.remember.RememberPipeline": 900,
}
EXTENSIONS = {
    "articlebot.extensions.json_logs.JsonLogsExtension": 10,
    "articlebot.extensions.log_faults.LogFaultsExtension": 15,
    "articlebot.extensions.stop.StopExtension": 20,
    "articlebot.extensions.exhausted.ExhaustedExtension": 25,
    "articlebot.extensions.folder.FolderExtension": 30,
    "articlebot.extensions.jobs.JobsExtension": 90,
    "articlebot.extensions.recrawl.RecrawlExtension": 100,
    "articlebot.extensions.shapes.ShapesExtension": 110,
    "articlebot.extensions.mining.MiningExtension": 120,
    "articlebot.extensions.websub.WebSubExtension": 130,
    "articlebot.extensions.assignment.AssignmentExtension": 150,
    "articlebot.extensions.crawl_log.CrawlLogExtension": 200,
    "articlebot.extensions.progress.ProgressExtension": 300,
    "articlebot.extensions.diagnosis.DiagnosisExtension": 390,
    "articlebot.extensions.summary.SummaryExtension": 400,
    "articlebot.extensions.metrics.MetricsExtension": 500,
    "articlebot.extensions.alerts.AlertsExtension": 600,
}

LOG_LEVEL = "INFO"
LOG_FORMAT = "%(asctime)s %(levelname)s [%(name)s] %(message)s"
FEED_EXPORT_ENCODING = "utf-8"
FEED_EXPORTERS = {
    "csv": "articlebot.publishing.exporters.Csv",
    "xml": "articlebot.publishing.exporters.Xml",
}
STATS_DUMP = False
