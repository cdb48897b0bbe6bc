"""``scrapy doctor``: what a site offers and what its articles look like, without following it."""

from __future__ import annotations

import argparse
from time import monotonic
from typing import Any

from articlebot.actions import base
from articlebot.actions.output import say
from articlebot.diagnosis.advice import advised
from articlebot.seeds.jobblock import NOT_BACK, Entry, SiteSeeds
from articlebot.spiders.site_seeds import Sample, SiteSeedsSpider

# All of it is to be told within half a minute: the look, then its samples.
_SECONDS, _MOST_PAGES, _SAMPLES = 20.0, 36, 3
_SHOWN = 8


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Looks at the site of an address."""
    SiteSeedsSpider.check_arguments(args[0])
    command.agree()
    say(f"looking at {args[0]}, which takes up to half a minute")
    begun = monotonic()
    found: list[SiteSeeds] = []
    samples: list[Sample] = []
    command.crawl(
        SiteSeedsSpider, url=args[0], found=found, seconds=_SECONDS, pages=_MOST_PAGES, samples=samples, most=_SAMPLES
    )
    seeds = found[0] if found else SiteSeeds(args[0])
    told = _told(seeds, samples, monotonic() - begun)
    command.show(told, lambda: _text(told), opts)
    command.exitcode = int(not seeds.entries)


def _told(seeds: SiteSeeds, samples: list[Sample], seconds: float) -> dict[str, Any]:
    reason, detail = seeds.why if not seeds.entries else ("", "")
    values = {
        "url": seeds.url,
        "detail": detail,
        "again": "ask again later",
        "seeds": "scrapy doctor looks at any other address",
    }
    why, advice = advised(reason, values) if reason else ("", "")
    return {
        "url": seeds.url, "feeds": _rows(seeds.feeds), "sitemaps": _rows(seeds.sitemaps),
        "lists": _rows(seeds.list_pages), "api": _rows([*seeds.api, *seeds.more]), "archives": _rows(seeds.archives),
        "article_url": seeds.article_url, "language": seeds.language, "timezone": seeds.timezone,
        "needs_browser": seeds.needs_browser, "walls": [{"url": url, "wall": one} for url, one in seeds.walls.items()],
        "samples": [one.row() for one in samples], "left_out": _rows(seeds.left_out), "hubs": seeds.hubs,
        "reaches_back": seeds.reaches_back, "problems": seeds.problems, "problem_at": seeds.problem_at,
        "why": why, "advice": advice, "requests": seeds.fetched, "seconds": round(seconds, 1),
    }  # fmt: skip


def _rows(entries: list[Entry]) -> list[dict[str, Any]]:
    return [{"url": one.url, "articles": len(one.articles), "why": one.note} for one in entries]


def _text(told: dict[str, Any]) -> str:
    lines = [f"{told['url']}: {told['requests']} requests in {told['seconds']:.0f} s"]
    for name in ("feeds", "sitemaps", "lists", "api", "archives", "left_out"):
        rows = told[name]
        lines += [
            f"{name.replace('_', ' '):<10} {one['url']}  {one['articles']} articles, {one['why']}"
            for one in rows[:_SHOWN]
        ]
        if len(rows) > _SHOWN:
            lines.append(f"{name:<10} and {len(rows) - _SHOWN} more: --json")
    lines.append(
        f"language   {told['language'] or 'not told'}, times in {told['timezone'] or 'the zone that pages state'}"
    )
    if told["needs_browser"] and not told["why"]:
        lines.append(
            "browser    needed: its lists or articles come from scripts, and no address in these answers with them; "
            "articlebot[browser] shows them"
        )
    lines += [f"wall       {one['url']}: {one['wall']}" for one in told["walls"][:_SHOWN]]
    if not (told["reaches_back"] or told["why"]):
        lines.append(f"older      {NOT_BACK}")
    lines += _of_samples(told["samples"])
    if hasty := sum(told["problems"].get(name, 0) for name in ("http_429", "http_503")):
        lines.append(f"haste      {hasty} requests were refused with 429 or 503: set a greater delay in the job")
    if told["problems"]:
        where = {name: f" ({url})" for name, url in told["problem_at"].items()}
        counted = (f"{number} {name}{where.get(name, '')}" for name, number in told["problems"].items())
        lines.append("problems   " + ", ".join(counted))
    if told["why"]:
        lines.append(f"nothing was found: {told['why']}. {told['advice']}")
    else:
        lines.append(f"follow it  scrapy crawl --url {told['url']}")
    return "\n".join(lines)


def _of_samples(samples: list[dict[str, Any]]) -> list[str]:
    lines = []
    for one in samples:
        read = f"none: {one['refused']}"
        if not one["refused"]:
            read = f"{one['published_at'] or 'no date'}  {one['chars']:,} characters  {one['title']}"
        lines.append(f"sample     {one['url']}  {read}")
        if not one["refused"]:
            lines.append(f"           {', '.join(one['authors']) or 'no author'}: {one['begins']}")
    good = sum(not one["refused"] for one in samples)
    if 0 < len(samples) == good < _SAMPLES:
        lines.append(f"sample     no more than {good}: what it offers names no other article")
    return lines
