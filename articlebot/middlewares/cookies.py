"""Scrapy's cookies, with the list of public suffixes that ships with tldextract."""

from __future__ import annotations

from scrapy.downloadermiddlewares import cookies
from tldextract import TLDExtract


class CookiesMiddleware(cookies.CookiesMiddleware):
    """The same rules. Scrapy's own asks two hosts for the newest list at the first cookie with a domain.

    It does so in the event loop, outside of robots.txt, proxies and time-outs: a host that is silent stops the crawl.
    """

    cookies._split_domain = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
