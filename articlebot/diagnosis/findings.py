"""From a job's counts to why it found nothing, or far less than usual: pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from articlebot.diagnosis.advice import advised, unread
from articlebot.diagnosis.tally import JobCounts, Past, is_far_less

Severity = Literal["fault", "passing"]
# A site that is away for a moment.
AWAY = frozenset(
    "dns timeout refused_connection cut_off garbled_http http_408 http_425 http_429 http_500 http_502 http_503 "
    "http_504 wall_captcha wall_challenge wall_blocked feed_without_entries empty robots_unreachable "
    "proxies_fail".split()
)
# What asking again often mends; the rest stays as it is until a person acts.
_MAY_PASS = AWAY | {"no_tls", "tls_refused", "bad_certificate"}
# A site that has published before is given so many runs in a row, one that may be followed so many looks: one bad
# moment is no fault.
PATIENCE = 3
# Lines of a report; the rest is counted.
MOST_TOLD = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a job.

    Attributes:
        reason: short, of ``advice.py``.
        said: what was seen, without the job's name.
        advice: what to do; names the setting or key.
        severity: ``passing`` where a site that published before is only away for the moment.
    """

    job: str
    reason: str
    said: str
    advice: str
    severity: Severity = "fault"

    @property
    def text(self) -> str:
        """The line for people."""
        return f"{self.job}: {self.said}. {self.advice}"


def diagnose(job: str, counts: JobCounts, past: Past) -> Finding | None:
    """What is wrong with a job that was visited; None where nothing is.

    In this order: no entry page gave links; of the new pages none ever was an article; the entry pages show far fewer
    links than they usually do; far fewer of the new pages are articles.
    """
    if counts.entries and not counts.is_entered:
        return _no_entry(job, counts, past)
    tried, read = past.tried + counts.pages.total(), past.read + counts.pages["article"]
    if tried and not counts.published and not past.published:
        if read:
            return None if not counts.pages["off_topic"] else _pages(job, "off_topic", counts, f"{read} articles")
        return _pages(job, _commonest(counts.pages), counts, f"{tried} new pages")
    found, usual = past.usual_links(counts)
    if is_far_less(found, usual):
        url, _ = counts.examples["links"]
        return _finding(job, "fewer_links", {"found": str(found), "usual": f"{usual:.0f}", "url": url})
    if past.usual_share is not None and is_far_less(read, past.usual_share * tried):
        return _pages(job, _commonest(counts.pages), counts, f"{tried} new pages", read)
    return None


def _no_entry(job: str, counts: JobCounts, past: Past) -> Finding:
    reason = _commonest(counts.entries)
    url, detail = counts.examples.get(reason, ("", ""))
    passing = reason in _MAY_PASS and past.published and past.troubled + 1 < PATIENCE
    return _finding(job, reason, {"url": url, "detail": detail}, "passing" if passing else "fault")


def _pages(job: str, reason: str, counts: JobCounts, of: str, read: int = 0) -> Finding:
    url, _ = counts.examples.get(reason, ("", ""))
    known, said, advice = unread(reason, url)
    return Finding(job, f"pages_{known}", f"{read or 'none'} of {of} could be published: {said}", advice)


def _finding(job: str, reason: str, values: Mapping[str, str], severity: Severity = "fault") -> Finding:
    said, advice = advised(reason, values)
    return Finding(job, reason, said, advice, severity)


def _commonest(outcomes: Counter[str]) -> str:
    return max((name for name in outcomes if name != "article"), key=lambda name: (outcomes[name], name), default="")


def told(findings: Sequence[Finding]) -> list[str]:
    """The lines of a report: a line a job, faults first, and how many more there are."""
    ordered = sorted(findings, key=lambda one: (one.severity != "fault", one.job))
    lines = [one.text for one in ordered[:MOST_TOLD]]
    if more := len(ordered) - len(lines):
        lines.append(f"and {more:,} more jobs: scrapy status --json")
    return lines


def exits_badly(findings: Sequence[Finding], visited: int, published: int) -> bool:
    """Whether a run's exit code says so: a job has a fault, or all jobs visited are away and no article came."""
    if any(one.severity == "fault" for one in findings):
        return True
    return bool(findings) and not published and len(findings) == visited
