"""A Chinese portal on Discuz: portal articles beside a forum, search links, orders and session ids of its own."""

from __future__ import annotations

from articlebot_lab.town.model import CHINA, Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut


class Discuz(Site):
    """portal.php?mod=view&aid=… are articles; threads of the forum are short talk and none."""

    name, build = "discuz", "Discuz portal: portal.php?mod=view&aid=, a forum beside it, orders"
    domain, size, days, language, zone = "yunqiaobbs.test", 50, 25.0, "zh", CHINA
    sections = {"1": "本地资讯", "4": "房产家居", "7": "亲子教育"}
    threads = 24
    disallowed = ("/api/", "/data/", "/search.php", "/home.php")

    def link(self, story: Story) -> str:
        return f"/portal.php?mod=view&aid={520 + story.number}"

    def twins(self, story: Story) -> list[str]:
        return [f"{self.home}article-{520 + story.number}-1.html"]

    def answer(self, request: Request) -> Reply | str | None:
        path, args = request.path, request.args
        if path in ("/", "/portal.php") and "mod" not in args:
            return self._front()
        if path == "/portal.php" and args.get("mod") == "list" and args.get("catid") in self.sections:
            pages = pages_of(self.of(args["catid"]), 8)
            at = number_of(args.get("page"), len(pages))
            return self._list(args["catid"], pages, at) if at else None
        if path == "/forum.php":
            return self._forum(args)
        if path == "/portal.php" and args.get("mod") == "view":
            story = next((s for s in self.stories if str(520 + s.number) == args.get("aid")), None)
            return self._single(story) if story else None
        if path.startswith("/article-") and path.endswith("-1.html"):
            story = next((s for s in self.stories if path == f"/article-{520 + s.number}-1.html"), None)
            return self._single(story) if story else None
        return None

    def _row(self, s: Story) -> str:
        return f'<dl class="bbda cl"><dt class="xs2"><a href="portal.php?mod=view&amp;aid={520 + s.number}" target="_blank" class="xi2">{esc(s.title)}</a></dt><dd class="xs2 cl">{esc(cut(s.paragraphs, 50))}</dd><dd><span class="xg1">{s.at:%Y-%m-%d %H:%M}</span></dd></dl>'

    def _front(self) -> str:
        blocks = "".join(
            f'<div class="frame"><div class="title"><a href="portal.php?mod=list&amp;catid={key}">{name}</a></div><ul>{"".join(f"<li><a href={chr(34)}portal.php?mod=view&amp;aid={520 + s.number}{chr(34)}>{esc(s.title)}</a></li>" for s in self.of(key)[:5])}</ul></div>'
            for key, name in self.sections.items()
        )
        posts = "".join(
            f'<li><a href="forum.php?mod=viewthread&amp;tid={n + 9000}">{self._topic(n)}</a></li>' for n in range(8)
        )
        return self._page(
            "云桥论坛",
            f'{blocks}<div class="frame"><div class="title"><a href="forum.php">论坛新帖</a></div><ul>{posts}</ul></div>',
        )

    def _topic(self, number: int) -> str:
        return (
            "求推荐靠谱的装修队",
            "有人知道停水通知吗",
            "周末去哪里带娃",
            "转让九成新婴儿车",
            "昨晚那声响是什么",
            "问问小学报名的事",
        )[number % 6] + f"（{number}）"

    def _forum(self, args: dict[str, str]) -> str | None:
        if args.get("mod") == "viewthread":
            tid = args.get("tid", "")
            if not (tid.isdigit() and 9000 <= int(tid) < 9000 + self.threads):
                return None
            posts = "".join(
                f'<div id="post_{n}" class="pcb"><div class="authi"><a href="home.php?mod=space&amp;uid={n}">{self.staff[n]}</a> 发表于 {n + 1} 小时前</div><td class="t_f">{("同问", "顶一下", "我也想知道，楼主解决了吗", "谢谢分享")[(n + int(tid)) % 4]}</td></div>'
                for n in range(4)
            )
            return self._page(
                self._topic(int(tid) - 9000),
                f'<h1 class="ts"><span id="thread_subject">{self._topic(int(tid) - 9000)}</span></h1>{posts}',
            )
        order = args.get("orderby", "lastpost")
        rows = "".join(
            f'<tr><th><a href="forum.php?mod=viewthread&amp;tid={n + 9000}&amp;extra=page%3D1" class="s xst">{self._topic(n)}</a></th></tr>'
            for n in range(self.threads)
        )
        orders = " ".join(
            f'<a href="forum.php?mod=forumdisplay&amp;fid=2&amp;filter=author&amp;orderby={key}">{key}</a>'
            for key in ("lastpost", "dateline", "views", "replies", "heats")
        )
        return self._page(f"论坛 {esc(order)}", f"<div id='threadlist'>{orders}<table>{rows}</table></div>")

    def _list(self, key: str, pages: list[list[Story]], at: int) -> str:
        numbers = "".join(
            f"<strong>{n}</strong>"
            if n == at
            else f'<a href="portal.php?mod=list&amp;catid={key}&amp;page={n}">{n}</a>'
            for n in range(1, len(pages) + 1)
        )
        following = (
            f'<a href="portal.php?mod=list&amp;catid={key}&amp;page={at + 1}" class="nxt">下一页</a>'
            if at < len(pages)
            else ""
        )
        return self._page(
            self.sections[key],
            f'<div class="bm"><div class="bm_h cl"><h1 class="xs2">{self.sections[key]}</h1></div><div class="bm_c xld">{"".join(self._row(s) for s in pages[at - 1])}</div></div><div class="pgs cl"><div class="pg">{numbers}{following}</div></div>',
        )

    def _single(self, s: Story) -> str:
        text = "".join(f"<p><font size='3'>{esc(p)}</font></p>" for p in s.paragraphs)
        main = (
            f'<div id="pt" class="bm cl"><a href="./">云桥论坛</a> <em>&rsaquo;</em> <a href="portal.php">首页</a> <em>&rsaquo;</em> <a href="portal.php?mod=list&amp;catid={s.section}">{self.sections[s.section]}</a> <em>&rsaquo;</em> 查看内容</div><div class="bm vw"><div class="h hm"><h1 class="ph">{esc(s.title)}</h1><p class="xg1">{s.at:%Y-%m-%d %H:%M}<span class="pipe">|</span> 发布者: <a href="home.php?mod=space&amp;uid=3">{s.author}</a><span class="pipe">|</span> 查看: <em id="_viewnum">{s.number * 19}</em><span class="pipe">|</span> 评论: 0</p></div>'
            f'<div class="s"><div><strong>摘要</strong>: {esc(cut(s.paragraphs, 40))}</div></div><div class="d"><table class="vwtb"><tr><td id="article_content">{text}</td></tr></table><div id="click_div"><a href="home.php?mod=spacecp&amp;ac=click&amp;op=add&amp;clickid=1">路过</a><a href="home.php?mod=spacecp&amp;ac=click&amp;op=add&amp;clickid=2">雷人</a><a href="home.php?mod=spacecp&amp;ac=click&amp;op=add&amp;clickid=3">握手</a></div></div></div>'
            f'<div class="bm"><div class="bm_h cl"><h3>最新评论</h3></div><form action="portal.php?mod=portalcp&amp;ac=comment"><textarea name="message"></textarea></form></div><ul class="xl">{"".join(f"<li><a href={chr(34)}article-{520 + o.number}-1.html{chr(34)}>{esc(o.title)}</a></li>" for o in self.near(s, 5))}</ul>'
        )
        return self._page(esc(s.title), main)

    def _page(self, title: str, main: str) -> str:
        menu = "".join(
            f'<li><a href="portal.php?mod=list&amp;catid={k}" hidefocus="true">{n}</a></li>'
            for k, n in self.sections.items()
        )
        return (
            f'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"><html xmlns="http://www.w3.org/1999/xhtml"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8" /><title>{title} - Powered by Discuz!</title><meta name="generator" content="Discuz! X3.4" /><base href="{self.home}" /></head><body id="nv_portal" class="pg_view">'
            f'<div id="toptb"><a href="javascript:;" onclick="setHomepage()">设为首页</a><a href="member.php?mod=logging&amp;action=login">登录</a></div><div id="nv"><ul><li><a href="portal.php">首页</a></li>{menu}<li><a href="forum.php">论坛</a></li><li><a href="search.php?searchsubmit=yes&amp;srchtxt=%E6%88%BF%E4%BA%A7">搜房产</a></li></ul></div>'
            f'<div id="wp" class="wp">{main}</div><div id="ft">Powered by Discuz! X3.4 &copy; Comsenz Inc. <a href="archiver/">Archiver</a>|<a href="forum.php?mobile=yes">手机版</a></div></body></html>'
        )
