"""What a look has found, as it is kept and as it is told on one screen."""

from __future__ import annotations

from typing import Any

from articlebot.diagnosis.advice import advised
from articlebot.extraction.fields.lead import front_of, pictures_of_list
from articlebot.front import Front
from articlebot.jobs.looks import Found
from articlebot.looks.site_look import SiteLook
from articlebot.seeds.jobblock import NOT_BACK, SiteSeeds, keys_of
from articlebot.visiting.overlooked import MENU


def found_of(look: SiteLook, now: float) -> Found:
    """What is kept of a look."""
    found, home = look.found, next((one.page for one in look.listings[:1]), None)
    why = {entry.url: entry.said for entries in found.groups.values() for entry in entries}
    report: dict[str, Any] = {
        "fetched": found.fetched, "problems": found.problems, "walls": found.walls, "hubs": found.hubs,
        "reaches_back": found.reaches_back, MENU: list(found.menu),
        "named": len({url for entries in found.groups.values() for entry in entries for url in entry.articles}),
        "left_out": {entry.url: entry.note for entry in found.left_out[:50]},
    }  # fmt: skip
    front = front_of(home) if home is not None else Front()
    keywords, dated = sorted(front.keywords), look.samples.dated
    return Found(found.url, now, keys_of(found), why, report, front.title, _signs(look), keywords, dated)


def _signs(look: SiteLook) -> list[str]:
    """The pictures that stand for the site: what its home page states, and a page of its map beside another page."""
    lists = [pictures_of_list(one.page) for one in look.listings if one.page is not None]
    pages = [*look.samples.pictures, *lists]
    shared = {url for n, one in enumerate(look.samples.pictures) for url in one & set().union(*pages[n + 1 :])}
    return sorted(shared.union(*lists[:1]))


def screen(name: str, found: SiteSeeds) -> str:
    """What was chosen of a site and why, on one screen."""
    lines = [f"{name}: {found.fetched} pages looked at, {found.entries} entry pages chosen"]
    for key, entries in found.groups.items():
        lines += [f"  {key:<11} {entry.url}  {entry.said}" for entry in entries[:8]]
        if len(entries) > 8:
            lines.append(f"  {key:<11} and {len(entries) - 8} more: scrapy jobs show {name}")
    lines += [f"  left out    {entry.url}  {entry.note}" for entry in found.left_out[:6]]
    if found.entries and not found.reaches_back:
        lines.append(f"  {NOT_BACK}")
    told = [f"language {found.language}"] if found.language else []
    told += [f"times in {found.timezone}"] if found.timezone else []
    told += [f"{count} {problem}" for problem, count in found.problems.items()]
    return "\n".join([*lines, *(["  " + ", ".join(told)] if told else [])])


def why_nothing(found: SiteSeeds, again_s: float) -> str:
    """Why a look has found no entry page, and what to do; it is made again within so many seconds."""
    reason, detail = found.why
    if not reason:
        return f"nothing on {found.url} looks like a list of articles; its home page is visited for links"
    again = f"it is looked at again within {again_s / 3600:.0f} h"
    said, advice = advised(reason, {"url": found.url, "detail": detail, "again": again})
    return f"{said}. {advice}"
