"""A newspaper on WordPress: pages, categories, tags, authors, months, a full feed of the last ten."""

from __future__ import annotations

import datetime as dt
from email.utils import format_datetime

from articlebot_lab.town.model import Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut, slug


class WordPress(Site):
    """The feed holds ten stories, the home page ten; the rest stands on /page/2 and in the categories."""

    name, build = "wordpress", "WordPress: /page/2, categories, tags, full RSS of the last ten"
    domain, size, days = "harbourpost.test", 90, 60.0
    zone = dt.timezone(dt.timedelta(hours=-5))
    sections = {"local": "Local News", "business": "Business", "schools": "Schools", "arts": "Arts &amp; Life"}
    tags = ("council", "harbour", "budget", "transport", "weather", "people")
    disallowed = ("/wp-admin/", "/?s=")

    def link(self, story: Story) -> str:
        return f"/{story.at:%Y/%m/%d}/{slug(story.title)}/"

    def twins(self, story: Story) -> list[str]:
        return [f"{self.home}?p={4100 + story.number}"]

    def _tags(self, story: Story) -> list[str]:
        return [self.tags[story.number % 6], self.tags[(story.number // 6) % 6]]

    def answer(self, request: Request) -> Reply | str | None:
        path, args = request.path, request.args
        if path == "/" and (post := args.get("p", "")).isdigit():
            found = next((s for s in self.stories if 4100 + s.number == int(post)), None)
            return Reply("", 301, {"Location": self.link(found)}) if found else None
        if path == "/" and "s" in args:
            return self._list(f"Search Results for: {esc(args['s'])}", self.stories[3:11], "/", 1, 1)
        if path == "/feed/":
            return Reply(self._feed(), type="application/rss+xml; charset=UTF-8")
        if path == "/comments/feed/":
            return Reply(self._comments(), type="application/rss+xml; charset=UTF-8")
        if path in ("/about/", "/contact/", "/privacy-policy/"):
            return self._page(path.strip("/").title(), self._about())
        return self._listed(path) or self._single(path)

    def _listed(self, path: str) -> str | None:
        base, _, page = path.partition("page/")
        stories, title = None, "Harbour Post"
        parts = base.strip("/").split("/")
        if base == "/":
            stories = self.stories
        elif parts[0] == "category" and len(parts) == 2 and parts[1] in self.sections:
            stories, title = self.of(parts[1]), self.sections[parts[1]]
        elif parts[0] == "tag" and len(parts) == 2:
            stories, title = [s for s in self.stories if parts[1] in self._tags(s)], f"Tag: {parts[1]}"
        elif parts[0] == "author" and len(parts) == 2:
            stories, title = [s for s in self.stories if slug(s.author) == parts[1]], f"Author: {parts[1]}"
        elif len(parts) == 2 and all(part.isdigit() for part in parts):
            stories, title = [s for s in self.stories if f"{s.at:%Y/%m}" == "/".join(parts)], f"Month: {base}"
        if not stories:
            return None
        pages = pages_of(stories, 10)
        at = number_of(page.strip("/"), len(pages))
        return self._list(title, pages[at - 1], base, at, len(pages)) if at else None

    def _list(self, title: str, stories: list[Story], base: str, at: int, count: int) -> str:
        rows = "".join(
            f'<article id="post-{4100 + s.number}" class="post type-post status-publish hentry"><header class="entry-header">'
            f'<h2 class="entry-title"><a href="{self.home[:-1]}{self.link(s)}" rel="bookmark">{esc(s.title)}</a></h2>'
            f'<div class="entry-meta"><span class="posted-on">Posted on <a href="{self.link(s)}" rel="bookmark">'
            f'<time class="entry-date published" datetime="{s.at.isoformat()}">{s.at:%B %-d, %Y}</time></a></span> '
            f'<span class="byline">by <a class="url fn n" href="/author/{slug(s.author)}/">{s.author}</a></span></div></header>'
            f'<div class="entry-summary"><p>{esc(cut(s.paragraphs, 180))} <a class="more-link" href="{self.link(s)}">Continue reading '
            f'<span class="screen-reader-text">{esc(s.title)}</span></a></p></div><footer class="entry-footer">'
            f'<a href="{self.link(s)}#respond">Leave a comment</a></footer></article>'
            for s in stories
        )
        nav = [f'<a class="page-numbers" href="{base}page/{n}/">{n}</a>' if n > 1 else f'<a class="page-numbers" href="{base}">1</a>' for n in {1, at - 1, at + 1, count} if 1 <= n <= count and n != at]  # fmt: skip
        following = f'<a class="next page-numbers" href="{base}page/{at + 1}/">Older posts</a>' if at < count else ""
        pager = f'<nav class="navigation pagination"><div class="nav-links"><span aria-current="page" class="page-numbers current">{at}</span>{"".join(nav)}{following}</div></nav>'
        return self._page(title, f'<header class="page-header"><h1 class="page-title">{title}</h1></header>{rows}{pager}', article=False)  # fmt: skip

    def _single(self, path: str) -> str | None:
        story = next((s for s in self.stories if self.link(s) == path), None)
        if story is None:
            return None
        newer, older = (self.stories[(story.number + step) % self.size] for step in (-1, 1))
        text = "".join(f"<p>{esc(p)}</p>\n" for p in story.paragraphs)
        tags = " ".join(f'<a href="/tag/{tag}/" rel="tag">{tag}</a>' for tag in self._tags(story))
        comments = "".join(
            f'<li class="comment"><div class="comment-author vcard"><b class="fn">{self.staff[n]}</b> says:</div><div class="comment-content"><p>'
            f"I walked past there last week and it looked the same as ever.</p></div><a rel='nofollow' class='comment-reply-link' href='{path}?replytocom={n + 7}#respond'>Reply</a></li>"
            for n in range(story.number % 3)
        )
        main = (
            f'<article id="post-{4100 + story.number}" class="post hentry"><header class="entry-header"><h1 class="entry-title">{esc(story.title)}</h1>'
            f'<div class="entry-meta">Posted on <time class="entry-date published" datetime="{story.at.isoformat()}">{story.at:%B %-d, %Y}</time> by '
            f'<span class="author vcard"><a class="url fn n" href="/author/{slug(story.author)}/">{story.author}</a></span></div></header>'
            f'<div class="entry-content">{text}<div class="sharedaddy"><h3 class="sd-title">Share this:</h3><ul><li><a rel="nofollow" href="{path}?share=twitter&amp;nb=1">'
            f'Click to share on Twitter</a></li><li><a rel="nofollow" href="{path}?share=facebook&amp;nb=1">Click to share on Facebook</a></li></ul></div>'
            f"<div class='jp-relatedposts'><h3>Related</h3>{''.join(f'<a href={chr(34)}{self.link(s)}{chr(34)}>{esc(s.title)}</a> ' for s in self.near(story, 3))}</div></div>"
            f'<footer class="entry-footer">Posted in <a href="/category/{story.section}/" rel="category tag">{self.sections[story.section]}</a> Tagged {tags}</footer></article>'
            f'<nav class="post-navigation"><a href="{self.link(newer)}" rel="next">{esc(newer.title)}</a><a href="{self.link(older)}" rel="prev">{esc(older.title)}</a></nav>'
            f'<div id="comments"><ol class="comment-list">{comments}</ol><div id="respond"><h3>Leave a Reply</h3><form action="/wp-comments-post.php" method="post"><textarea name="comment"></textarea></form></div></div>'
        )
        head = (
            f'<link rel="canonical" href="{self.url(story)}"><meta property="og:type" content="article"><meta property="og:title" content="{esc(story.title)}">'
            f'<meta property="article:published_time" content="{story.at.astimezone(dt.UTC).isoformat()}"><link rel="shortlink" href="{self.twins(story)[0]}">'
        )
        return self._page(esc(story.title), main, head)

    def _page(self, title: str, main: str, head: str = "", *, article: bool = True) -> str:
        menu = "".join(
            f'<li class="menu-item"><a href="/category/{key}/">{name}</a></li>' for key, name in self.sections.items()
        )
        months = sorted({f"{s.at:%Y/%m}" for s in self.stories}, reverse=True)
        side = (
            '<aside id="secondary" class="widget-area"><section class="widget widget_search"><form role="search" method="get" action="/"><input type="search" name="s"></form></section>'
            f'<section class="widget widget_recent_entries"><h2>Recent Posts</h2><ul>{"".join(f"<li><a href={chr(34)}{self.link(s)}{chr(34)}>{esc(s.title)}</a></li>" for s in self.stories[:5])}</ul></section>'
            f'<section class="widget widget_archive"><h2>Archives</h2><ul>{"".join(f"<li><a href={chr(34)}/{m}/{chr(34)}>{m}</a></li>" for m in months)}</ul></section>'
            f'<section class="widget widget_tag_cloud">{"".join(f"<a class=tag-cloud-link href=/tag/{tag}/>{tag}</a> " for tag in self.tags)}</section>'
            '<section class="widget widget_meta"><ul><li><a href="/wp-login.php">Log in</a></li><li><a href="/comments/feed/">Comments feed</a></li></ul></section></aside>'
        )
        return (
            f'<!DOCTYPE html><html lang="en-US"><head><meta charset="UTF-8"><title>{title} &#8211; Harbour Post</title>'
            '<link rel="alternate" type="application/rss+xml" title="Harbour Post &raquo; Feed" href="/feed/"><link rel="alternate" type="application/rss+xml" title="Harbour Post &raquo; Comments Feed" href="/comments/feed/">'
            f'<meta name="generator" content="WordPress 6.4.3">{head}</head><body class="{"single" if article else "archive"}"><a class="skip-link" href="#content">Skip to content</a>'
            f'<header id="masthead"><p class="site-title"><a href="/" rel="home">Harbour Post</a></p><nav><ul id="primary-menu">{menu}<li><a href="/about/">About</a></li></ul></nav></header>'
            f'<div id="content"><main id="main">{main}</main></div>{side}<footer id="colophon"><a href="/privacy-policy/">Privacy Policy</a> <a href="/contact/">Contact</a> Proudly powered by WordPress</footer></body></html>'
        )

    def _feed(self) -> str:
        items = "".join(
            f"<item><title>{esc(s.title)}</title><link>{self.url(s)}</link><dc:creator><![CDATA[{s.author}]]></dc:creator><pubDate>{format_datetime(s.at)}</pubDate>"
            f"<category>{s.section}</category><guid isPermaLink='false'>{self.twins(s)[0]}</guid><description><![CDATA[{cut(s.paragraphs, 160)}]]></description>"
            f"<content:encoded><![CDATA[{''.join(f'<p>{p}</p>' for p in s.paragraphs)}]]></content:encoded></item>"
            for s in self.stories[:10]
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<channel><title>Harbour Post</title><link>{self.home}</link><language>en-US</language>{items}</channel></rss>"
        )

    def _comments(self) -> str:
        items = "".join(
            f"<item><title>By: {s.author}</title><link>{self.url(s)}#comment-{n}</link><description>As ever.</description></item>"
            for n, s in enumerate(self.stories[5:15])
        )
        return f'<?xml version="1.0"?><rss version="2.0"><channel><title>Comments for Harbour Post</title>{items}</channel></rss>'

    def _about(self) -> str:
        return "<h1>About this site</h1><p>The Harbour Post is an independent weekly for the harbour towns.</p>"
