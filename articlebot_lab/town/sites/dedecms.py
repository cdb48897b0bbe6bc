"""A Chinese portal on DedeCMS: GBK, a sub-domain for each channel, static lists list_1_2.html."""

from __future__ import annotations

from articlebot_lab.town.model import CHINA, Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut


class DedeCms(Site):
    """The home page links a few of each channel; channels live on hosts of their own, in GBK declared as gb2312."""

    name, build = "dedecms", "DedeCMS: GBK, channels on sub-domains, list_3_2.html"
    domain, size, days, language, zone = "lantianwang.test", 84, 40.0, "zh", CHINA
    sections = {"news": "新闻", "finance": "财经", "sports": "体育", "tech": "科技"}

    def _path(self, s: Story) -> str:
        return f"/a/{s.at:%Y%m%d}/{20400 + s.number}.html"

    def link(self, story: Story) -> str:
        return f"http://{story.section}.{self.domain}{self._path(story)}"

    def answer(self, request: Request) -> Reply | str | None:
        channel = request.host.removesuffix(self.domain).rstrip(".")
        text: str | None = None
        if channel in ("", "www"):
            text = self._front() if request.path in ("/", "/index.html") else self._plain(request.path)
        elif channel in self.sections:
            text = self._channel(channel, request.path)
        return text if text is None else Reply(text.encode("gbk", "xmlcharrefreplace"), type="text/html")

    def _plain(self, path: str) -> str | None:
        pages = {"/about/": "关于我们", "/about/contact.html": "联系方式", "/plus/search.php": "站内搜索"}
        return (
            self._page(pages[path], f"<h1>{pages[path]}</h1><p>蓝天网是面向本地居民的综合信息平台。</p>")
            if path in pages
            else None
        )

    def _front(self) -> str:
        blocks = "".join(
            f'<div class="tbox"><dl><dt><strong><a href="http://{key}.{self.domain}/">{name}</a></strong><span class="more"><a href="http://{key}.{self.domain}/">更多...</a></span></dt><dd><ul class="d2 ico3">'
            + "".join(
                f'<li><span>{s.at:%m-%d}</span><a href="{self.link(s)}" target="_blank">{esc(s.title)}</a></li>'
                for s in self.of(key)[:5]
            )
            + "</ul></dd></dl></div>"
            for key, name in self.sections.items()
        )
        return self._page(
            "首页",
            f'<div class="flash"><img src="/images/ad1.gif" alt="广告"></div>{blocks}<div class="flink">友情链接：<a href="http://www.huoche.test/">火车时刻</a> <a href="http://www.tianqi.test/">天气预报</a></div>',
        )

    def _channel(self, key: str, path: str) -> str | None:
        pages = pages_of(self.of(key), 8)
        code = 3 + list(self.sections).index(key)
        prefix = f"/list_{code}_"
        if path in ("/", "/index.html") or (path.startswith(prefix) and path.endswith(".html")):
            at = number_of(
                path.removeprefix(prefix).removesuffix(".html") if path.startswith(prefix) else "", len(pages)
            )
            return self._list(key, pages, at, prefix) if at else None
        story = next((s for s in self.of(key) if self._path(s) == path), None)
        return self._single(story) if story else None

    def _list(self, key: str, pages: list[list[Story]], at: int, prefix: str) -> str:
        rows = "".join(
            f'<li><b>[<a href="/">{self.sections[key]}</a>]</b> <a href="{self._path(s)}" class="title">{esc(s.title)}</a><span class="info"><small>日期：</small>{s.at:%Y-%m-%d %H:%M:%S} <small>点击：</small>{s.number * 13 % 400}</span><p class="intro">{esc(cut(s.paragraphs, 60))}</p></li>'
            for s in pages[at - 1]
        )
        numbers = "".join(
            f"<li class='thisclass'>{n}</li>" if n == at else f"<li><a href='{prefix[1:]}{n}.html'>{n}</a></li>"
            for n in range(1, len(pages) + 1)
        )
        following = (
            f"<li><a href='{prefix[1:]}{at + 1}.html'>下一页</a></li><li><a href='{prefix[1:]}{len(pages)}.html'>末页</a></li>"
            if at < len(pages)
            else ""
        )
        return self._page(
            self.sections[key],
            f'<div class="place"><strong>当前位置:</strong><a href="http://{self.host}/">主页</a> &gt; {self.sections[key]} &gt; </div><div class="listbox"><ul class="e2">{rows}</ul></div><div class="dede_pages"><ul class="pagelist"><li>首页</li>{numbers}{following}<li><span class="pageinfo">共 <strong>{len(pages)}</strong>页</span></li></ul></div>',
        )

    def _single(self, s: Story) -> str:
        text = "".join(f"<p>　　{esc(p)}</p>\r\n" for p in s.paragraphs)
        newer, older = (
            self.of(s.section)[(self.of(s.section).index(s) + step) % len(self.of(s.section))] for step in (-1, 1)
        )
        main = (
            f'<div class="place"><a href="http://{self.host}/">主页</a> &gt; <a href="/">{self.sections[s.section]}</a> &gt; 正文</div><div class="viewbox"><div class="title"><h2>{esc(s.title)}</h2></div>'
            f'<div class="info"><small>时间:</small>{s.at:%Y-%m-%d %H:%M}<small>来源:</small>蓝天网 <small>作者:</small>{s.author} <small>点击:</small><script src="/plus/count.php?aid={s.number}"></script>次</div>'
            f'<div class="content">{text}</div><div class="dede_ad"><a href="http://ad.test/?c=12"><img src="/images/ad2.gif"></a></div><div class="boxoff">(责任编辑：{self.staff[0]})</div>'
            f"<ul class='context'><li>上一篇：<a href='{self._path(newer)}'>{esc(newer.title)}</a> </li><li>下一篇：<a href='{self._path(older)}'>{esc(older.title)}</a> </li></ul>"
            f'<div class="newdigg">顶一下 ({s.number % 9})</div><div class="commend"><dl><dt>推荐内容</dt>{"".join(f"<dd><a href={chr(34)}{self.link(o)}{chr(34)}>{esc(o.title)}</a></dd>" for o in self.near(s, 6))}</dl></div></div>'
        )
        return self._page(esc(s.title), main)

    def _page(self, title: str, main: str) -> str:
        menu = "".join(
            f'<li><a href="http://{key}.{self.domain}/"><span>{name}</span></a></li>'
            for key, name in self.sections.items()
        )
        return (
            f'<html xmlns="http://www.w3.org/1999/xhtml"><head><meta http-equiv="Content-Type" content="text/html; charset=gb2312" /><title>{title}_蓝天网</title></head><body>'
            f'<div class="header"><a href="http://{self.host}/"><img src="/images/logo.gif" alt="蓝天网"></a><div class="login"><a href="http://{self.host}/member/login.php">登录</a> <a href="http://{self.host}/member/reg_new.php">注册</a></div></div>'
            f'<div id="navMenu"><ul><li><a href="http://{self.host}/">主页</a></li>{menu}</ul></div><div class="w960">{main}</div>'
            f'<div class="footer">Copyright &copy; 蓝天网 版权所有 <a href="http://{self.host}/about/">关于我们</a> <a href="http://{self.host}/about/contact.html">联系方式</a> Power by DedeCms</div></body></html>'
        )
