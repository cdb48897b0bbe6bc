"""The configuration: every ``ARTICLEBOT_*`` setting and environment variable, read once.

One frozen section per part of the system. A field ``threshold`` of the section ``change`` is the setting
``ARTICLEBOT_CHANGE_THRESHOLD``; the environment variable of the same name overrides ``settings.py`` and is itself
overridden by ``-s`` on the command line. Nothing outside this module reads settings or the environment.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from articlebot.address import parse
from articlebot.errors import ConfigError

logger = logging.getLogger(__name__)
_COMMAND_LINE_PRIORITY = 40
# Environment variables that are no settings: the tests' and the Makefile's own.
_OTHERS = ("ARTICLEBOT_TEST_", "ARTICLEBOT_CORPUS", "ARTICLEBOT_FUZZ")


class Settings(Protocol):
    """What is needed of Scrapy's ``BaseSettings``."""

    def get(self, name: str, default: Any = None) -> Any: ...
    def getpriority(self, name: str) -> int | None: ...
    def __iter__(self) -> Iterator[Any]: ...


class Section(BaseModel):
    """Base of the sections: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class General(Section):
    """Where things are kept."""

    data_dir: Path = Field(Path("data"), description="Folder for everything that articlebot writes.")
    redis_url: str | None = Field(
        None,
        description="Shared Redis: redis://host:6379/0, redis+sentinel://host,host/service/0 or "
        "redis+cluster://host,host; rediss with TLS. Absent: a private server in the data folder.",
    )
    database_url: str | None = Field(
        None, description="SQLAlchemy URL of the archive. Absent: SQLite in the data folder."
    )
    allow_private: bool = Field(False, description="Fetch from addresses of private networks too.")
    progress_s: float = Field(
        10.0, ge=0, le=3600, description="Seconds between two lines of progress on standard error; 0: none."
    )
    key_prefix: str = Field(
        "articlebot", pattern=r"^[\w.-]{1,40}$", validate_default=True,
        description="First part of every Redis key, there in braces: what they enclose names the slot of a cluster.",
    )  # fmt: skip

    @field_validator("redis_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                parse(value)
            except ConfigError as error:
                raise ValueError(str(error)) from None
        return value

    @field_validator("key_prefix")
    @classmethod
    def _in_braces(cls, value: str) -> str:
        return f"{{{value}}}"


class Change(Section):
    """What counts as a change of an article."""

    rule: Literal["exact", "simhash"] = Field(
        "exact",
        description="exact: another hash of the normalised main text. simhash: a distance above the threshold.",
    )
    threshold: int = Field(5, ge=0, le=64, description="Bits of SimHash distance above which `simhash` sees a change.")
    fingerprint: Literal["words", "package"] = Field(
        "words",
        description="words: SimHash of weighted words without the commonest. package: the simhash package over all "
        "words, as in the source designs. Under rule `simhash`, changing it makes each article look changed once.",
    )


class Classify(Section):
    """Classes, summaries and keywords."""

    model: Path | None = Field(
        None, description="Model made by `scrapy train`, or a keyword taxonomy (.toml). Absent: the shipped keywords."
    )
    threshold: float | None = Field(
        None, ge=0, le=1, description="Probability under which a class is left open. Absent: the model's own."
    )
    summary_chars: int = Field(
        200, ge=0, le=5000, description="Longest summary, characters, where the page has none; 0: none is made."
    )
    keywords: int = Field(
        8, ge=0, le=50, description="Keywords per article where the page names none, count; 0: none are made."
    )


class Frontier(Section):
    """The shared queue."""

    adjacency: Literal["keys", "slot", "host"] = Field(
        "keys",
        description="Which pages are fetched one after the other. keys: those that share the host or the parent page. "
        "slot: the literal reading, a page joins the slot of an adjacent page. host: those of one host only.",
    )
    lease_s: float = Field(
        30.0, ge=1, le=3600, description="Seconds after which a silent worker is dead and its requests return."
    )
    tries: int = Field(5, ge=1, le=100, description="A request that came back this often is quarantined.")
    look_ahead_s: float = Field(
        0.5, ge=0, le=10, description="Seconds before its start that a request may be handed to a worker."
    )
    idle_wait_s: float = Field(
        30.0, ge=0, le=86400,
        description="Longest time in seconds that a crawl which ends when idle waits for a request's start.",
    )  # fmt: skip
    seen: Literal["exact", "bloom"] = Field("exact", description="Layout of the set of known pages.")
    seen_expected: int = Field(
        10_000_000, ge=1000, le=10_000_000_000, description="Number of pages the seen set is laid out for."
    )
    seen_error: float = Field(
        0.001, gt=0, lt=0.5, description="bloom: share of new pages that are taken for known when it is full."
    )
    seen_days: float = Field(
        365.0, gt=0, le=36_500,
        description="Days after which a page that nothing has linked to any more is not known any longer; at the least "
        "half of them. Met again later it is fetched once more, and the archive knows its article.",
    )  # fmt: skip
    crawl_log: bool = Field(True, description="Whether each download is written to logs/ in the data folder.")
    crawl_log_mb: int = Field(
        64, ge=1, le=10_000, description="Size in MB at which a crawl log file is followed by another."
    )
    crawl_log_days: int = Field(30, ge=1, le=3650, description="Days after which crawl log files are removed.")
    known_links: int = Field(
        100_000, ge=0, le=10_000_000, description="Number of links a worker remembers, so as not to send them again."
    )


class Delays(Section):
    """How long a slot rests between two pages."""

    click_interval_s: float = Field(
        1.0, ge=0, le=3600, description="Seconds a person takes to click: every delay is longer."
    )
    mean_s: float = Field(2.0, ge=0, le=86400, description="Mean delay in seconds where a job names none.")
    spread: float = Field(
        0.6, ge=0, le=3, description="Sigma of the log-normal part of the delay; 0: every delay is the mean."
    )
    back_off_s: float = Field(
        10.0, gt=0, le=86400,
        description="First back-off in seconds after a 429 or 503, and first pause of a host that does not answer.",
    )  # fmt: skip
    back_off_cap_s: float = Field(
        3600.0, gt=0, le=604800, description="Longest of either in seconds, whatever Retry-After says."
    )


class Archive(Section):
    """What of an article is kept, and for how long."""

    keep_html: bool = Field(True, description="Keep each article's HTML, compressed, beside its text.")
    corrected_below: float = Field(
        0.05, ge=0, le=1, description="An edit of less than this share of the words is a correction, else an update."
    )
    synchronous: Literal["FULL", "NORMAL"] = Field(
        "FULL",
        description="SQLite: FULL flushes each commit to disk; NORMAL may lose the last ones when power fails.",
    )
    upgrade: bool = Field(True, description="Bring an archive of an older schema up at the start; else refuse it.")
    raw: Literal["none", "documents", "all"] = Field(
        "documents",
        description="Which fetched bytes are kept with a version: of documents that are not HTML, of all, or of none.",
    )
    raw_max_mb: float = Field(
        1024, gt=0, le=100_000_000, description="Megabytes of raw pages, beyond which the oldest files are removed."
    )
    keep_days: float | None = Field(
        None, gt=0, le=36_500, description="Days after which an article is removed that was not changed since."
    )
    keep_versions: int | None = Field(None, ge=1, le=1_000_000, description="Newest versions kept of each article.")
    search_freshness: float = Field(
        0.5, ge=0, le=1, description="Share of a result's score that its age takes away in the long run."
    )
    search_half_life_days: float = Field(7, gt=0, le=36_500, description="Days in which half of that share is gone.")


class Publishing(Section):
    """Where versions are delivered, and how."""

    sinks: dict[str, dict[str, Any]] = Field(
        {"jsonlines": {"type": "jsonlines"}},
        description="Sinks by name, each with its type, options and what it wants; a JSON object in the environment.",
    )
    group: int = Field(50, ge=1, le=10_000, description="Most articles committed to the archive together.")
    group_ms: int = Field(
        20, ge=0, le=5000, description="Milliseconds an article waits for others to be committed with."
    )
    give_up_s: float = Field(
        300,
        ge=0,
        le=86_400,
        description="Seconds to retry a commit while the database is away; then the page is fetched again.",
    )
    batch: int = Field(100, ge=1, le=1000, description="Most versions handed to a sink at once.")
    attempts: int = Field(
        8, ge=1, le=1000, description="Refusals of a version by a sink after which it is a dead letter."
    )
    retry_first_s: float = Field(2, gt=0, le=3600, description="Seconds before the second attempt; doubled at each.")
    retry_cap_s: float = Field(600, gt=0, le=86_400, description="Longest wait in seconds between two attempts.")
    close_s: float = Field(30, ge=0, le=3600, description="Seconds the end of a crawl waits for deliveries under way.")

    @field_validator("sinks", mode="before")
    @classmethod
    def _from_json(cls, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class Dedup(Section):
    """Near-duplicates among articles."""

    method: Literal["shingles", "simhash3", "simhash5", "off"] = Field(
        "shingles",
        description="shingles: candidates by shared runs of words, verified by weighted overlap and containment. "
        "simhash3, simhash5: fingerprints within 3 or 5 bits, as in the source designs. off: no clusters.",
    )
    window: float = Field(
        30 * 86400,
        ge=60,
        le=10 * 365 * 86400,
        description="Time, seconds, in which two articles can be near-duplicates.",
    )
    containment: float = Field(
        0.7, gt=0, le=1, description="Share of the smaller text, weighted, that the larger one must hold (shingles)."
    )
    jaccard: float = Field(
        0.22,
        ge=0,
        le=1,
        description="Least weighted Jaccard similarity: below, a text only quotes the other (shingles).",
    )
    short_jaccard: float = Field(
        0.57,
        gt=0,
        le=1,
        description="Least Jaccard similarity of character runs between texts under 40 words (shingles).",
    )
    same_source: float = Field(
        0.9, gt=0, le=1,
        description="Containment asked of two articles of one site, whose pages share templates (shingles).",
    )  # fmt: skip
    numbers: float = Field(
        0.4, ge=0, le=1,
        description="Share of the numbers with their neighbouring words that the larger text must hold where both have "
        "six or more: a template filled in anew has others (shingles).",
    )  # fmt: skip
    candidates: int = Field(24, ge=1, le=1000, description="Most candidates that are compared with an article, count.")


class Extraction(Section):
    """Articles out of pages of sites that nothing is known of."""

    sure_from: float = Field(
        0.97,
        ge=0,
        le=1,
        description="Expected F1 of the own block classifier from which trafilatura is not asked besides. "
        "0: never ask it, 1: always.",
    )


class Wrappers(Section):
    """Wrappers learned from each site's own pages."""

    enabled: bool = Field(True, description="Whether sites' wrappers are learned and applied while crawling.")
    min_pages: int = Field(5, ge=3, le=60, description="Article pages of a site needed to learn its wrapper.")
    keep_pages: int = Field(60, ge=5, le=1000, description="Pages kept of each site for learning; the oldest go.")
    folder: Path = Field(Path("wrappers"), description="Folder of hand-written wrappers, a JSON file a site.")
    processes: int = Field(1, ge=0, le=64, description="Processes that learn; 0 learns only by `scrapy learn`.")


class Recrawl(Section):
    """When pages are visited again."""

    policy: str = Field(
        "default",
        description="default, ratio, additive, similarity, nutch, uniform, or the class path of a policy.",
    )
    min_interval: float = Field(
        300.0, gt=0, le=31 * 86400, description="Least seconds between two visits of an article or document."
    )
    max_interval: float = Field(
        30 * 86400.0, gt=0, le=366 * 86400,
        description="Most seconds between two visits of an article or document: each is seen again within this.",
    )  # fmt: skip
    scale: float = Field(1.0, gt=0, le=1e4, description="Every interval is multiplied by this.")
    budget: float | None = Field(
        None, gt=0, description="Fetches an hour for the whole crawl. Absent: intervals follow the pages alone."
    )
    retire_after: int = Field(
        10,
        ge=1,
        le=255,
        description="Failures in a row after which a page is only probed. After half as many answers of 404 or 410 an "
        "article or document is visited no more.",
    )
    article_days: float = Field(
        30.0, gt=0, le=36_500,
        description="Days (of `day_s`) without a change after which an article is visited no more. Documents go on.",
    )  # fmt: skip
    job_days: float = Field(
        90.0, gt=0, le=36_500,
        description="Days after which the pages of a job that no crawl has known are forgotten.",
    )  # fmt: skip
    day_s: float = Field(
        86400.0, ge=1, le=86400, description="Seconds of a day; less where time is simulated, as in the newsroom."
    )
    linger_ms: int = Field(20, ge=0, le=1000, description="Milliseconds a page state waits to be written with others.")
    history_mb: int = Field(32, ge=1, le=4096, description="Megabytes of one file of the round history.")
    history_days: int = Field(90, ge=1, le=3660, description="Days the round history is kept.")


class Relevance(Section):
    """Focused crawls."""

    rule: Literal["blend", "design", "page", "anchor", "shark", "breadth"] = Field(
        "blend", description="What makes a link's priority, see docs/relevance.md; `design`: m1 * cosine + m2 * hub."
    )
    m1: float = Field(0.5, ge=0, le=1, description="Weight of the cosine in `design`; the hub score has 1 - m1.")
    at_least_source: bool = Field(
        False, description="The design's assumption that a link's target is at least as good as the page it stands on."
    )
    equal_in_query: bool = Field(
        False,
        description="The design's assumption that pages found by one query rank equal: the links of a page whose "
        "address has a query all rank as the best of them.",
    )
    feedback: bool = Field(True, description="Whether the topic learns further words from the pages it accepts.")
    off_topic_depth: int = Field(
        2, ge=0, le=20, description="Links followed in a row from pages below the threshold; 0: none of such a page."
    )
    window: int = Field(
        16, ge=1, le=1000,
        description="Pages queued at once, by all workers; fewer keep closer to the best order, more go faster.",
    )  # fmt: skip

    @property
    def assumptions(self) -> tuple[Literal["at_least_source", "equal_in_query"], ...]:
        """The design's link assumptions that hold."""
        names: tuple[Literal["at_least_source", "equal_in_query"], ...] = ("at_least_source", "equal_in_query")
        return tuple(name for name in names if getattr(self, name))


class Proxies(Section):
    """The proxy pool: where proxies come from, when one is good, how it rests."""

    lists: tuple[str, ...] = Field(
        (),
        description="Pages, APIs or files that list proxies, for `scrapy crawl proxy_lists`; JSON, or by commas.",
    )
    paid: tuple[SecretStr, ...] = Field(
        (),
        description="Proxies of yours, with credentials where they ask for them; JSON, or by commas. Used without a "
        "check, never written anywhere.",
    )
    paid_file: Path | None = Field(
        None, description="File of further proxies of yours, one a line; read again when it changes."
    )
    allow_private: bool = Field(False, description="Take proxies at addresses of private networks too.")
    most: int = Field(20_000, ge=1, le=1_000_000, description="Proxies that are known at most.")
    round_size: int = Field(
        5, ge=1, le=100, description="Proxies that a job draws for a round; going direct is one more way."
    )
    round_s: float = Field(600, ge=1, le=86_400, description="Seconds of a round.")
    reload_s: float = Field(15, ge=0.1, le=3600, description="Seconds after which a running crawl reads the pool anew.")
    tries: int = Field(4, ge=1, le=50, description="Ways tried for one download before the usual retries take over.")
    timeout_s: float = Field(15, ge=1, le=600, description="Longest wait in seconds for an answer through a proxy.")
    fault_rest_s: float = Field(
        60, ge=0.1, le=86_400, description="Rest in seconds after a proxy's fault; doubles in a row."
    )
    ban_rest_s: float = Field(
        1800, ge=1, le=604_800, description="Rest in seconds from a site after a ban; doubles in a row."
    )
    judge_url: str | None = Field(
        None,
        description="Page of yours that answers with the request's headers and the client's address, for the leak "
        "check. Absent: whether a proxy leaks is not told.",
    )
    check_trials: int = Field(3, ge=1, le=20, description="Trials of each proxy in a check.")
    check_parallel: int = Field(
        64, ge=1, le=1000, description="Trials in flight in a check; a host still gets one at a time."
    )
    check_timeout_s: float = Field(10, ge=0.5, le=120, description="Seconds after which a trial has failed.")
    check_delay_s: float = Field(1, ge=0, le=60, description="Seconds between two trials at one host.")
    min_share: float = Field(0.6, ge=0, le=1, description="Least share of trials that a proxy of the pool passed.")
    max_median_s: float = Field(
        8, gt=0, le=120, description="Most median seconds of the answers of a proxy of the pool."
    )
    pool_size: int = Field(500, ge=1, le=100_000, description="Proxies in the pool at most, the best first.")
    drop_after: int = Field(
        10, ge=1, le=1000, description="Failed checks in a row after which a listed proxy is forgotten."
    )

    @field_validator("lists", "paid", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return _split(value)


class Identity(Section):
    """How a job's requests look where it asks for `identity = "browser"`."""

    pool_size: int = Field(20, ge=1, le=1000, description="User agents drawn once at the start.")
    session_requests: int = Field(
        100, ge=1, le=100_000, description="Requests after which slot and proxy get another identity."
    )
    session_s: float = Field(
        1800, ge=1, le=604_800, description="Seconds after which slot and proxy get another identity."
    )


class Seeds(Section):
    """Finding sites and their entry pages."""

    engines: tuple[dict[str, Any], ...] = Field(
        (),
        description="Search engines for `scrapy crawl metasearch`, see docs/seeds.md; a JSON list in the environment.",
    )
    results: int = Field(50, ge=1, le=1000, description="Results of a meta-search.")
    fusion_k: float = Field(60, ge=0, le=1000, description="Constant k of reciprocal rank fusion.")
    timeout_s: float = Field(
        15, ge=1, le=120, description="Seconds to wait for an engine, or for a page when a site is discovered."
    )
    max_pages: int = Field(60, ge=5, le=1000, description="Pages fetched at most to discover one site.")
    mine: bool = Field(
        True, description="Note which sites and list pages the crawled pages link to, for `scrapy seeds mine`."
    )
    topic: Path | None = Field(
        None,
        description="Topic file that mined candidates are ranked and judged by. Absent: by who links to them, and "
        "every article belongs.",
    )
    most: int = Field(10_000, ge=1, le=1_000_000, description="Candidates that wait at most; the least likely go.")
    probation_size: int = Field(20, ge=1, le=10_000, description="Candidates on probation at once.")
    probation_pages: int = Field(40, ge=5, le=10_000, description="Pages that the probation of a candidate may cost.")
    probation_s: float = Field(
        21_600, ge=0, le=2_592_000, description="Seconds between two looks at a candidate on probation."
    )
    promote_yield: float = Field(
        0.1, ge=0, le=1, description="Relevant articles for each page fetched that a candidate needs to become a job."
    )
    dropped_s: float = Field(
        90 * 86400, ge=0, le=3650 * 86400, description="Seconds for which a dropped candidate is not tried again."
    )
    into: Path | None = Field(
        None,
        description="Folder for the job files of promoted candidates; best one that the crawl reads. Absent: mined/ in "
        "the data folder.",
    )

    @field_validator("engines", mode="before")
    @classmethod
    def _from_json(cls, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class WebSub(Section):
    """Feeds whose hub pushes new entries."""

    port: int | None = Field(
        None, ge=0, le=65_535, description="Port that hubs call; 0 takes a free one. Absent: nothing listens."
    )
    address: str = Field("127.0.0.1", description="Address to listen on.")
    public_url: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#]+$",
        description="Address under which hubs reach the port, such as https://crawler.example. Needed unless the "
        "address is this machine's own.",
    )
    lease_s: float = Field(864_000, ge=1, le=31_536_000, description="Seconds that a subscription is asked for.")
    max_mb: float = Field(2, gt=0, le=100, description="Megabytes of a delivery, beyond which it is cut off.")
    look_s: float = Field(60, ge=0.1, le=3600, description="Seconds between two looks for subscriptions to renew.")


Signal = Literal["noindex", "nofollow", "noarchive", "tdm-reservation", "ai-train"]


class Manners(Section):
    """What sites ask of those who use their pages, see docs/politeness.md."""

    obey: tuple[Signal, ...] = Field(
        ("noindex", "nofollow"),
        description="Signals that are obeyed; JSON, or by commas. noindex, tdm-reservation, ai-train: a page that has "
        "it is not published. nofollow: its links are not taken. noarchive: neither its HTML nor its bytes are kept.",
    )
    tdmrep: bool = Field(True, description="Ask each host once a day for its reservations, /.well-known/tdmrep.json.")

    @field_validator("obey", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return _split(value)


class Operations(Section):
    """Runs and their logs."""

    lock: Literal["folder", "redis", "none"] = Field(
        "folder",
        description="Where a run that ends by itself keeps its lock, so that the next one with the same arguments "
        "does not begin beside it. folder: in the data folder. redis: for several machines. none: no lock.",
    )
    json_logs: bool = Field(
        False, description="Write the log as JSON, an object a line, from when the spider is opened."
    )


AddonPart = Literal[
    "frontier", "recrawl", "addresses", "change", "neardup", "classify", "publish", "summary", "metrics", "json_logs"
]


class Addon(Section):
    """For other Scrapy projects that use parts of articlebot, see docs/operations.md."""

    parts: tuple[AddonPart, ...] = Field(
        ("frontier",),
        description="Parts that the add-on switches on: frontier, recrawl, addresses, change, neardup, classify, "
        "publish, summary, metrics, json_logs; JSON, or by commas.",
    )

    @field_validator("parts", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return _split(value)


class Metrics(Section):
    """Numbers for Prometheus."""

    port: int | None = Field(
        None, ge=0, le=65535, description="Port that answers /metrics; 0 takes a free one. Absent: nothing listens."
    )
    address: str = Field("127.0.0.1", description="Address to listen on; the endpoint asks nobody who they are.")
    gauges_s: float = Field(
        15, ge=1, le=3600, description="Seconds between two looks at the queue and the page states, for their sizes."
    )


class Alerts(Section):
    """Who is told when something begins that a person should look at, and when it is over; see docs/operations.md."""

    url: SecretStr | None = Field(
        None, description="Webhook that is told, once for each event and once when it is over. Absent: the log only."
    )
    command: str | None = Field(
        None,
        description="Command that is told the same, such as one that sends mail: run without a shell, the message as "
        "JSON on its standard input, {subject} and {text} among its arguments filled in. It has 30 s.",
    )
    secret: SecretStr | None = Field(
        None, description="Key of the messages' signature, as of the webhook sink. Absent: unsigned."
    )
    check_s: float = Field(60, ge=0.2, le=86_400, description="Seconds between two looks.")
    window_s: float = Field(
        6 * 3600, ge=1, le=31 * 86_400, description="Freshness: seconds back from now of which the articles count."
    )
    least: int = Field(5, ge=1, le=10_000, description="Freshness: articles in the window below which nothing is told.")

    @field_validator("command")
    @classmethod
    def _can_be_split(cls, value: str | None) -> str | None:
        if value is not None and not shlex.split(value):  # raises ValueError where a quote is not closed
            raise ValueError("expected a command")
        return value


class Console(Section):
    """The web console, `scrapy console`."""

    host: str = Field("127.0.0.1", description="Address to listen on, and the name it is then opened by.")
    port: int = Field(8765, ge=0, le=65_535, description="Port to listen on; 0: a free one.")
    token: SecretStr | None = Field(
        None,
        min_length=16,
        description="Token of the console's link, 16 characters or more. Absent: a new one a start.",
    )


class Config(BaseModel):
    """All sections. ``general`` has no section part in its settings' names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    general: General = General()
    change: Change = Change()
    dedup: Dedup = Dedup()
    archive: Archive = Archive()
    publishing: Publishing = Publishing()
    frontier: Frontier = Frontier()
    delays: Delays = Delays()
    classify: Classify = Classify()
    relevance: Relevance = Relevance()
    extraction: Extraction = Extraction()
    wrappers: Wrappers = Wrappers()
    recrawl: Recrawl = Recrawl()
    proxies: Proxies = Proxies()
    identity: Identity = Identity()
    seeds: Seeds = Seeds()
    websub: WebSub = WebSub()
    console: Console = Console()
    manners: Manners = Manners()
    operations: Operations = Operations()
    metrics: Metrics = Metrics()
    alerts: Alerts = Alerts()
    addon: Addon = Addon()

    @classmethod
    def from_settings(cls, settings: Settings, environ: Mapping[str, str] | None = None) -> Config:
        """The configuration of a crawler or command.

        Raises:
            ConfigError: a value of the wrong type or out of range, or a setting that there is not; names the setting
                and what is expected. In the environment only a name that is nearly a setting's is refused.
        """
        environ = os.environ if environ is None else environ
        _refuse_unknown((str(name) for name in settings), environ)
        sections: dict[str, dict[str, Any]] = {}
        for section, field, name in setting_names():
            value = _look_up(settings, environ, name)
            if value is not None:
                sections.setdefault(section, {})[field] = value
        sections["delays"] = sections.get("delays", {}) | _download_delay(settings)
        try:
            return cls.model_validate(sections)
        except ValidationError as error:
            raise ConfigError("; ".join(_explain(e) for e in error.errors())) from None


def _download_delay(settings: Settings) -> dict[str, Any]:
    """Scrapy's DOWNLOAD_DELAY, where it is set, in place of the delays: their mean, from half of it on."""
    try:
        delay = float(settings.get("DOWNLOAD_DELAY") or 0)
    except (TypeError, ValueError):
        raise ConfigError(f"DOWNLOAD_DELAY: expected seconds (got {settings.get('DOWNLOAD_DELAY')!r})") from None
    if delay <= 0:
        return {}
    if str(settings.get("RANDOMIZE_DOWNLOAD_DELAY", True)).lower() in ("0", "false"):
        return {"mean_s": delay, "click_interval_s": delay, "spread": 0.0}
    return {"mean_s": delay, "click_interval_s": delay / 2}


def setting_names() -> list[tuple[str, str, str]]:
    """(section, field, setting name) of every setting, in the order of the documentation."""
    return [
        (section, field, _setting_name(section, field))
        for section, info in Config.model_fields.items()
        if isinstance(info.annotation, type) and issubclass(info.annotation, Section)
        for field in info.annotation.model_fields
    ]


def meant(name: str, known: Iterable[str]) -> str:
    """The question whether another name was meant; "" where none of them is like it."""
    # Without what they all begin with, which would make every name like every other.
    bare = {one.removeprefix("ARTICLEBOT_"): one for one in known}
    close = get_close_matches(name.removeprefix("ARTICLEBOT_"), list(bare), 1, 0.8)
    return f"did you mean {bare[close[0]]}?" if close else ""


def _refuse_unknown(settings: Iterable[str], environ: Iterable[str]) -> None:
    known = {name for _, _, name in setting_names()}
    for name in settings:
        if name.startswith("ARTICLEBOT_") and name not in known:
            raise ConfigError(f"{name}: there is no such setting; {meant(name, known) or 'docs/settings.md has all'}")
    for name in environ:
        if not name.startswith("ARTICLEBOT_") or name in known or name.startswith(_OTHERS):
            continue
        if question := meant(name, known):
            raise ConfigError(f"{name} in the environment: there is no such setting; {question}")
        _warn_of(name)


@cache
def _warn_of(name: str) -> None:
    """Says it once in a process: what is like no setting may be somebody else's."""
    logger.warning("%s in the environment is no setting and does nothing; docs/settings.md has all", name)


def _split(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return json.loads(value) if value.lstrip().startswith("[") else [part for part in value.split(",") if part.strip()]


def _setting_name(section: str, field: str) -> str:
    if field == "redis_url" and section == "general":
        return "REDIS_URL"  # the name scrapy-redis and its users know
    return f"ARTICLEBOT_{field}".upper() if section == "general" else f"ARTICLEBOT_{section}_{field}".upper()


def _look_up(settings: Settings, environ: Mapping[str, str], name: str) -> Any:
    priority = settings.getpriority(name)
    if priority is not None and priority >= _COMMAND_LINE_PRIORITY:
        return settings.get(name)
    if environ.get(name):
        return environ[name]
    return settings.get(name)


def _explain(error: Any) -> str:
    section, *rest = error["loc"]
    name = _setting_name(str(section), str(rest[0])) if rest else str(section)
    given = repr(error["input"])
    # An address may hold a password.
    return f"{name}: {error['msg']}" + ("" if "://" in given else f" (got {given})")
