"""A Chinese government bulletin published by TRS: relative addresses, pages that only a script names."""

from __future__ import annotations

from articlebot_lab.town.model import CHINA, Reply, Request, Site, Story, esc, number_of, pages_of


class Trs(Site):
    """Lists go on at index_1.html, which ``createPageHTML`` writes in the browser; no such link is in the document."""

    name, build = "trs", "TRS: relative addresses, index_1.html through createPageHTML"
    domain, size, days, language, zone = "qingshan.gov.test", 60, 80.0, "zh", CHINA
    sections = {"zwyw": "政务要闻", "bmdt": "部门动态", "tzgg": "通知公告"}

    def _name(self, s: Story) -> str:
        return f"{s.at:%Y%m}/t{s.at:%Y%m%d}_{61200 + s.number * 3}.html"

    def link(self, story: Story) -> str:
        return f"/xw/{story.section}/{self._name(story)}"

    def answer(self, request: Request) -> Reply | str | None:
        path = request.path
        if path in ("/", "/index.html"):
            return self._front()
        for key in self.sections:
            base = f"/xw/{key}/"
            if path.startswith(base):
                name = path.removeprefix(base)
                pages = pages_of(self.of(key), 10)
                if name in ("", "index.html"):
                    return self._list(key, pages, 0)
                if name.startswith("index_"):
                    at = number_of(name.removeprefix("index_").removesuffix(".html"), len(pages) - 1)
                    return self._list(key, pages, at) if at else None
                story = next((s for s in self.of(key) if self._name(s) == name), None)
                return self._single(story) if story else None
        return (
            self._page("网站地图", '<h2>网站地图</h2><ul><li><a href="/">首页</a></li></ul>', ".")
            if path == "/wzdt/"
            else None
        )

    def _front(self) -> str:
        boxes = "".join(
            f'<div class="gov_box"><h3><a href="./xw/{key}/">{name}</a><a class="more" href="./xw/{key}/">更多&gt;&gt;</a></h3><ul>'
            + "".join(
                f'<li><a href=".{self.link(s)}" title="{esc(s.title)}">{esc(s.title[:22])}{"..." if len(s.title) > 22 else ""}</a><span>{s.at:%m-%d}</span></li>'
                for s in self.of(key)[:6]
            )
            + "</ul></div>"
            for key, name in self.sections.items()
        )
        return self._page(
            "青山县人民政府",
            boxes
            + '<div class="bsfw"><a href="/bsfw/">办事服务</a><a href="/hdjl/">互动交流</a><a href="/xxgk/">信息公开</a></div>',
            ".",
        )

    def _list(self, key: str, pages: list[list[Story]], at: int) -> str:
        rows = "".join(
            f'<li><a href="./{self._name(s)}" target="_blank">{esc(s.title)}</a><b>{s.at:%Y-%m-%d}</b></li>'
            for s in pages[at]
        )
        return self._page(
            self.sections[key],
            f'<div class="bread">当前位置：<a href="../../">首页</a>&gt;<a href="../">新闻</a>&gt;{self.sections[key]}</div><ul class="list_con">{rows}</ul><div class="page"><script>createPageHTML({len(pages)}, {at}, "index", "html");</script></div>',
            "../..",
        )

    def _single(self, s: Story) -> str:
        text = "".join(f'<p style="text-indent:2em;line-height:2">{esc(p)}</p>' for p in s.paragraphs)
        meta = f'<meta name="ArticleTitle" content="{esc(s.title)}"><meta name="PubDate" content="{s.at:%Y-%m-%d %H:%M}"><meta name="ContentSource" content="县政府办"><meta name="ColumnName" content="{self.sections[s.section]}">'
        main = (
            f'<div class="bread">当前位置：<a href="../../../">首页</a>&gt;<a href="../">{self.sections[s.section]}</a></div><div class="xl_tit">{esc(s.title)}</div>'
            f'<div class="xl_info"><span>发布日期：{s.at:%Y-%m-%d %H:%M}</span><span>来源：县政府办</span><span>作者：{s.author}</span><span>字体：[<a href="javascript:doZoom(18)">大</a> <a href="javascript:doZoom(14)">小</a>]</span></div>'
            f'<div class="TRS_Editor view">{text}</div><div class="xl_tool"><a href="javascript:window.print()">打印本页</a><a href="javascript:window.close()">关闭窗口</a></div><div class="ewm">扫一扫在手机打开当前页</div>'
        )
        return self._page(esc(s.title), main, "../../..", meta)

    def _page(self, title: str, main: str, up: str, head: str = "") -> str:
        menu = "".join(f'<li><a href="{up}/xw/{k}/">{n}</a></li>' for k, n in self.sections.items())
        script = "<script>function createPageHTML(n,c,name,ext){if(n<=1)return;for(var i=0;i<n;i++){var u=i==0?name+'.'+ext:name+'_'+i+'.'+ext;document.write('<a href=\"'+u+'\">'+(i+1)+'</a>');}}</script>"
        return (
            f'<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><meta name="SiteName" content="青山县人民政府">{head}<title>{title}</title>{script}</head><body><div class="top"><span>今天是{self.now:%Y年%m月%d日}</span><a href="/wza/">无障碍阅读</a><a href="/en/">English</a></div>'
            f'<ul class="nav"><li><a href="{up}/">首页</a></li>{menu}</ul><div class="wrap">{main}</div><div class="foot"><a href="{up}/wzdt/">网站地图</a>主办：青山县人民政府办公室 政府网站标识码：4301210001 京公网安备</div></body></html>'
        )
