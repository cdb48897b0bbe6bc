"""What a response holds, read once: text, tree, blocks, metadata, links, script data, feed and sitemap entries."""

from articlebot.page.kept import following, header, known_page, page_of
from articlebot.page.page import Page

__all__ = ["Page", "following", "header", "known_page", "page_of"]
