"""What becomes of a page: extraction, change, duplicates, classes, archive and sinks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from articlebot.config.section import FromJson, Listed, Section


class Extraction(Section):
    """Articles out of pages of sites that nothing is known of."""

    refuse_below: float = Field(
        0.4,
        ge=0,
        le=1,
        description="Expected F1 of the text below which a page of a site without a wrapper is refused as "
        "`page_unsure` and kept to learn from. 0 refuses none.",
    )


class Video(Section):
    """Play pages, and the addresses of what they play."""

    domains: Listed[str] = Field(
        (), description="Registered domains whose play pages are read, separated by commas. Empty: all."
    )
    parsers: Listed[str] = Field(
        (), description="Class paths of parsers of one's own, asked first on their domains, separated by commas."
    )
    generic: bool = Field(
        True,
        description="Whether play pages are read where no parser of their own claims the domain. False: such a page "
        "is refused, as in the source design.",
    )
    ytdlp: bool = Field(
        True, description="Ask yt-dlp's extractors for play pages that they claim, where `articlebot[video]` is there."
    )
    renditions: bool = Field(
        False, description="Fetch a play page's HLS and DASH manifests too, and list their renditions, best first."
    )


class Wrappers(Section):
    """Wrappers learned from each site's own pages."""

    enabled: bool = Field(True, description="Whether sites' wrappers are learned and applied while crawling.")
    folder: Path = Field(Path("wrappers"), description="Folder of hand-written wrappers, a JSON file a site.")
    processes: int = Field(1, ge=0, le=64, description="Processes that learn; 0 learns only by `scrapy learn`.")


class Change(Section):
    """What counts as a change of an article."""

    rule: Literal["exact", "simhash"] = Field(
        "exact",
        description="exact: another hash of the normalised main text. simhash: a distance above the threshold.",
    )
    threshold: int = Field(5, ge=0, le=64, description="Bits of SimHash distance above which `simhash` sees a change.")
    fingerprint: Literal["words", "package"] = Field(
        "words",
        description="words: SimHash of weighted words without the commonest. package: the simhash package over all "
        "words, as in the source designs. Under rule `simhash`, changing it makes each article look changed once.",
    )


class Dedup(Section):
    """Near-duplicates among articles."""

    method: Literal["shingles", "simhash3", "simhash5", "off"] = Field(
        "shingles",
        description="shingles: candidates by shared runs of words, verified by weighted overlap and containment. "
        "simhash3, simhash5: fingerprints within 3 or 5 bits, as in the source designs. off: no clusters.",
    )
    window: float = Field(
        30 * 86400,
        ge=60,
        le=10 * 365 * 86400,
        description="Time, seconds, in which two articles can be near-duplicates.",
    )

    # No settings: nobody needs to turn these.
    # Learned on one half of the texts of benchmarks.neardup, neardup_hard and neardup_versions, where F1 is flat, and
    # reported on the other (docs/benchmarks.md). First the words of the smaller text that are in the larger one.
    words: ClassVar[float] = 0.76
    # With fewer words in common, an edited version where less than that of them stand as they did.
    edited_words: ClassVar[float] = 0.55
    together: ClassVar[float] = 0.80
    # The words of the larger text that are in the smaller one: below, it only quotes it.
    words_larger: ClassVar[float] = 0.40
    # The same of runs of two words: a digest of three equal stories holds each whole, a third of it in common.
    larger: ClassVar[float] = 0.38
    # Edits break runs: with less than that of the smaller text's, so much is enough. Below, it is a vocabulary.
    whole: ClassVar[float] = 0.9
    edited_larger: ClassVar[float] = 0.28
    # A template filled in anew has other numbers. Of runs with a number in the smaller text.
    numbers: ClassVar[float] = 0.22
    # Of character runs, between texts under 40 words.
    short_jaccard: ClassVar[float] = 0.57
    # Of runs of two words: pages of one site share templates.
    same_source: ClassVar[float] = 0.9
    # The figures of docs/benchmarks.md are with so many compared.
    candidates: ClassVar[int] = 24


class Classify(Section):
    """Classes, summaries and keywords."""

    model: Path | None = Field(
        None,
        description="Model made by `scrapy classify train`, or a keyword taxonomy (.toml). Absent: the shipped "
        "keywords.",
    )
    threshold: float | None = Field(
        None, ge=0, le=1, description="Probability under which a class is left open. Absent: the model's own."
    )
    summary_chars: int = Field(
        200, ge=0, le=5000, description="Longest summary, characters, where the page has none; 0: none is made."
    )
    keywords: int = Field(
        8, ge=0, le=50, description="Keywords per article where the page names none, count; 0: none are made."
    )


class Relevance(Section):
    """Focused crawls."""

    rule: Literal["blend", "design", "page", "anchor", "shark", "breadth"] = Field(
        "blend",
        description="What makes a link's priority (docs/explanation/relevance.md); `design`: m1 * cosine + m2 * hub, "
        "the cosine by how often words stand in a text.",
    )
    m1: float = Field(0.5, ge=0, le=1, description="Weight of the cosine in `design`; the hub score has 1 - m1.")
    hub: Literal["fetched", "found"] = Field(
        "fetched",
        description="What the hub score counts of a page's links: those whose targets were fetched and relevant, or "
        "those found with the topic in their words, as in the source design.",
    )
    qualifies_from: int = Field(
        0, ge=0, le=10_000,
        description="Links with the topic in their words from which a page qualifies, whatever its own text; 0: never.",
    )  # fmt: skip
    at_least_source: bool = Field(
        False, description="The design's assumption that a link's target is at least as good as the page it stands on."
    )
    equal_in_query: bool = Field(
        False,
        description="The design's assumption that pages found by one query rank equal: the links of a page whose "
        "address has a query all rank as the best of them.",
    )
    feedback: bool = Field(True, description="Whether the topic learns further words from the pages it accepts.")
    off_topic_depth: int = Field(
        2, ge=0, le=20, description="Links followed in a row from pages below the threshold; 0: none of such a page."
    )

    @property
    def assumptions(self) -> tuple[Literal["at_least_source", "equal_in_query"], ...]:
        """The design's link assumptions that hold."""
        names: tuple[Literal["at_least_source", "equal_in_query"], ...] = ("at_least_source", "equal_in_query")
        return tuple(name for name in names if getattr(self, name))


class Archive(Section):
    """What of an article is kept, and for how long."""

    keep_html: bool = Field(True, description="Keep each article's HTML, compressed, beside its text.")
    upgrade: bool = Field(True, description="Bring an archive of an older schema up at the start; else refuse it.")
    raw: Literal["none", "documents", "all"] = Field(
        "documents",
        description="Which fetched bytes are kept with a version: of documents that are not HTML, of all, or of none.",
    )
    raw_max_mb: float = Field(
        1024, gt=0, le=100_000_000, description="Megabytes of raw pages, beyond which the oldest files are removed."
    )
    keep_days: float | None = Field(
        None, gt=0, le=36_500, description="Days after which an article is removed that was not changed since."
    )
    keep_versions: int | None = Field(None, ge=1, le=1_000_000, description="Newest versions kept of each article.")


class Publishing(Section):
    """Where versions are delivered, and how."""

    sinks: FromJson[dict[str, dict[str, Any]]] = Field(
        {"jsonlines": {"type": "jsonlines"}},
        description="Sinks by name, each with its type, options and what it wants; a JSON object in the environment.",
    )
    attempts: int = Field(
        8, ge=1, le=1000, description="Refusals of a version by a sink after which it is a dead letter."
    )

    # No settings: nobody needs to turn these.
    # Milliseconds an article waits for others; nobody waits for one article.
    group_ms: ClassVar[int] = 20
    # Seconds; time for a database to restart or fail over. Then the page is fetched again.
    give_up_s: ClassVar[float] = 300
