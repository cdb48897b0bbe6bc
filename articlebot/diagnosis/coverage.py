"""What a job's entry pages named, against what became of it: said at the end of a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from articlebot.diagnosis.advice import unread
from articlebot.diagnosis.tally import JobCounts

# Advice is given where a reason kept a page in twenty from being an article: the share that may be missing (95%).
_WORTH_SAYING = 0.05
# Jobs of which a line is said, and reasons of one.
MOST_TOLD, _MOST_REASONS = 8, 4


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of what a job's entry pages named.

    Attributes:
        named: new addresses, by feed, sitemap and list; each counts where it was seen first.
        pages: of those that were fetched, how many are articles or what else, by outcome.
        advice: what would help, "" where nothing is to be said.
    """

    job: str
    named: Mapping[str, int]
    pages: Mapping[str, int]
    advice: str = ""

    @property
    def text(self) -> str:
        """The line for people."""
        named, read = sum(self.named.values()), self.pages.get("article", 0)
        by = ", ".join(f"{kind}s {number:,}" for kind, number in self.named.items())
        others = sorted(((n, reason) for reason, n in self.pages.items() if reason != "article"), reverse=True)
        rest = ", ".join(f"{n:,} {reason}" for n, reason in others[:_MOST_REASONS])
        share = f"{min(1.0, read / named):.0%}" if named else "-"
        said = f"{self.job}: {named:,} new addresses named ({by}), {read:,} of them articles ({share})"
        return f"{said}{f'; not: {rest}' if rest else ''}{f'. {self.advice}' if self.advice else ''}"


def coverage(job: str, counts: JobCounts) -> Coverage | None:
    """What a job's counts come to; None where nothing new was named."""
    if not counts.named:
        return None
    tried = counts.pages.total()
    reason, number = next(((r, n) for r, n in counts.pages.most_common() if r != "article"), ("", 0))
    advice = ""
    # What is gone is the site's own affair.
    if tried and number >= _WORTH_SAYING * tried and not reason.startswith("http_4"):
        _, _, advice = unread(reason, counts.examples.get(reason, ("", ""))[0])
    return Coverage(job, dict(counts.named.most_common()), dict(counts.pages.most_common()), advice)
