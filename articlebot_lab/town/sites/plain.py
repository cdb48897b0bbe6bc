"""A small newspaper of no known make: the ground on which sites with odd servers stand."""

from __future__ import annotations

from articlebot_lab.town.model import Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut, slug


class Plain(Site):
    """A home page of six, sections in pages of twelve; subclasses change how it answers."""

    title = "The Plain Dealer"
    per_page = 12

    def link(self, story: Story) -> str:
        return f"/news/{story.section}/{slug(story.title, 7)}-{51000 + story.number}"

    def answer(self, request: Request) -> Reply | str | None:
        if request.path == "/":
            return self.front(request)
        return self.listed(request) or self.single(request)

    def front(self, request: Request) -> str:
        """The home page."""
        lead, *rest = self.stories[:6]
        cards = "".join(self.teaser(s) for s in rest)
        return self.layout(
            self.title,
            f'<section class="lead"><h2><a href="{self.href(lead)}">{esc(lead.title)}</a></h2><p>{esc(cut(lead.paragraphs, 200))}</p></section><section class="more-news">{cards}</section>',
        )

    def href(self, story: Story) -> str:
        """What lists link to."""
        return self.link(story)

    def teaser(self, s: Story) -> str:
        """A story in a list."""
        return f'<div class="teaser"><h3><a href="{esc(self.href(s))}">{esc(s.title)}</a></h3><p class="standfirst">{esc(cut(s.paragraphs, 90))}</p><span class="when">{s.at:%-d %b}</span></div>'

    def listed(self, request: Request) -> str | None:
        """The page of a section."""
        key = request.path.removeprefix("/section/")
        if key not in self.sections or request.path == key:
            return None
        pages = pages_of(self.of(key), self.per_page)
        at = number_of(request.args.get("p"), len(pages))
        if not at:
            return None
        links = " ".join(
            f"<b>{n}</b>" if n == at else f'<a href="/section/{key}?p={n}">{n}</a>' for n in range(1, len(pages) + 1)
        )
        following = f' <a class="next" href="/section/{key}?p={at + 1}">Next</a>' if at < len(pages) else ""
        return self.layout(
            self.sections[key],
            f'<h1>{self.sections[key]}</h1>{"".join(self.teaser(s) for s in pages[at - 1])}<div class="pager">{links}{following}</div>',
        )

    def story_at(self, path: str) -> Story | None:
        """The story of a path."""
        return next((s for s in self.stories if self.link(s) == path), None)

    def single(self, request: Request) -> Reply | str | None:
        """The page of a story."""
        story = self.story_at(request.path)
        return self.article(story, request) if story else None

    def article(self, s: Story, request: Request) -> Reply | str:
        """A story as a page."""
        return self.layout(esc(s.title), self.text(s), self.head(s))

    def head(self, s: Story) -> str:
        """What stands in the head of a story's page."""
        return f'<meta property="og:title" content="{esc(s.title)}"><meta property="article:published_time" content="{s.at.isoformat()}">'

    def text(self, s: Story, paragraphs: str = "") -> str:
        """A story's main part."""
        body = paragraphs or "".join(f"<p>{esc(p)}</p>" for p in s.paragraphs)
        also = "".join(f'<li><a href="{esc(self.href(o))}">{esc(o.title)}</a></li>' for o in self.near(s, 3))
        return (
            f'<div class="crumb"><a href="/">Home</a> / <a href="/section/{s.section}">{self.sections[s.section]}</a></div><article><h1>{esc(s.title)}</h1><p class="by">By <span class="author">{s.author}</span>, <time datetime="{s.at.isoformat()}">{s.at:%-d %B %Y %H:%M}</time></p>'
            f'<div class="story-body">{body}</div></article><aside class="also"><h4>Also in {self.sections[s.section]}</h4><ul>{also}</ul></aside>'
        )

    def layout(self, title: str, main: str, head: str = "") -> str:
        """A whole page."""
        menu = "".join(f'<li><a href="/section/{key}">{name}</a></li>' for key, name in self.sections.items())
        return (
            f'<!doctype html><html lang="{self.language}"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body><div id="top"><a class="brand" href="/">{self.title}</a><ul class="nav">{menu}</ul></div>'
            f'<div id="page">{main}</div><div id="foot"><a href="/impressum">Imprint</a> <a href="/privacy">Privacy</a> <a href="/rates">Advertising</a></div></body></html>'
        )
