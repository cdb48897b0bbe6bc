"""Text as every part reads it: one form, its words, its language and its fingerprints."""

from articlebot.text.language import language
from articlebot.text.normal import NOT_XML, content_hash, fold, fold_each, fold_in_place, normalise, shown
from articlebot.text.segmentation import Names, segment, segment_folded

__all__ = [
    "NOT_XML", "Names", "content_hash", "fold", "fold_each", "fold_in_place", "language", "normalise", "segment",
    "segment_folded", "shown",
]  # fmt: skip
