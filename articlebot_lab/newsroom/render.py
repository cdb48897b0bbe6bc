"""The sites' HTML pages.

What surrounds an article (counters, advertisements, related links) differs at every request.
"""

from __future__ import annotations

import functools
import html
import json
import random
from dataclasses import dataclass
from importlib import resources
from string import Template
from typing import Any

from articlebot_lab.newsroom import labels
from articlebot_lab.newsroom.sites import Site
from articlebot_lab.newsroom.world import Story, Version, World, local_time

_DECLARED = {"gbk": "gb2312"}  # sites in GBK call it gb2312


@dataclass(frozen=True, slots=True)
class View:
    """One look at the world: when, and the randomness of what changes at every request."""

    world: World
    now: float
    rng: random.Random


@functools.cache
def _template(name: str) -> Template:
    return Template(resources.files(__package__).joinpath("templates", f"{name}.html").read_text(encoding="utf-8"))


def charset_label(site: Site) -> str:
    """The name under which a site declares its encoding."""
    return _DECLARED.get(site.encoding, site.encoding)


def article_page(view: View, story: Story, page: int) -> str:
    """Page ``page`` (from 0) of a story as it stands at ``now``."""
    site, now = story.site, view.now
    version = story.version_at(now)
    values = _frame(view, site, story.host)
    values |= {
        "title": html.escape(version.title),
        "head": _head(story, version, page),
        "date": shown_date(story, now),
        "isodate": local_time(site, story.published_at).isoformat(timespec="seconds"),
        "author": html.escape(story.author),
        "source": html.escape(story.source or site.name),
        "section": labels.TOPIC_NAMES[site.language][story.section],
        "category": story.section,
        "body": _body(site, story.page_slices(version)[page], view.rng),
        "figure": _figure(story) if page == 0 else "",
        "pager": _article_pager(story, page),
    }
    return _template(f"{site.layout}_article").substitute(values)


def list_page(view: View, host: str, category: str | None, page: int) -> str:
    """A front page (``category`` None) or section page; ``page`` counts from 1."""
    world, now = view.world, view.now
    site = world.site_of(host)
    assert site is not None
    main = host == site.hosts[0]
    stories = [
        story
        for story in world.shown(site, now, None if main else host, category)
        if story.kind != "document" and site.discovery not in ("rss", "sitemap")
    ]
    part = stories[(page - 1) * site.list_size : page * site.list_size]
    words = labels.WORDS[site.language]
    values = _frame(view, site, host)
    values |= {
        "heading": labels.TOPIC_NAMES[site.language][category] if category else words["latest"],
        "head": _charset_meta(site),
        "items": "\n".join(_item(view, story, host) for story in part) or f"<p>{words['empty']}</p>",
        "pager": _list_pager(site, category, page, len(stories)),
        "extra": _papers(world, site, now),
    }
    return _template(f"{site.layout}_list").substitute(values)


def plain_page(site: Site, heading: str, text: str) -> str:
    """A page that is no article: about, login, gone."""
    return (
        f"<!DOCTYPE html><html><head>{_charset_meta(site)}<title>{heading} - {site.name}</title></head>"
        f"<body><h1>{heading}</h1><p>{text}</p><p><a href='/'>{site.name}</a></p></body></html>"
    )


def shown_date(story: Story, now: float) -> str:
    """The date of a story in its site's style."""
    site = story.site
    at = local_time(site, story.published_at)
    if site.date_style == "iso":
        return at.strftime("%Y-%m-%d %H:%M:%S")
    if site.date_style == "english":
        return f"{at.day} {at:%B %Y, %H:%M %Z}"
    if site.date_style == "relative":
        return labels.relative_date(now - story.published_at, at.strftime("%Y-%m-%d %H:%M"))
    return f"{at:%Y}年{at:%m}月{at:%d}日 {at:%H:%M}" if site.layout == "bare" else at.strftime("%Y-%m-%d %H:%M")


def _frame(view: View, site: Site, host: str) -> dict[str, str]:
    """What every page of a site has, in part new at each request."""
    world, now, rng = view.world, view.now, view.rng
    shown = [story for story in world.shown(site, now)[:60] if story.kind != "document"]
    hot = rng.sample(shown, min(6, len(shown))) if site.discovery == "list" else []
    names = labels.TOPIC_NAMES[site.language]
    sections = "".join(
        f'<li><a href="http://{site.host_of(topic)}/{topic}/">{names[topic]}</a></li>' for topic in site.topics
    )
    values = {f"w_{key}": word for key, word in labels.WORDS[site.language].items()}
    return values | {
        "p": site.key[0],
        "lang": "zh-CN" if site.language == "zh" else "en",
        "name": html.escape(site.name),
        "nav": f'<li><a href="http://{site.hosts[0]}/">{values["w_front"]}</a></li>{sections}',
        "related": "".join(f"<li>{_link(view, story, host)}</li>" for story in hot),
        "ad": rng.choice(labels.ADS[site.language]),
        "noise": str(rng.randrange(10**8)),
        "visits": str(rng.randrange(90000)),
        "editor": rng.choice(labels.EDITORS[site.language]),
        "now": local_time(site, now).strftime("%Y-%m-%d %H:%M:%S"),
        "copyright": f"Copyright © 2003-{local_time(site, now).year} {html.escape(site.name)}",
    }


def _link(view: View, story: Story, host: str) -> str:
    return f'<a href="{_href(story, host, view.rng)}">{html.escape(story.version_at(view.now).title)}</a>'


def _href(story: Story, host: str, rng: random.Random) -> str:
    path = story.redirect_path() or story.path
    if story.site.tracking:
        path += f"{'&amp;' if '?' in path else '?'}utm_source=home&amp;spm=a2.{rng.randrange(1000)}"
    return path if story.host == host else f"http://{story.host}{path}"


def _item(view: View, story: Story, host: str) -> str:
    now = view.now
    version, layout = story.version_at(now), story.site.layout
    link = _link(view, story, host)
    date = shown_date(story, now)
    summary = html.escape(version.paragraphs[0][: 60 if story.site.language == "zh" else 140])
    if layout == "semantic":
        return f'<article class="card"><h3>{link}</h3><p>{summary}…</p><time>{date}</time></article>'
    if layout == "bare":
        return f"<tr><td>·{link}</td><td nowrap>{date}</td></tr>"
    if layout == "magazine":
        return f'<div class="item"><h3>{link}</h3><div class="sum">{summary}...</div><span>{date}</span></div>'
    if layout == "classic":
        return f"<dt>{link}</dt><dd>{summary} <i>{date}</i></dd>"
    return f"<li>{link} <span>{date}</span></li>"


def _papers(world: World, site: Site, now: float) -> str:
    if not site.documents:
        return ""
    papers = [story for story in world.shown(site, now) if story.kind == "document"]
    links = "".join(f'<li><a href="{s.path}">{html.escape(s.versions[0].title)}</a></li>' for s in papers)
    return f"<h3>{labels.WORDS[site.language]['papers']}</h3><ul class='papers'>{links}</ul>"


def _list_pager(site: Site, category: str | None, page: int, count: int) -> str:
    words = labels.WORDS[site.language]
    stem = f"/{category}/page/" if category else "/page/"
    last = max(1, -(-count // site.list_size))
    links = [f'<a href="{stem}{page - 1}">{words["previous"]}</a>'] if page > 1 else []
    links += [f'<a href="{stem}{n}">{n}</a>' if n != page else f"<b>{n}</b>" for n in range(1, min(last, 9) + 1)]
    links += [f'<a href="{stem}{page + 1}">{words["next"]}</a>'] if page < last else []
    return f'<div class="pagination">{" ".join(links)}</div>' if last > 1 else ""


def _article_pager(story: Story, page: int) -> str:
    if story.pages == 1:
        return ""
    words, paths = labels.WORDS[story.site.language], story.page_paths()
    links = [f'<a href="{paths[page - 1]}">{words["previous"]}</a>'] if page else []
    links += [f"<b>{n + 1}</b>" if n == page else f'<a href="{path}">{n + 1}</a>' for n, path in enumerate(paths)]
    links += [f'<a href="{paths[page + 1]}">{words["next"]}</a>'] if page + 1 < story.pages else []
    return f'<div class="pages">{" ".join(links)}</div>'


def _body(site: Site, paragraphs: tuple[str, ...], rng: random.Random) -> str:
    escaped = [html.escape(text, quote=False) for text in paragraphs]
    indent = "　　" if site.language == "zh" else ""
    if site.layout == "bare":
        return "".join(f"{indent}{text}<br><br>\n" for text in escaped)
    parts = [f"<p>{indent if site.layout in ('portal', 'classic') else ''}{text}</p>" for text in escaped]
    if site.layout in ("portal", "magazine") and len(parts) > 3:
        ad = rng.choice(labels.ADS[site.language])
        parts.insert(3, f'<div class="ad-inline"><a href="/ads/{rng.randrange(999)}">{ad}</a></div>')
    return "\n".join(parts)


def _figure(story: Story) -> str:
    if story.kind == "video":
        number = story.number
        return (
            f'<video controls poster="/media/{number}.jpg"><source src="/media/{number}.mp4" type="video/mp4"></video>'
        )
    if story.caption is None:
        return ""
    caption = html.escape(story.caption)
    image = f'<img src="/images/{story.number}.png" alt="{caption}">'
    if story.site.layout in ("semantic", "magazine"):
        return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"
    return f'<div class="pic" align="center">{image}<br><span class="caption">{caption}</span></div>'


def _charset_meta(site: Site) -> str:
    if site.charset_in == "header":
        return ""
    if site.layout in ("bare", "classic"):
        return f'<meta http-equiv="Content-Type" content="text/html; charset={charset_label(site)}">'
    return f'<meta charset="{charset_label(site)}">'


def _head(story: Story, version: Version, page: int) -> str:
    site = story.site
    title, summary = html.escape(version.title), html.escape(version.paragraphs[0][:120])
    published = local_time(site, story.published_at).isoformat(timespec="seconds")
    parts = [_charset_meta(site), f'<meta name="description" content="{summary}">']
    if site.layout == "classic":
        parts.append(f'<meta name="author" content="{html.escape(story.author)}">')
    if site.open_graph:
        parts += [
            f'<meta property="og:title" content="{title}"><meta property="og:type" content="article">',
            f'<meta property="og:url" content="{story.url}">',
            f'<meta property="og:site_name" content="{html.escape(site.name)}">',
            f'<meta property="article:published_time" content="{published}">',
        ]
    if site.open_graph or site.tracking:
        address = f"http://{story.host}{story.page_paths()[page]}"
        parts.append(f'<link rel="canonical" href="{address}">')
    if site.json_ld or story.kind == "video":
        parts.append(f'<script type="application/ld+json">{_json_ld(story, version, published)}</script>')
    return "\n".join(parts)


def _json_ld(story: Story, version: Version, published: str) -> str:
    site = story.site
    data: dict[str, Any] = {"@context": "https://schema.org"}
    if story.kind == "video":
        data |= {
            "@type": "VideoObject",
            "name": version.title,
            "description": version.paragraphs[0],
            "uploadDate": published,
            "contentUrl": f"http://{story.host}/media/{story.number}.mp4",
            "duration": "PT2M31S",
            "thumbnailUrl": f"http://{story.host}/media/{story.number}.jpg",
        }
    else:
        data |= {
            "@type": "NewsArticle",
            "headline": version.title,
            "datePublished": published,
            "mainEntityOfPage": story.url,
            "dateModified": local_time(site, max(version.at, story.published_at)).isoformat(timespec="seconds"),
            "author": [{"@type": "Person", "name": story.author}],
            "publisher": {"@type": "Organization", "name": site.name},
        }
    return json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
