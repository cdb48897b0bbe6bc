"""Addresses of one content: what a site's own links and pages say of parameters, learned for each site."""

from articlebot.twins.store import RedisTwins

__all__ = ["RedisTwins"]
