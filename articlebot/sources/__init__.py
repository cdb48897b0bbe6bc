"""List sources: where a site's lists of articles stand (in documents, data, behind scripts), and how they go on."""

from articlebot.sources.listing import Listing, read_listing

__all__ = ["Listing", "read_listing"]
