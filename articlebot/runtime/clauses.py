"""The clauses that say why a page was refused, or why no job took it, and what to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from articlebot.jobs.book import JobBook, is_article
from articlebot.jobs.looks import Found
from articlebot.urls import subdomain

_REASONS = {
    "robots": "robots.txt of its host forbids it",
    "no_tls": "its host does not speak TLS (https)",
    "tls_refused": "its host and this machine come to no TLS connection (https)",
    "bad_certificate": "the certificate of its host is not valid",
    "robots_unreachable": "robots.txt of its host could not be had, which forbids everything there",
    "noindex": "it asks not to be indexed (noindex)",
    "nofollow": "it asks that its links are not taken (nofollow)",
    "tdm_reservation": "its use for text and data mining is reserved",
    "page_unsure": "what of its text is the article could not be told (confidence below "
    "ARTICLEBOT_EXTRACTION_REFUSE_BELOW); it is kept to learn its site from",
    "notice": "its page shows what stands at other addresses of its site too, as a notice of maintenance does",
    "unlike_before": "it shows another article than before, half of it or an older version: believed if the next visit "
    "does so, too",
    "leads_to_list": "its address leads to a list of its site",
    "undated": "it tells no day, as its site's articles do (article_pattern in its job says which pages are articles)",
    "ai_train": "it must not be used for training",
}
_ROBOTS = "set robots = false in its job where you may"
_OBEY = "leave {signal} out of ARTICLEBOT_MANNERS_OBEY where you may"
_LET_IN = 'identity = "browser" or proxies = true in its job may be let in'
_ADVICE = {
    **dict.fromkeys(("robots", "robots_unreachable"), _ROBOTS),
    **dict.fromkeys(("noindex", "nofollow", "tdm_reservation", "ai_train"), _OBEY),
    **dict.fromkeys(("captcha", "challenge", "blocked"), _LET_IN),
    **dict.fromkeys(("login", "subscription"), "only readers with an account see it, and articlebot has none"),
    "region": "proxies = true in its job goes through proxies elsewhere",
    "consent": 'consent = "accept" in its job gives it',
}


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: a text with places for values, so that it can be translated."""

    text: str
    values: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text.format(**self.values)


def refused(reason: str) -> list[Clause]:
    """Why a visit gave no article, and what to do where something can be done.

    Args:
        reason: as it is kept of the last visit.
    """
    kind = reason.removeprefix("wall_")
    said = _REASONS.get(reason, "its last visit ended with {reason}")
    if kind != reason:
        said = "it shows a wall ({kind}) instead of an article"
    clauses = [Clause(said, {"kind": kind, "reason": reason})]
    if kind in _ADVICE:
        clauses.append(Clause(_ADVICE[kind], {"signal": kind.replace("_", "-")}))
    return clauses


def never(url: str, book: JobBook | None, *, is_host_known: bool) -> Clause:
    """Why no link to a page was followed; first whether any job has its host.

    Args:
        url: canonical.
        book: the jobs that may want it; None where they are not known.
        is_host_known: whether anything of its host was ever queued.
    """
    host = {"host": subdomain(url)}
    if book is None and not is_host_known:
        return Clause(
            "Never admitted: nothing of the host {host} was ever queued; links are followed to the site of their "
            "job and to its allowed_domains alone (--jobs FILE says whether a job has this host)", host
        )  # fmt: skip
    if book is None:
        return Clause("Never admitted: no page that was visited has linked to it as to an article, or no job wants it")
    owners = book.owners(url)
    if not owners:
        return Clause(
            "Never admitted: the host {host} is no job's; links to it are followed by a job that names it in "
            "allowed_domains", host
        )  # fmt: skip
    job = owners[0]
    names = {"job": job.name, "depth": job.depth}
    if url in book.entry_urls:
        return Clause("An entry page of job {job} that was not visited so far", names)
    return left_by(url, book) or Clause(
        "Never admitted: job {job} has its host, and no page that it visits down to depth {depth} has linked to it as "
        "to an article", names
    )  # fmt: skip


def of_look(url: str, found: Found) -> list[Clause]:
    """What the look at its site may have to do with a page that was never admitted."""
    for section, note in found.report.get("left_out", {}).items():
        if url == section or url.startswith(section.rstrip("/") + "/"):
            said = "the look at its site left out {section} ({note}); list_pages of the job may name it"
            return [Clause(said, {"section": section, "note": note})]
    if found.report.get("reaches_back", True):
        return []
    return [Clause("the look at its site found no way back to older articles; list_pages of the job may name one")]


def left_by(url: str, book: JobBook | None) -> Clause | None:
    """The key by which every job that has the host leaves the page out; None where one takes it."""
    owners = [] if book is None or url in book.entry_urls else book.owners(url)
    if book is None or not owners:
        return None
    if any(book.takes(job, url) and is_article(job, url) is not False for job in owners):
        return None
    names = {"job": owners[0].name}
    if not book.takes(owners[0], url):
        return Clause("Not followed: article_exclude of job {job} leaves it out", names)
    return Clause("No article to job {job}: its article_pattern does not match the address", names)
