"""Where the text of an article comes from whose own page is empty."""

# ruff: noqa: E501  scripts read best unbroken

from __future__ import annotations

import json

import pytest

from articlebot.extraction.script_data import article_in_scripts
from articlebot.looks.alike import alike
from articlebot.page import Page
from articlebot.sources.details import as_page, details, filled, with_hole

SHELL = Page.parse(b"<html><body><div id=app></div></body></html>", "http://a.test/")
TEXT = "".join(f"<p>{n}、海港市议会通过了新桥建设方案，造价仍不确定，工程预计明年春天开始。</p>" * 3 for n in range(4))


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ('var n=axios.create({baseURL:"/api/v1"});function d(t){return n.get("/article/detail",{params:{id:t}})}', "/api/v1/article/detail?id={id}"),
        ('var o="/api";function c(e){return r.request(o+"/article/detail",{method:"GET",params:{id:e}})}', "/api/article/detail?id={id}"),
        ('g=e=>fetch(`/api${e}`);g(`/articles?filters[slug][$eq]=${e}&populate=*`)', "/api/articles?filters[slug][$eq]={id}&populate=*"),
        ('h(`/detail/${p.id}`);const A="/api";fetch(A+"/stories?id="+id)', "/api/stories?id={id}"),
        ('$.getJSON("/data/news/"+m[1]+".json",show)', "/data/news/{id}.json"),
        ('fetch("/api/news/"+id).then(show)', "/api/news/{id}"),
        ("const r = await fetch(`/api/article/${route.params.id}.json`)", "/api/article/{id}.json"),
        ('class S{constructor(h){this.h=h;this.base="/api"}one(s){return this.h.get(`${this.base}/articles/${s}`)}}', "/api/articles/{id}"),
        ("var M={list:'/content/v1/posts',post:'/content/v1/posts/:id'};get(M.post.replace(':id',e))", "/content/v1/posts/{id}"),
        ('const A="/_api";l=(t,n)=>j(`${A}/stories?limit=${n}`);g=t=>j(`${A}/stories/${t}`)', "/_api/stories/{id}"),
        ('$.getJSON("/open/getContent?articleId="+n,show)', "/open/getContent?articleId={id}"),
        ('n.get("/article/list",{params:{id:t}});fetch("/api/comments/"+id)', None),
        ('router.push("/detail/"+a.id)', None),
        ('const l=e=>fetch(e).then(j);l("/q/one?id="+t.params.id)', "/q/one?id={id}"),
        ('l("/q/one?id="+t.id);l("/q/article?id="+t.id)', "/q/article?id={id}"),
        ('l("/user/one?id="+t.id);l("/q/one?page="+t)', None),
        ('n=a.create({baseURL:"/api"});d=e=>n({url:"/news/one",method:"get",params:{id:e}})', "/api/news/one?id={id}"),
        ('a.create({baseURL:"/api"});var n="/news";r={byId(e){return t.get(`${n}/${e}`)}}', "/api/news/{id}"),
        # at the page's own address below the API's
        ('m=n.create({baseURL:"/api"});t={to:"/detail/".concat(x._id)};g=r=>m.get("/detail/".concat(r))', "/api/detail/{id}"),
        # as compilers leave async functions
        ('function l(t){return f.apply(this,arguments)}function f(){var t;return t=o().m(function t(e,r){return fetch("".concat("/api/v1").concat(e).concat(n),{})})}p=t=>l("/articles/".concat(t))', "/api/v1/articles/{id}"),
        ('l=function(){var t=h(r().mark((function e(n){return fetch("/gw".concat(n))})));return function(e){return t.apply(this,arguments)}}();p=t=>l("/news/".concat(t))', "/gw/news/{id}"),
        # the address of the page itself, behind that of the API
        ('c={at:"/api"};async function g(e,t){let n=new URL(c.at+e,o)}k=e=>g(`/detail/${e}`)', "/api/detail/{id}"),
    ],
)  # fmt: skip
def test_scripts_say_where_the_text_of_one_article_is(script: str, found: str | None) -> None:
    assert details(script, SHELL, "/detail/{id}")[:1] == ([found] if found else [])


def test_data_that_are_asked_for_as_the_articles_address_asks() -> None:
    script = 'b={baseURL:"/app"};l=d=>r({url:"/news/list",data:d});g=d=>r({url:"/news/detail",data:d});g({id:q.id})'
    assert details(script, SHELL, "/detail?id={id}") == ["/app/news/detail?id={id}"]
    assert details(script, SHELL, "/detail/{id}") == []


def test_the_address_of_the_data_is_made_of_that_of_the_page() -> None:
    made = ("/api/detail?id={id}", "/detail/{id}.html")
    assert filled(*made, "http://a.test/detail/417.html", "http://a.test/") == "http://a.test/api/detail?id=417"
    assert filled(*made, "http://a.test/list/417.html", "http://a.test/") is None
    for made, url in (("/blog/{id}-{slug}", "417-a-new-bridge"), ("/blog/{slug}-{id}", "3-new-bridges-417")):
        assert filled("/api/{id}", made, f"http://a.test/blog/{url}", "http://a.test/") == "http://a.test/api/417"
        assert with_hole("/api/417?full=1", made, f"http://a.test/blog/{url}") == "/api/{id}?full=1"
        assert details('fetch("/api/news/"+id);fetch("/api/news?page="+n)', SHELL, made) == ["/api/news/{id}"]


@pytest.mark.parametrize(
    ("urls", "made"),
    [
        (("/n/417.html", "/n/418.html"), ["/n/{id}.html"]),
        (("/n/2026-11-417.html", "/n/2026-11-418.html"), ["/n/{id}-{slug}.html", "/n/{id}.html"]),
        (("/blog/417-a-bridge", "/blog/418-a-road"), ["/blog/{id}-{slug}", "/blog/{id}"]),
        (("/blog/a-bridge-417", "/blog/2-roads-418"), ["/blog/{slug}-{id}", "/blog/{id}"]),
        (("/blog/a-bridge-417.html", "/blog/a-road-418.html"), ["/blog/{slug}-{id}.html", "/blog/{id}.html"]),
        (("/blog/a-bridge-417", "/blog/a-road"), ["/blog/{id}"]),
        (("/blog/417", "/news/418"), []),
        (("/v?id=417", "/v?id=418"), []),
    ],
)
def test_how_whole_addresses_of_a_list_are_made(urls: tuple[str, ...], made: list[str]) -> None:
    assert alike([f"http://a.test{one}" for one in urls]) == made


def test_data_of_one_article_are_read_as_its_page() -> None:
    one = {"id": 4, "title": "新的大桥在海港正式建成通车", "content": TEXT}
    body = as_page(json.dumps({"code": 0, "msg": "ok", "data": one}).encode())
    assert body is not None
    assert as_page(json.dumps({"data": [one], "meta": {}}).encode()) is not None
    assert as_page(json.dumps({**one, "title": {"rendered": one["title"]}}).encode()) is not None
    assert as_page(json.dumps({"data": [one, one], "meta": {}}).encode()) is None
    found = article_in_scripts(Page.parse(body, "http://a.test/detail/4"))
    assert found is not None
    assert found.title == "新的大桥在海港正式建成通车"
    for other in (b"<html>", b"[1]", b'{"code": 404, "data": null}'):
        assert as_page(other) is None
