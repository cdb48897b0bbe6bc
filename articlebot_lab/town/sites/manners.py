"""Sites that say what may be published: robots.txt, metas, headers; and a wall for members."""

from __future__ import annotations

import dataclasses
import datetime as dt

from articlebot_lab.town.model import CHINA, Reply, Request, Story, esc
from articlebot_lab.town.sites.plain import Plain


class Manners(Plain):
    """Every tenth story is disallowed, every tenth has a noindex meta, every tenth an X-Robots-Tag."""

    name, build = "manners", "robots.txt with Disallow, noindex metas, X-Robots-Tag"
    title, domain, size, days = "The Meadow", "themeadow.test", 60, 30.0
    zone = dt.timezone(dt.timedelta(hours=-4))
    sections = {"barn": "Barn", "field": "Field", "brook": "Brook"}
    disallowed = ("/news/private/", "/rates", "/section/brook?sort=")

    def robots(self) -> str:
        return (
            "# The Meadow\nUser-agent: BadBot\nDisallow: /\n\nUser-agent: *\nDisallow: /news/private/\nDisallow: /rates\nDisallow: /section/brook?sort=\nAllow: /news/\n"
            "\nUser-agent: OtherBot\nDisallow: /news/\n"
        )

    def kind(self, story: Story) -> Story:
        why = {3: "disallowed", 5: "noindex meta", 7: "X-Robots-Tag: noindex"}.get(story.number % 10)
        return dataclasses.replace(story, wanted="no", why=why) if why else story

    def link(self, story: Story) -> str:
        link = super().link(story)
        return link.replace("/news/", "/news/private/") if story.why == "disallowed" else link

    def article(self, s: Story, request: Request) -> Reply | str:
        head = self.head(s) + ('<meta name="robots" content="noindex, follow">' if s.why == "noindex meta" else "")
        page = self.layout(esc(s.title), self.text(s), head)
        return Reply(page, headers={"X-Robots-Tag": "noindex"}) if s.why.startswith("X-Robots") else page


class Members(Plain):
    """Every fifth story ends after its first paragraph: "剩余80%内容，登录会员后阅读全文"."""

    name, build = "members", "a Chinese login wall on every fifth story"
    title, domain, size, days, language, zone = "深读周刊", "shenduzhoukan.test", 50, 30.0, "zh", CHINA
    sections = {"caijing": "财经", "shehui": "社会", "guoji": "国际"}

    def link(self, story: Story) -> str:
        return f"/{story.section}/{story.at:%Y%m%d}/{330000 + story.number * 7}.shtml"

    def kind(self, story: Story) -> Story:
        return dataclasses.replace(story, wanted="no", why="login wall") if story.number % 5 == 2 else story

    def article(self, s: Story, request: Request) -> Reply | str:
        if s.wanted == "yes":
            return super().article(s, request)
        wall = f'<p>{esc(s.paragraphs[0])}</p><div class="paywall-mask"></div><div class="login-tip"><p>剩余80%内容，登录会员后阅读全文</p><a href="/passport/login?back={self.link(s)}">立即登录</a><a href="/vip">开通会员 首月9元</a></div>'
        return self.layout(esc(s.title), self.text(s, wall), self.head(s))
