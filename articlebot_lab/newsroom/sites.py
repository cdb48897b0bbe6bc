"""The sites of the newsroom: what each one is like. Everything a site does differently is a field here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

DOMAIN = "newsroom.test"
Validators = Literal["both", "etag", "modified", "none", "lying"]
DateStyle = Literal["iso", "minute", "relative", "english"]
Discovery = Literal["list", "rss", "atom", "sitemap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One news site.

    Shares are parts of the site's articles in 0..1; ``pace`` multiplies the number of its articles; ``latency`` is
    seconds before each answer; ``path`` is a format of ``n``, ``ymd``, ``slug``, ``category``.
    """

    key: str
    name: str
    language: Literal["zh", "en"]
    subdomains: tuple[str, ...]
    layout: str
    path: str
    topics: tuple[str, ...]
    zone: str
    pace: float = 1.0
    encoding: str = "utf-8"
    charset_in: Literal["header", "meta", "both"] = "both"
    validators: Validators = "both"
    date_style: DateStyle = "minute"
    discovery: Discovery = "list"
    gzip: bool = False
    json_ld: bool = False
    open_graph: bool = False
    latency: float = 0.0
    unavailable: float = 0.0
    crawl_delay: float | None = None
    disallow: str | None = None
    redirects: bool = False
    tracking: bool = False
    documents: int = 0
    multipage: float = 0.0
    videos: float = 0.0
    reprints: float = 0.0
    quotes: float = 0.0
    reports: tuple[str, ...] = ()
    gone_status: int = 404
    list_size: int = 20
    article_pattern: str | None = None
    regions: tuple[str, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names, the main one first; each site has a registered domain of its own, as sites have."""
        return tuple(f"{sub}.{self.key}.test" if sub else f"{self.key}.test" for sub in self.subdomains)

    def host_of(self, category: str) -> str:
        """The host that carries a category: topics are dealt to the hosts in turn."""
        return self.hosts[self.topics.index(category) % len(self.hosts)]


_HUADONG = Site(
    key="huadong",
    name="华东观察报",
    language="zh",
    subdomains=("www", "sports"),
    layout="portal",
    path="/{category}/{ymd}/content_{n}.shtml",
    topics=("politics", "sport", "economy", "culture"),
    zone="Asia/Shanghai",
    gzip=True,
    json_ld=True,
    open_graph=True,
    date_style="iso",
    gone_status=410,
)
_HARBOUR = Site(
    key="harbour",
    name="The Harbour Chronicle",
    language="en",
    subdomains=("www", "opinion"),
    layout="semantic",
    path="/{category}/{ymd}/{slug}-{n}",
    topics=("politics", "culture", "economy", "health"),
    zone="Europe/London",
    gzip=True,
    json_ld=True,
    open_graph=True,
    date_style="english",
    discovery="sitemap",
    videos=0.12,
)
_JIANGBEI = Site(
    key="jiangbei",
    name="江北晚报",
    language="zh",
    subdomains=("www",),
    layout="bare",
    path="/html/{ymd}/{n}.htm",
    topics=("health", "culture", "politics", "weather"),
    zone="Asia/Shanghai",
    encoding="gbk",
    charset_in="meta",
    validators="modified",
)
_JUWEN = Site(
    key="juwen",
    name="聚闻网",
    language="zh",
    subdomains=("news",),
    layout="magazine",
    path="/show.php?id={n}",
    topics=("economy", "sport", "technology", "politics"),
    zone="Asia/Shanghai",
    validators="etag",
    tracking=True,
    reprints=0.4,
    quotes=0.2,
    open_graph=True,
    date_style="iso",
)
_RIDGE = Site(
    key="ridge",
    name="Ridge Valley Post",
    language="en",
    subdomains=("",),
    layout="classic",
    path="/archives/{n}",
    topics=("politics", "weather", "sport"),
    zone="America/New_York",
    pace=0.3,
    discovery="atom",
    crawl_delay=1.0,
    open_graph=True,
    date_style="english",
)
_BEIHAI = Site(
    key="beihai",
    name="北海财经",
    language="zh",
    subdomains=("finance",),
    layout="semantic",
    path="/a/{ymd}-{n}.html",
    topics=("economy", "technology"),
    zone="Asia/Shanghai",
    validators="lying",
    json_ld=True,
    date_style="iso",
    reports=("market",),
    article_pattern=r"/a/\d{8}-\d+\.html$",
)
_WIRE = Site(
    key="wire",
    name="Commonwire",
    language="en",
    subdomains=("www",),
    layout="magazine",
    path="/story/{slug}",
    topics=("politics", "economy", "weather", "technology"),
    zone="Europe/Berlin",
    validators="none",
    reprints=0.35,
    quotes=0.15,
    reports=("weather",),
    date_style="english",
    tracking=True,
)
_NANLING = Site(
    key="nanling",
    name="南岭日报",
    language="zh",
    subdomains=("www",),
    layout="classic",
    path="/{category}/{n}.html",
    topics=("culture", "science", "health"),
    zone="Asia/Shanghai",
    encoding="gb18030",
    charset_in="header",
    multipage=0.3,
    gone_status=410,
    disallow="/internal/",
)
_QUARRY = Site(
    key="quarry",
    name="Quarry Science Weekly",
    language="en",
    subdomains=("",),
    layout="portal",
    path="/news/{slug}",
    topics=("science", "technology", "health"),
    zone="UTC",
    unavailable=0.06,
    documents=4,
    json_ld=True,
    gzip=True,
    date_style="english",
    pace=0.8,
    multipage=0.12,
)
_KUAIXUN = Site(
    key="kuaixun",
    name="快讯网",
    language="zh",
    subdomains=("m",),
    layout="feedish",
    path="/d/{n}",
    topics=("weather", "sport", "health", "technology"),
    zone="Asia/Shanghai",
    validators="none",
    date_style="relative",
    reports=("weather", "market"),
    pace=1.2,
    regions=("div.k-main",),
    list_size=25,
)
_MERIDIAN = Site(
    key="meridian",
    name="Meridian Ledger",
    language="en",
    subdomains=("www",),
    layout="bare",
    path="/{ymd}/{slug}.html",
    topics=("economy", "health", "technology"),
    zone="America/New_York",
    latency=0.3,
    redirects=True,
    pace=0.5,
    validators="modified",
    reports=("market",),
    date_style="english",
    article_pattern=r"/\d{8}/[\w-]+\.html$|/go/\d+$",
)
_TIANWEN = Site(
    key="tianwen", name="天文科普", language="zh", subdomains=("blog",), layout="feedish", path="/post/{n}/",
    topics=("science",), zone="Asia/Shanghai", discovery="rss", pace=0.6, gzip=True, open_graph=True, date_style="iso",
    validators="etag",
)  # fmt: skip

# In this order the first few are already a fair mixture.
SITES = (
    _HUADONG,
    _HARBOUR,
    _JIANGBEI,
    _WIRE,
    _JUWEN,
    _RIDGE,
    _BEIHAI,
    _NANLING,
    _QUARRY,
    _KUAIXUN,
    _MERIDIAN,
    _TIANWEN,
)
MAX_SITES = 500


def choose(count: int) -> tuple[Site, ...]:
    """The first ``count`` sites (1 to 500); from the thirteenth on, sites like the first ones under other names."""
    if not 1 <= count <= MAX_SITES:
        raise ValueError(f"sites: between 1 and {MAX_SITES}, not {count}")
    return tuple(_numbered(SITES[index % len(SITES)], index // len(SITES)) for index in range(count))


def _numbered(site: Site, round_number: int) -> Site:
    if round_number == 0:
        return site
    number = round_number + 1
    return replace(site, key=f"{site.key}{number}", name=f"{site.name} {number}")
