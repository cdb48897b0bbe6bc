"""What a job's entry pages named, against what became of it: said at the end of a crawl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from articlebot.diagnosis.advice import advised, unread
from articlebot.diagnosis.tally import JobCounts

# Advice is given where a reason kept a page in twenty from being an article: the share that may be missing (95%).
_WORTH_SAYING = 0.05
# Refused for haste: such a page waits in the queue again.
_PUT_BACK = ("http_429", "http_503")
# What keeps an entry page from giving links until a person acts; told where it is a quarter of them.
_LASTING = (
    "nofollow", "needs_javascript", "wall", "is_article", "no_links", "article_pattern", "article_exclude", "regions",
    "other_sites", "robots",
)  # fmt: skip
_MANY_ENTRIES = 0.25
# Jobs of which a line is said, reasons of one, and those of them with advice.
MOST_TOLD, _MOST_REASONS, _MOST_ADVICE = 8, 4, 2

_STOPS = (
    "Nothing led on to older articles: name a list that goes on in list_pages of the job, a sitemap in sitemaps or a "
    "date archive in archives, if the site has one"
)


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

    def said(self, *, is_whole: bool = True) -> str:
        """The line for people; of a run that was cut short it judges only the pages that it came to."""
        named, read = sum(self.named.values()), self.pages.get("article", 0)
        tried = sum(number for reason, number in self.pages.items() if reason not in _PUT_BACK)
        by = ", ".join(f"{kind}s {number:,}" for kind, number in self.named.items())
        others = sorted(((n, reason) for reason, n in self.pages.items() if reason != "article"), reverse=True)
        rest = ", ".join(f"{n:,} {reason}" for n, reason in others[:_MOST_REASONS])
        # More were visited than named where some had waited since an earlier run, or were asked for by hand.
        of = named if is_whole and tried <= named else tried
        share = f"{read / of:.0%}" if of else "-"
        said = f"{self.job}: {named:,} new addresses named ({by}), {read:,} of them articles ({share})"
        if tried > named:
            said = (
                f"{self.job}: {named:,} new addresses named ({by}); with those that waited "
                f"{read:,} of {tried:,} visited are articles ({share})"
            )
        elif not tried:  # a site may ask to wait longer than a run does
            said = f"{self.job}: {named:,} new addresses named ({by}), all of which wait in the queue"
        elif not is_whole and tried < named:
            said = (
                f"{self.job}: {named:,} new addresses named ({by}), {named - tried:,} of them wait in the queue; "
                f"{read:,} of the {tried:,} visited are articles ({share})"
            )
        return f"{said}{f'; not: {rest}' if rest else ''}{f'. {self.advice}' if self.advice else ''}"


def _barren(counts: JobCounts) -> list[str]:
    """What is said of entry pages that gave no links and never will, beside others that did."""
    lasting = Counter({reason: n for reason, n in counts.entries.items() if reason.startswith(_LASTING)})
    if not (counts.is_entered and lasting.total() >= _MANY_ENTRIES * counts.entries.total()):
        return []
    reason, number = lasting.most_common(1)[0]
    url, detail = counts.examples.get(reason, ("", ""))
    said, advice = advised(reason, {"url": url, "detail": detail})
    return [f"{number} of {counts.entries.total()} entry pages lead to nothing: {said}. {advice}"]


def coverage(job: str, counts: JobCounts, *, stops: bool = False) -> Coverage | None:
    """What a job's counts come to; None where nothing new was named, nor read of what another worker's pages named.

    Args:
        stops: no list, sitemap or archive was seen to lead to what is older than the entry pages show.
    """
    if not (counts.named or counts.pages):
        return None
    tried = counts.pages.total()
    # What is gone is the site's own affair.
    worth = [
        reason
        for reason, number in counts.pages.most_common()
        if reason != "article" and not reason.startswith("http_4") and number >= _WORTH_SAYING * tried
    ]
    advice = [unread(reason, counts.examples.get(reason, ("", ""))[0])[2] for reason in worth[:_MOST_ADVICE]]
    advice += _barren(counts)
    if stops and tried < 2 * counts.named.total():  # nor did articles name as many before them: "most read" names a few
        advice.append(_STOPS)
    said = ". ".join(dict.fromkeys(advice))
    return Coverage(job, dict(counts.named.most_common()), dict(counts.pages.most_common()), said)
