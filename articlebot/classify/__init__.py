"""Classes, summaries and keywords of articles.

``load(path)`` gives a classifier: the shipped keyword taxonomy for None, a keyword taxonomy of the user's for a TOML
file, else a model made by ``scrapy classify train``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from articlebot.classify.keywords import keywords
from articlebot.classify.model_file import read
from articlebot.classify.prediction import Classifier
from articlebot.classify.summary import summarise
from articlebot.classify.taxonomy import load_taxonomy

__all__ = ["Classifier", "keywords", "load", "summarise"]


def load(path: Path | None, *, threshold: float | None = None) -> Classifier:
    """The classifier in a file, or the shipped keyword taxonomy for None.

    Args:
        path: a model file or, ending in ``.toml``, a keyword taxonomy.
        threshold: probability in [0, 1] under which the classifier abstains; None: its own.

    Raises:
        ConfigError: a taxonomy file is wrong.
        StateError: the model is damaged or was written by another version; says how to train it again.
    """
    if path is None:
        return _shipped(threshold)
    if path.suffix == ".toml":
        return load_taxonomy(path, min_share=threshold)
    return read(path).with_threshold(threshold)


@cache
def _shipped(threshold: float | None) -> Classifier:
    """Read once: its 3,000 words are folded and segmented, 16 ms of CPU."""
    return load_taxonomy(min_share=threshold)
