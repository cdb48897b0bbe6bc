"""What a soak proves: pure functions from what was seen to checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from articlebot_lab.newsroom.matching import Row, crawl_window, is_wanted, owned

_ENTRIES = ("list_pages", "feeds", "sitemaps")
# Wrappers, word lists and caches fill during the first part of a run.
_WARM_SHARE = 0.5
LEAST_S = 150.0  # a shorter run is not warm
_GROWTH_MB, _GROWTH_SHARE = 25.0, 0.1


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must be true.

    Args:
        name: what.
        good: whether it is; None where it could not be measured.
        figure: how much, for people.
    """

    name: str
    good: bool | None
    figure: str


def missing(truth: Mapping[str, Any], rows: Iterable[Row], log: Sequence[Mapping[str, Any]]) -> tuple[int, list[str]]:
    """How many articles had to be found, and the addresses of those that are not archived.

    An article that was deleted while a fault was on may have been out of reach all its life; it is not asked for.
    """
    window = crawl_window(truth, log, None)
    found = {article["id"] for _, article in owned(truth, rows) if article is not None}
    wanted = [a for a in truth["articles"] if is_wanted(a, window) and a["deleted_at"] is None]
    return len(wanted), [article["url"] for article in wanted if article["id"] not in found]


def unseen(truth: Mapping[str, Any], log: Sequence[Mapping[str, Any]], missed: Sequence[str]) -> list[dict[str, Any]]:
    """Of each missed article: when it appeared, how long its site's entry pages then went unseen, and what came after.

    ``at_s`` is seconds after the start, ``next_look_s`` seconds from there to the next visit of an entry page of the
    site that was answered (None: there was none), ``newer`` how many articles of the site had appeared by then.
    """
    looks: dict[str, list[float]] = {}
    sites = {url: site["key"] for site in truth["sites"] for kind in _ENTRIES for url in site[kind]}
    for entry in log:
        site = sites.get(f"http://{entry['host']}{entry['path']}")
        if site is not None and entry["status"] in (200, 304):
            looks.setdefault(site, []).append(entry["at"])
    told = []
    wanted = set(missed)
    for article in truth["articles"]:
        if article["url"] not in wanted:
            continue
        at = article["visible_at"]
        next_look = min((look for look in looks.get(article["site"], ()) if look >= at), default=None)
        until = truth["asked_at"] if next_look is None else next_look
        newer = sum(a["site"] == article["site"] and at < a["visible_at"] <= until for a in truth["articles"])
        told.append({
            "url": article["url"], "at_s": round(at - truth["started_at"], 1),
            "next_look_s": None if next_look is None else round(next_look - at, 1), "newer": newer,
        })  # fmt: skip
    return told


def growth(samples: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Memory of the first and last third of the second half of a run, MB; None of a run too short to get warm."""
    if not samples or samples[-1][0] - samples[0][0] < LEAST_S:
        return None
    begin, end = samples[0][0], samples[-1][0]
    warm = [size for at, size in samples if at >= begin + _WARM_SHARE * (end - begin)]
    third = len(warm) // 3
    return (median(warm[:third]), median(warm[-third:])) if third else None


def is_flat(sizes: tuple[float, float]) -> bool:
    """Whether that is no growth: at most a tenth, or 25 MB."""
    return sizes[1] - sizes[0] <= max(_GROWTH_MB, _GROWTH_SHARE * sizes[0])


def delivered_twice(lines: Iterable[Mapping[str, Any]]) -> int:
    """Versions that stand in a sink's file more than once."""
    seen = Counter((line.get("page_key"), line.get("version")) for line in lines)
    return sum(count - 1 for count in seen.values())


def check(
    *,
    expected: int,
    missed: Sequence[str],
    lost: int,
    twice: int,
    delivered_again: int,
    overlaps: int,
    leases: Mapping[str, int],
    samples: Sequence[tuple[float, float]],
    codes: Sequence[int],
    fell: int,
) -> list[Check]:
    """The checks of a run, in the order in which they matter."""
    sizes = growth(samples)
    return [
        Check("every published article archived", not missed and expected > 0,
              f"{expected - len(missed):,} of {expected:,}"),
        # What a slow machine did not reach is no loss; what was admitted, and is neither archived nor queued, is one.
        Check("no admitted article lost", not lost, f"{lost:,} lost"),
        Check("none archived twice", not twice, f"{twice:,} twice"),
        Check("no version delivered twice", not delivered_again, f"{delivered_again:,} twice"),
        Check("no host asked while it was answering", not overlaps, f"{overlaps:,} times"),
        Check("no lease leaked", not any(leases.values()), ", ".join(f"{n:,} {name}" for name, n in leases.items())),
        Check("memory flat", None if sizes is None else is_flat(sizes),
              "too short to tell" if sizes is None else f"{sizes[0]:,.0f} to {sizes[1]:,.0f} MB, second half"),
        Check("workers end in order", not fell and set(codes) <= {0, 1},
              f"exit codes {', '.join(map(str, codes))}; {fell} fell"),
    ]  # fmt: skip
