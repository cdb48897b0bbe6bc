"""A site's entry pages: which of those that were found are followed, and the block of a job file that says so."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from articlebot.jobs.model import Job, name_from

# Of a site of which ``reaches_back`` is false.
NOT_BACK = (
    "nothing leads to older articles but what their own pages name as the one before: no list is seen to go on, and "
    "there is no sitemap of the whole site and no date archive; list_pages of a job may name one"
)

# Share of the articles of list pages that faster sources name, from which the lists are not visited for what is new.
COVERED = 0.95
_MOST_FEEDS, _MOST_SITEMAPS, MOST_LISTS, _MOST_ARCHIVES = 8, 6, 40, 60


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry page that was found.

    Attributes:
        articles: addresses of the articles that it names now.
        note: why it is there, and what else is said of it.
        goes_on: it has a further page.
    """

    url: str
    articles: frozenset[str]
    note: str = ""
    goes_on: bool = False

    @property
    def said(self) -> str:
        """The remark beside its address."""
        some = f"{len(self.articles)} articles" if self.articles else ""
        return ", ".join(filter(None, (some, self.note, "goes on" if self.goes_on else "")))


@dataclass(slots=True)
class SiteSeeds:
    """What was found of a site.

    Attributes:
        api: list sources that are data or fragments, which a page's scripts fetch.
        more: what scripts fetch to go on with a list.
        archives: date archives and lists that are gone through for older articles alone.
        forms, json_forms: addresses whose query is sent by POST, as a form or as JSON.
        ajax: addresses that give a script what they do not give a reader.
        rendered: lists that only a browser shows.
        article_url: how addresses are made of the names in data.
        article_data: the same of the data in which the text of an article is, whose page is empty.
        walls: which wall was met, by address.
        left_out: what was found and is not followed, with the reason.
        problems: what went wrong with addresses that something named, by reason.
        problem_at: by reason, the first address with which it did.
        menu: the sections that the home page led to.
        part: the folder of the site that is looked at, "/" for all; "" where it is its one list page alone.
        has_map: a sitemap names articles of any age.
        why: why the address itself lists no article, of ``diagnosis.advice``, and what else there is to say of it.
    """

    url: str
    language: str | None = None
    timezone: str | None = None
    feeds: list[Entry] = field(default_factory=list)
    sitemaps: list[Entry] = field(default_factory=list)
    list_pages: list[Entry] = field(default_factory=list)
    api: list[Entry] = field(default_factory=list)
    more: list[Entry] = field(default_factory=list)
    archives: list[Entry] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    json_forms: list[str] = field(default_factory=list)
    ajax: list[str] = field(default_factory=list)
    rendered: list[str] = field(default_factory=list)
    article_url: str | None = None
    article_data: str | None = None
    hubs: list[str] = field(default_factory=list)
    needs_browser: bool = False
    walls: dict[str, str] = field(default_factory=dict)
    left_out: list[Entry] = field(default_factory=list)
    fetched: int = 0
    problems: dict[str, int] = field(default_factory=dict)
    problem_at: dict[str, str] = field(default_factory=dict)
    has_map: bool = False
    menu: tuple[str, ...] = ()
    part: str = "/"
    why: tuple[str, str] = ("", "")

    def post(self, place: str, *, as_json: bool) -> None:
        """Notes an address to which what addresses have behind it is sent by POST."""
        known = self.json_forms if as_json else self.forms
        known += [] if place in known else [place]

    @property
    def reaches_back(self) -> bool:
        """Whether anything leads to articles older than those that its entry pages show."""
        return (
            self.has_map
            or bool(self.archives or self.more)
            or any(one.goes_on for one in (*self.list_pages, *self.api))
        )

    @property
    def entries(self) -> int:
        """How many entry pages were found."""
        return len(self.feeds) + len(self.sitemaps) + len(self.list_pages) + len(self.api)

    @property
    def groups(self) -> Mapping[str, list[Entry]]:
        """The entries by the key of a job that names them."""
        return {
            "feeds": self.feeds, "sitemaps": self.sitemaps, "list_pages": [*self.list_pages, *self.api],
            "archives": [*self.archives, *self.more],
        }  # fmt: skip

    def choose(
        self, feeds: Sequence[Entry], news: Sequence[Entry], maps: Sequence[Entry], lists: Sequence[Entry],
        through: frozenset[str] = frozenset(), *, beyond: bool = False, deep: bool = False,
    ) -> None:  # fmt: skip
        """Takes of what was found what the site is followed by: the fewest requests that show what is new.

        Args:
            feeds, news, maps: feeds, news sitemaps, sitemaps of the whole site.
            lists: list pages, the home page first.
            through: what the first list's own further pages name, so that others need not be gone through for it.
            beyond: the first list ends before the others do.
            deep: sitemaps name and tell all that lists do, which need not be gone through.
        """
        known: set[str] = set()
        self.has_map = bool(maps)
        self.feeds = chosen(feeds, known, most=_MOST_FEEDS, least_new=1)
        self.sitemaps = chosen(news, known, most=_MOST_SITEMAPS, least_new=1)
        shown = frozenset[str]().union(*(entry.articles for entry in lists))
        quick = bool(known) and covers(known, shown)
        for entry in lists:
            new = entry.articles - known
            # A home page that does not go on itself shows of each section the newest alone.
            endless = entry is not lists[0] and lists[0].goes_on and not beyond
            repeats = endless and covers(through | lists[0].articles, entry.articles)
            # What its further pages repeat of the home page, as a list of the newest beside them, spares others alone.
            if (new if entry is lists[0] else new - through) and not quick and len(self.list_pages) < MOST_LISTS:
                self.list_pages.append(entry)
            elif entry.goes_on and not deep and not repeats and len(self.archives) < _MOST_ARCHIVES:
                self.archives.append(entry)
            else:
                self._leave(
                    entry, "its articles are in feeds and sitemaps" if quick or deep else "others name all it names"
                )
            known |= entry.articles
        self.sitemaps += chosen(maps, known, most=_MOST_SITEMAPS, least_new=1)
        for entry in (*feeds, *news, *maps):
            if entry not in self.feeds and entry not in self.sitemaps:
                self._leave(entry, "others name all it names")

    def leave_out(self, urls: Iterable[str], why: str) -> None:
        """Notes what is not followed, for those who are shown what was found."""
        self.left_out += [Entry(url, frozenset(), why) for url in urls]

    def _leave(self, entry: Entry, why: str) -> None:
        self.left_out.append(Entry(entry.url, entry.articles, why))


def covers(known: Collection[str], shown: Collection[str]) -> bool:
    """Whether some sources name nearly all articles that others show."""
    return bool(shown) and sum(url in known for url in shown) >= COVERED * len(shown)


def chosen(entries: Sequence[Entry], known: set[str], *, most: int, least_new: int = 2) -> list[Entry]:
    """The entries that each add articles, the fullest first; ``known`` grows by what they name.

    Args:
        known: articles that other entry pages name already.
        most: how many are taken.
        least_new: articles that an entry must add; an entry page that repeats others only costs fetches.
    """
    left = list(entries)
    taken: list[Entry] = []
    while left and len(taken) < most:
        best = max(left, key=lambda entry: len(entry.articles - known))
        if len(best.articles - known) < least_new:
            break
        known |= best.articles
        taken.append(best)
        left.remove(best)
    return taken


def keys_of(found: SiteSeeds) -> dict[str, Any]:
    """What a look has found, as the keys of a job."""
    keys: dict[str, Any] = {key: [entry.url for entry in entries] for key, entries in found.groups.items() if entries}
    if keys and found.part and not found.reaches_back:
        keys["neighbours"] = True
    if keys and len(found.part) > 1:
        keys["article_exclude"] = [rf"^https?://[^/]+(?!{re.escape(found.part)})/"]
    told = {
        "forms": found.forms,
        "json_forms": found.json_forms,
        "ajax": found.ajax,
        "rendered": found.rendered,
        "article_url": found.article_url,
        "article_data": found.article_data,
        "language": found.language,
        "timezone": found.timezone,
    }
    return {**keys, **{key: value for key, value in told.items() if value}}


def job_of(found: SiteSeeds) -> Job:
    """The job that follows a site by what was found of it.

    Raises:
        ValueError: nothing was found.
    """
    return Job.model_validate({"name": job_name(found.url), **keys_of(found)})


def job_name(url: str) -> str:
    """A job's name for a site: its host without www, with what a name may hold."""
    return name_from(urlsplit(url).netloc.removeprefix("www."))


def block(found: SiteSeeds, *, name: str = "", topic: str | None = None, why: str = "") -> str:
    """The block of a job file, with what was found as remarks.

    Args:
        name: the job's; absent: made of the site's.
        topic: a topic file for the job.
        why: a further remark.

    Raises:
        ValueError: nothing was found.
    """
    head = [f"{found.url}: {found.fetched} pages looked at", *([why] if why else [])]
    remarks = {entry.url: entry.said for entries in found.groups.values() for entry in entries}
    keys = {"name": name or job_of(found).name, **keys_of(found), **({"topic": topic} if topic else {})}
    return toml(keys, remarks, head, [f"WebSub hub: {hub}" for hub in found.hubs])


def toml(
    keys: Mapping[str, Any], remarks: Mapping[str, str], head: Sequence[str] = (), foot: Sequence[str] = ()
) -> str:  # fmt: skip
    """The block of a job file that says these keys.

    Args:
        keys: of a job, texts, numbers, truths or lists of texts.
        remarks: what is said beside an address.
        head, foot: remarks before and after.
    """
    lines = [*(f"# {_remark(line)}" for line in head), "[[site]]"]
    for key, value in keys.items():
        if isinstance(value, list | tuple):
            lines.append(f"{key} = [")
            for one in value:
                said = remarks.get(one, "")
                lines.append(f"    {_text(one)}," + (f"  # {_remark(said)}" if said else ""))
            lines.append("]")
        else:
            lines.append(f"{key} = {_text(value)}")
    return "\n".join([*lines, *(f"# {_remark(line)}" for line in foot)]) + "\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _remark(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", " ", text)
