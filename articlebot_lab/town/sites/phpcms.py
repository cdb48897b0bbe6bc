"""A Chinese regional paper on phpCMS: everything is a query of index.php."""

from __future__ import annotations

from articlebot_lab.town.model import CHINA, Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut


class PhpCms(Site):
    """Articles and lists differ by parameters alone: a, catid, id, page; spm and from change nothing."""

    name, build = "phpcms", "phpCMS: query-string addresses, &page=2, spm= and from= that change nothing"
    domain, size, days, language, zone = "jinjiangbao.test", 60, 30.0, "zh", CHINA
    idle = ("from", "spm")
    sections = {"6": "要闻", "8": "民生", "11": "县市区", "14": "评论"}

    def link(self, story: Story) -> str:
        return f"/index.php?m=content&c=index&a=show&catid={story.section}&id={3100 + story.number}"

    def twins(self, story: Story) -> list[str]:
        return [
            self.url(story) + extra
            for extra in ("&from=home", f"&spm=a1.b2.{story.number}", "&from=list", "&from=timeline")
        ]

    def answer(self, request: Request) -> Reply | str | None:
        args = request.args
        if request.path == "/":
            return self._front()
        if request.path != "/index.php" or args.get("m") not in ("content", "search"):
            return None
        if args["m"] == "search":
            return self._page("搜索结果", "".join(self._row(s, "") for s in self.stories[5:20]))
        category, at = args.get("catid", ""), args.get("page")
        if args.get("a") == "lists" and category in self.sections:
            pages = pages_of(self.of(category), 10)
            number = number_of(at, len(pages))
            return self._list(category, pages, number) if number else None
        story = next((s for s in self.of(category) if str(3100 + s.number) == args.get("id")), None)
        return self._single(story) if story and args.get("a") == "show" else None

    def _row(self, s: Story, extra: str) -> str:
        return f'<li>·<a href="{esc(self.link(s) + extra)}" target="_blank" title="{esc(s.title)}">{esc(s.title)}</a><span class="rt">{s.at:%m-%d %H:%M}</span></li>'

    def _front(self) -> str:
        top = "".join(self._row(s, "&from=home") for s in self.stories[:8])
        hot = "".join(self._row(s, f"&spm=a1.b2.{s.number}") for s in self.stories[4:12])
        return self._page(
            "首页",
            f'<div class="col-left"><h3>头条</h3><ul class="list lh24">{top}</ul></div><div class="col-auto"><h5 class="title-1">热点</h5><ul>{hot}</ul></div>',
        )

    def _list(self, category: str, pages: list[list[Story]], at: int) -> str:
        base = f"/index.php?m=content&c=index&a=lists&catid={category}&page="
        rows = "".join(self._row(s, "&from=list" if s.number % 2 else "") for s in pages[at - 1])
        numbers = " ".join(
            f"<span>{n}</span>" if n == at else f'<a href="{esc(base)}{n}">{n}</a>' for n in range(1, len(pages) + 1)
        )
        around = f'<a class="a1">{sum(map(len, pages))}条</a> <a href="{esc(base)}{max(1, at - 1)}" class="a1">上一页</a> {numbers} <a href="{esc(base)}{min(len(pages), at + 1)}" class="a1">下一页</a>'
        return self._page(
            self.sections[category],
            f'<div class="crumbs"><a href="/">首页</a> &gt; {self.sections[category]}</div><ul class="list lh24 f14">{rows}</ul><div id="pages" class="text-c">{around}</div>',
        )

    def _single(self, s: Story) -> str:
        text = "".join(f"<p>{esc(p)}</p>" for p in s.paragraphs)
        more = "".join(self._row(o, "&from=timeline") for o in self.near(s, 5))
        main = (
            f'<div class="crumbs"><a href="/">首页</a><span> &gt; </span><a href="{esc(f"/index.php?m=content&c=index&a=lists&catid={s.section}")}">{self.sections[s.section]}</a> &gt; 正文</div>'
            f'<div id="Article"><h1>{esc(s.title)}<br /><span>{s.at:%Y-%m-%d %H:%M}&nbsp;&nbsp;来源：锦江报&nbsp;&nbsp;记者：{s.author}&nbsp;&nbsp;点击：<em id="hits">{s.number * 7}</em></span></h1>'
            f'<div class="summary">{esc(cut(s.paragraphs, 50))}</div><div class="content">{text}</div><p class="f14"><strong>分享到：</strong><a href="#">QQ空间</a> <a href="#">新浪微博</a></p>'
            f'<div class="Article-Tool">网友评论 <a href="/index.php?m=comment&amp;c=index&amp;a=init&amp;commentid=content_{s.section}-{s.number}-1">查看所有评论</a></div><div class="related"><h5>相关阅读</h5><ul>{more}</ul></div></div>'
        )
        return self._page(esc(s.title), main)

    def _page(self, title: str, main: str) -> str:
        menu = "".join(
            f'<li class="line">|</li><li><a href="/index.php?m=content&amp;c=index&amp;a=lists&amp;catid={k}"><span>{n}</span></a></li>'
            for k, n in self.sections.items()
        )
        return (
            f'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"><html><head><meta charset="utf-8"><title>{title} - 锦江报</title></head><body><div class="header"><div class="nav-bar"><ul class="nav-site"><li><a href="/">首页</a></li>{menu}</ul></div>'
            '<form action="/index.php" method="get"><input type="hidden" name="m" value="search"><input name="q"></form> <a href="/index.php?m=search&amp;q=%E4%BE%9B%E6%B0%B4">热搜：供水</a></div>'
            f'<div class="main">{main}</div><div class="footer"><p class="info"><a href="/index.php?m=content&amp;c=index&amp;a=lists&amp;catid=2">关于我们</a> | 锦江报社 版权所有 未经授权禁止转载</p></div></body></html>'
        )
