"""What was published: articles, their versions, duplicate clusters and the deliveries to come."""

from articlebot.archive.batch import Published, Route
from articlebot.archive.diff import Piece, diff, shortened
from articlebot.archive.edits import Edit, as_text
from articlebot.archive.raw import RawPage, RawPages
from articlebot.archive.read import Selection
from articlebot.archive.record import Kept
from articlebot.archive.search import Found, Results, Search
from articlebot.archive.store import Archive, nowhere, open_archive

__all__ = [
    "Archive", "Edit", "Found", "Kept", "Piece", "Published", "RawPage", "RawPages", "Results", "Route",
    "Search", "Selection", "as_text", "diff", "nowhere", "open_archive", "shortened",
]  # fmt: skip
