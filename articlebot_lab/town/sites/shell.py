"""A Chinese news app: an empty document whose script asks a JSON interface for its lists."""

from __future__ import annotations

import json

from articlebot_lab.town.model import CHINA, Reply, Request, Site, Story, esc, number_of, pages_of
from articlebot_lab.town.words import cut


class Shell(Site):
    """No page but an article's own holds anything; lists are /api/v1/news?channel=…&page=…, named in the script."""

    name, build = "shell", "empty shell: lists from /api/v1/news?page=, named in the page's script"
    domain, size, days, language, zone = "kuaibaoapp.test", 100, 14.0, "zh", CHINA
    sections = {"recommend": "推荐", "local": "本地", "video": "体育"}

    def link(self, story: Story) -> str:
        return f"/detail/{story.at:%Y%m%d}{story.number:04d}.html"

    def answer(self, request: Request) -> Reply | str | None:
        path, args = request.path, request.args
        if path == "/" or path.removeprefix("/c/") in self.sections:
            return self._shell(path.removeprefix("/c/") if path != "/" else "")
        if path == "/api/v1/news":
            stories = self.of(args["channel"]) if args.get("channel") in self.sections else self.stories
            pages = pages_of(stories, 20)
            at = number_of(args.get("page"), len(pages))
            return Reply(
                self._json(pages[at - 1] if at else [], len(stories), bool(at) and at < len(pages)),
                type="application/json; charset=utf-8",
            )
        if path == "/static/app.js":
            return Reply("console.log('kuaibao');", type="application/javascript")
        story = next((s for s in self.stories if self.link(s) == path), None)
        return self._single(story) if story else None

    def _json(self, stories: list[Story], total: int, more: bool) -> str:
        rows = [
            {
                "id": f"{s.at:%Y%m%d}{s.number:04d}",
                "title": s.title,
                "digest": cut(s.paragraphs, 40),
                "url": self.link(s),
                "ptime": f"{s.at:%Y-%m-%d %H:%M:%S}",
                "source": "快报",
                "imgs": [f"/pic/{s.number}.jpg"],
            }
            for s in stories
        ]
        return json.dumps(
            {"code": 0, "msg": "ok", "data": {"list": rows, "total": total, "hasMore": more}}, ensure_ascii=False
        )

    def _shell(self, channel: str) -> str:
        script = (
            f'var channel={json.dumps(channel)},page=1,loading=false;function load(){{if(loading)return;loading=true;fetch("/api/v1/news?channel="+channel+"&page="+page).then(function(r){{return r.json()}})'
            ".then(function(d){d.data.list.forEach(add);page++;loading=false;if(!d.data.hasMore)document.querySelector('.more').remove();});}"
            "function add(n){var a=document.createElement('a');a.href=n.url;a.textContent=n.title;document.getElementById('list').appendChild(a);}load();window.onscroll=load;"
        )
        return f'<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>快报</title><script src="/static/app.js"></script></head><body><div id="app"><div id="list"></div><div class="more">加载中…</div></div><noscript>请开启JavaScript后访问</noscript><script>{script}</script></body></html>'

    def _single(self, s: Story) -> str:
        text = "".join(f"<p>{esc(p)}</p>" for p in s.paragraphs)
        return (
            f'<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><title>{esc(s.title)}-快报</title><meta name="description" content="{esc(cut(s.paragraphs, 60))}"></head><body><div id="app"><div class="bar"><a href="/">快报</a><a class="open" href="kuaibao://open">打开APP</a></div>'
            f'<div class="article"><div class="a-title">{esc(s.title)}</div><div class="a-info"><span>快报</span> <span>{s.at:%Y-%m-%d %H:%M}</span></div><div class="a-content">{text}</div></div><div class="dl">下载快报APP，看更多精彩内容</div></div><script src="/static/app.js"></script></body></html>'
        )
