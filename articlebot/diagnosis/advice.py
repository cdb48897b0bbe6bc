"""What is said of each reason, and what a person may do about it: each names the setting or the key of the job."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

_AGAIN = "it is asked again by itself"
_SEEDS = "scrapy seeds discover {host} looks for feeds, sitemaps and list pages"
_WALL = 'See in a browser what it wants; identity = "browser" or proxies = true in the job may be let in; {again}'
# Of an entry page: what was seen, what to do.
_ENTRY: dict[str, tuple[str, str]] = {
    "private_address": (
        "{host} is at a private address, which is refused",
        "Set allow_private = true in the job, or ARTICLEBOT_ALLOW_PRIVATE=1, where that is meant",
    ),
    "dns": (
        "the name {host} cannot be resolved (DNS)",
        "Correct the address in list_pages, feeds or sitemaps (or -a url), or mend this machine's DNS; {again}",
    ),
    "refused_connection": (
        "{host} refuses the connection",
        "Look whether the address and its port are right and the site is up; {again}",
    ),
    "timeout": (
        "{host} does not answer in time",
        "Look whether the site is up; DOWNLOAD_TIMEOUT is the limit in seconds, proxies = true goes other ways; "
        "{again}",
    ),
    "cut_off": (
        "the connection to {host} breaks off",
        "A browser shows whether the site, its certificate or the way there is at fault; {again}",
    ),
    "robots": (
        "robots.txt of {host} forbids {url}",
        "Name other pages in list_pages, feeds or sitemaps, or set robots = false in the job where you may",
    ),
    "robots_unreachable": (
        "robots.txt of {host} cannot be had, which forbids everything there until it can (RFC 9309)",
        "See in a browser what /robots.txt answers; {again}. Or set robots = false in the job where you may",
    ),
    "http_404": ("{url} is not there (404)", "Correct the address in list_pages, feeds or sitemaps; {seeds}"),
    "http_410": ("{url} is gone for good (410)", "Correct the address in list_pages, feeds or sitemaps; {seeds}"),
    "http_429": ("{host} asks to be visited less often (429)", "Set a greater delay in the job; {again}"),
    "redirects": (
        "{url} redirects again and again",
        "Name the address that a browser ends at in list_pages, feeds or sitemaps",
    ),
    "redirected_away": (
        "{url} leads to another site, {detail}",
        "Name that address in list_pages, or its domain in allowed_domains",
    ),
    "needs_javascript": (
        "{url} needs JavaScript: it holds scripts, and next to no text and links",
        "articlebot runs no scripts: name a feed or a sitemap of the site in feeds or sitemaps; {seeds}",
    ),
    "wall_captcha": ("{url} shows a captcha instead of its page", _WALL),
    "wall_challenge": ("{url} shows a check of the browser instead of its page", _WALL),
    "wall_blocked": ("{url} shows a block instead of its page", _WALL),
    "wall_region": ("{url} is not shown in this region", "proxies = true in the job goes through proxies elsewhere"),
    "wall_login": (
        "{url} wants a login or a subscription",
        "Name pages in list_pages or feeds that are open to everybody",
    ),
    "wall_consent": (
        "{url} shows only a request for consent",
        "Name a feed or a sitemap in feeds or sitemaps, which ask for none; {seeds}",
    ),
    "not_html": (
        "{url} is no HTML page",
        "Name the site's list pages in list_pages, a feed in feeds, a sitemap in sitemaps; {seeds}",
    ),
    "is_feed": ("{url} is a feed, not a list page", "Name it in feeds instead of list_pages"),
    "is_sitemap": ("{url} is a sitemap, not a list page", "Name it in sitemaps instead of list_pages"),
    "empty": ("{url} is an empty page", "Look at it in a browser, and correct list_pages; {again}"),
    "no_links": (
        "none of the {detail} links of {url} looks like an article",
        "Say which do with article_pattern (or where they stand with regions) in the job; {seeds}",
    ),
    "article_pattern": (
        "none of the {detail} links of {url} matches article_pattern",
        "Correct article_pattern in the job",
    ),
    "regions": ("no link of {url} stands in regions", "Correct regions in the job"),
    "other_sites": (
        "the articles that {url} links to are on other sites: {detail}",
        "Name them in allowed_domains of the job",
    ),
    "article_exclude": ("article_exclude leaves out every link of {url}", "Correct article_exclude in the job"),
    "feed_without_entries": ("{url} has no entries, or is no feed", "Correct the address in feeds; {seeds}"),
    "sitemap_without_entries": ("{url} has no entries, or is no sitemap", "Correct the address in sitemaps; {seeds}"),
    "no_proxy": (
        "it goes through proxies only, and none is in the pool",
        "Fill the pool (scrapy crawl proxy_lists, scrapy crawl proxy_check), or set proxies = true in the job",
    ),
    "fewer_links": (
        "its entry pages show {found} links to articles, where {usual} are usual",
        "Look at {host} in a browser; article_pattern, regions or list_pages of the job may have to follow it",
    ),
}
# Of the pages that were followed.
_PAGE: dict[str, tuple[str, str]] = {
    "not_an_article": (
        "they look like lists or other pages, such as {url}",
        "Say which links are articles with article_pattern in the job; scrapy extract URL shows what is read from one",
    ),
    "no_text": (
        "no text was found on them, such as {url}",
        "Say where it stands with [site.selectors] body in the job; scrapy extract URL shows what is read",
    ),
    "needs_javascript": (
        "they need JavaScript, such as {url}",
        "articlebot runs no scripts: a feed with whole articles or another edition of the site may do without",
    ),
    "robots_unreachable": (
        "robots.txt of their host cannot be had, which forbids everything there until it can, such as {url}",
        "See in a browser what /robots.txt answers. Or set robots = false in the job where you may",
    ),
    "robots": ("robots.txt forbids them, such as {url}", "Set robots = false in the job where you may"),
    "wall": (
        "they show a wall (captcha, login, consent) instead, such as {url}",
        'See in a browser what the site wants; identity = "browser" or proxies = true in the job may be let in',
    ),
    "private_address": (
        "they are at private addresses, such as {url}",
        "Set allow_private = true in the job, or ARTICLEBOT_ALLOW_PRIVATE=1, where that is meant",
    ),
    "off_topic": (
        "they are off the topic, such as {url}",
        "Look at keywords or topic in the job",
    ),
}


def advised(reason: str, values: Mapping[str, str]) -> tuple[str, str]:
    """What is said of an entry page, and what to do; the values are ``url`` and what else its words have in braces."""
    said, advice = _ENTRY.get(reason, ("", ""))
    if not said:
        status = reason.removeprefix("http_")
        said = f"{{url}} answers with status {status}" if status.isdecimal() else f"{{url}}: {reason.replace('_', ' ')}"
        # 401, 403, 451: the site knows who asks and refuses.
        advice = _WALL if reason in ("http_401", "http_403", "http_451") else "Look at it in a browser; {again}"
    host = urlsplit(values.get("url", "")).netloc.rpartition("@")[2]
    given = {"url": "", "detail": "", "host": host, "again": _AGAIN, "seeds": _SEEDS.format(host=host), **values}
    return said.format_map(given), advice.format_map(given)


def unread(reason: str, url: str) -> tuple[str, str, str]:
    """The reason that pages could not be published for, as a kind; what is said of it, and what to do."""
    for known, (said, advice) in _PAGE.items():
        if reason.startswith(known):
            return known, said.format(url=url), advice
    said, advice = advised(reason, {"url": url})
    return reason, said, advice
