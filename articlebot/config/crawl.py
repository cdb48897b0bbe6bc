"""How pages are asked for: queue, pauses, visits, proxies and identities."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from articlebot.config.section import Listed, Section


class Frontier(Section):
    """The shared queue."""

    adjacency: Literal["keys", "slot", "host"] = Field(
        "keys",
        description="Which pages are fetched one after the other. keys: those that share the host or the parent page. "
        "slot: the literal reading, a page joins the slot of an adjacent page. host: those of one host only.",
    )
    list_parents: bool | None = Field(
        None,
        description="Whether the links of one list page or feed are adjacent to each other, as those of any other page "
        "are. Absent: under adjacency `slot` alone, as in the source design.",
    )
    lease_s: float = Field(
        30.0, ge=1, le=3600, description="Seconds after which a silent worker is dead and its requests return."
    )
    tries: int = Field(5, ge=1, le=100, description="A request that failed this often is quarantined.")
    idle_wait_s: float = Field(
        30.0, ge=0, le=86400,
        description="Longest time in seconds that a crawl which ends when idle waits for a request's start; four times "
        "as long where its site has answered 429 or 503.",
    )  # fmt: skip
    seen: Literal["exact", "bloom"] = Field("exact", description="Layout of the set of known pages.")
    seen_expected: int = Field(
        10_000_000, ge=1000, le=10_000_000_000, description="Number of pages the seen set is laid out for."
    )
    seen_days: float = Field(
        365.0, gt=0, le=36_500,
        description="Days after which a page that nothing has linked to any more is not known any longer; at the least "
        "half of them. Met again later it is fetched once more, and the archive knows its article.",
    )  # fmt: skip
    shards: int = Field(
        1, ge=1, le=256,
        description="Hash slots that queue, known pages, page states and near-duplicates are cut into, so that the "
        "masters of a Redis Cluster share them: a few for each master there will ever be. A crawl that has begun is "
        "moved with `scrapy frontier reshard`.",
    )  # fmt: skip
    crawl_log: bool = Field(True, description="Whether each download is written to logs/ in the data folder.")


class Delays(Section):
    """How long a slot rests between two pages."""

    click_interval_s: float = Field(
        1.0, ge=0, le=3600, description="Seconds a person takes to click: every delay is longer."
    )
    mean_s: float = Field(2.0, ge=0, le=86400, description="Mean delay in seconds where a job names none.")
    spread: float = Field(
        0.6, ge=0, le=3, description="Sigma of the log-normal part of the delay; 0: every delay is the mean."
    )
    per: Literal["host", "address"] = Field(
        "host",
        description="host: each host name has its own delays. address: host names that one IP address answers for, as "
        "many sites on one server, are also asked one after the other, with a delay between; what goes through a proxy "
        "counts by host.",
    )
    back_off_s: float = Field(
        10.0, gt=0, le=86400,
        description="First back-off in seconds after a 429 or 503, and first pause of a host that does not answer.",
    )  # fmt: skip
    back_off_cap_s: float = Field(
        3600.0, gt=0, le=604800, description="Longest of either in seconds, whatever Retry-After says."
    )


class Recrawl(Section):
    """When pages are visited again."""

    policy: str = Field(
        "default",
        description="default, ratio, ratio_unbounded, additive, similarity, nutch, uniform, or the class path of a "
        "policy.",
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
    poll: int = Field(
        500, ge=1, le=10_000,
        description="Pages taken at once of those that are due, the longest overdue first: m of the source design, "
        "1,000 to 10,000 there.",
    )  # fmt: skip
    stop: bool = Field(
        True,
        description="Stop a download when its headers have come and repeat the length, Last-Modified and ETag of the "
        "visit before, on sites where these have proved true. Some visits check all the same.",
    )
    signals: bool = Field(
        True,
        description="Visit a page sooner when a feed's `updated`, a sitemap's `lastmod`, its headline or its place on "
        "a list page says that it has changed, and later while none does, on sites where that has proved right.",
    )
    article_days: float = Field(
        30.0, gt=0, le=36_500,
        description="Days (of `day_s`) without a change after which an article is visited no more. Documents go on.",
    )  # fmt: skip
    day_s: float = Field(
        86400.0, ge=1, le=86400, description="Seconds of a day; less where time is simulated, as in the newsroom."
    )


class Proxies(Section):
    """The proxy pool: where proxies come from, when one is good, how it rests."""

    lists: Listed[str] = Field(
        (),
        description="Pages, APIs or files that list proxies, for `scrapy crawl proxy_lists`; JSON, or by commas.",
    )
    paid: Listed[SecretStr] = Field(
        (),
        description="Proxies of yours, with credentials where they ask for them; JSON, or by commas. Used without a "
        "check, never written anywhere.",
    )
    paid_file: Path | None = Field(
        None, description="File of further proxies of yours, one a line; read again when it changes."
    )
    allow_private: bool = Field(False, description="Take proxies at addresses of private networks too.")
    round_size: int = Field(
        5, ge=1, le=100, description="Proxies that a job draws for a round; going direct is one more way."
    )
    round_s: float = Field(600, ge=1, le=86_400, description="Seconds of a round.")
    timeout_s: float = Field(15, ge=1, le=600, description="Longest wait in seconds for an answer through a proxy.")
    judge_url: str | None = Field(
        None,
        description="Page of yours that answers with the request's headers and the client's address, for the leak "
        "check. Absent: whether a proxy leaks is not told.",
    )
