"""What is a change of an article: a pure comparison of two visits."""

from __future__ import annotations

from dataclasses import dataclass

from articlebot.config import Change as ChangeConfig
from articlebot.items import Change
from articlebot.text import content_hash, simhash


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeVerdict:
    """What a visit saw, against the visit before.

    ``distance`` is the number of SimHash bits (0 to 64) between the two texts: the size of the change, None on a first
    visit or where either text is empty.
    """

    change: Change
    content_hash: int
    fingerprint: int
    fingerprint_version: int
    distance: int | None


def article_text(title: str, body: str) -> str:
    """The text that stands for an article wherever it is compared: headline and main text.

    A changed headline is a change. A body that begins with the headline is taken as it is, so that an extractor which
    learns to leave it out changes nothing.
    """
    title, body = title.strip(), body.strip()
    return body if not title or body.startswith(title) else f"{title}\n{body}"


def judge_change(previous_hash: int, previous_fingerprint: int, text: str, config: ChangeConfig) -> ChangeVerdict:
    """The verdict on a visit.

    Under the rule ``exact`` any other hash of the normalised text is a change. Under ``simhash`` (Hamming distance
    above the threshold, the rule of incremental collection by t/x) small edits are not: measured, it misses 77 to 91%
    of real edits of documents and means "largely rewritten".

    Args:
        previous_hash: ``content_hash`` of the visit before, 0 where there was none.
        previous_fingerprint: its fingerprint by the same algorithm, 0 where there was none.
        text: headline and main text, see :func:`article_text`.
        config: rule, threshold and algorithm.
    """
    package = config.fingerprint == "package"
    new_hash = content_hash(text)
    # An unchanged page is the common case, and its fingerprint cannot have changed either.
    if new_hash == previous_hash and previous_fingerprint:
        fingerprint = previous_fingerprint
    else:
        fingerprint = (simhash.package_fingerprint if package else simhash.fingerprint)(text)
    comparable = previous_fingerprint and fingerprint
    distance = simhash.distance(previous_fingerprint, fingerprint) if comparable else None
    return ChangeVerdict(
        change=_change(previous_hash, new_hash, distance, config),
        content_hash=new_hash,
        fingerprint=fingerprint,
        fingerprint_version=simhash.PACKAGE_VERSION if package else simhash.VERSION,
        distance=distance,
    )


def _change(previous_hash: int, new_hash: int, distance: int | None, config: ChangeConfig) -> Change:
    if not previous_hash:
        return "new"
    if config.rule == "simhash" and distance is not None:
        return "updated" if distance > config.threshold else "unchanged"
    return "updated" if new_hash != previous_hash else "unchanged"
