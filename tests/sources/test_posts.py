"""Lists that scripts ask for by POST."""

from __future__ import annotations

import time
from urllib.parse import parse_qsl, urlsplit

import pytest

from articlebot.page import Page
from articlebot.sources.data import menu_of
from articlebot.sources.fetches import fetches
from articlebot.sources.posts import Posted, posts

SITE = "http://paper.test"


def asked(script: str, links: int = 8) -> tuple[Posted, ...]:
    page = Page.parse(f"<html><body><script>{script}</script></body></html>".encode(), f"{SITE}/", "text/html")
    return posts(page, links)


@pytest.mark.parametrize(
    ("script", "url", "as_json"),
    [
        (
            'var at={"ajax_url":"\\/wp-admin\\/admin-ajax.php","nonce":"a1b2"};'
            'jQuery.ajax({url:at.ajax_url,type:"POST",data:{action:"more",nonce:at.nonce,paged:n}})',
            "/wp-admin/admin-ajax.php?action=more&nonce=a1b2&paged=2", False,
        ),
        ("$.post('more.php', {page: page, cat: 'city'}, add)", "/more.php?page=2&cat=city", False),
        ("$.ajax({type:'post', url:'/list.aspx', data:'act=list&page=' + page})", "/list.aspx?act=list&page=2", False),
        ("axios.post('/api/list', {pageNum: this.page, pageSize: 10})", "/api/list?pageNum=2&pageSize=10", True),
        (
            "fetch('/api/list', {method: 'POST', body: JSON.stringify({page, size: 20})})",
            "/api/list?page=2&size=20", True,
        ),
        (
            "fetch('/load', {method: 'POST', body: new URLSearchParams({offset: at, limit: 8})})",
            "/load?offset=8&limit=8", False,
        ),
        (
            "const e = axios.create({baseURL: '/api'}); e.post('/cms/page', {current: n, size: 12})",
            "/api/cms/page?current=2&size=12", True,
        ),
        (
            "const e='/v2', h=axios.create({baseURL: e}); h.post('/list', {after: c.value, page: n})",
            "/v2/list?after=&page=2", True,
        ),
        ("http.post(`${at}/page`, {page: n}); const at = '/v2'", "/v2/page?page=2", True),
        ("x.open('POST', '/load.php', true); x.send('page=' + page)", "/load.php?page=2", False),
        (
            "var c = '7', p = 1; x.open('POST', '/load.php'); x.send('cat=' + c + '&page=' + p + '&size=8')",
            "/load.php?cat=7&page=2&size=8", False,
        ),
        (
            "$.ajax({type:'POST',url:'/api/list',contentType:'application/json',data:JSON.stringify({action:'0',pageidx:n})})",
            "/api/list?action=0&pageidx=2", True,
        ),
        (
            "o.post('/cms/page', e);_({current: t.current, size: t.size})",
            "/cms/page?current=2&size=20", True,
        ),
        # What is handed over by its name; counted up behind it, the page's number is sent as the page states it.
        (
            'var at={"url":"/more","nonce":"7f3","current_page":"1"}; $(".more").click(function(){var data='
            '{action:"more",nonce:at.nonce,page:at.current_page}; $.ajax({url:at.url,data:data,type:"POST",'
            'success:function(d){at.current_page++}})})',
            "/more?action=more&nonce=7f3&page=1", False,
        ),
        # What is sent stands where the function is called; the next request is another one.
        (
            "f=e=>r({url:'/news/page',method:'post',data:e}), g=()=>r({url:'/column/list',method:'get'});"
            "f({current:n.current,size:n.size}); n={size:12}",
            "/news/page?current=2&size=12", True,
        ),
        ("go(1,{top:0}); p=e=>h.post('/list',e); p({pageNo:n,pageSize:9})", "/list?pageNo=2&pageSize=9", True),
        # The same by functions of the program's own, and with what the page's own address says.
        (
            'a=h.create({baseURL:"/api"});var j=(e,t)=>a.post(e,t),m=(e,t)=>a.get(e,{params:t}),k=e=>j("/list/page",e);'
            "k({page:1,size:9,type:r.params.type})",
            "/api/list/page?page=2&size=9", True,
        ),
    ],
)  # fmt: skip
def test_what_a_script_posts(script: str, url: str, as_json: bool) -> None:
    assert asked(script) == (Posted(SITE + url, as_json),)


def test_an_address_that_is_posted_to_keeps_parameters_of_its_own() -> None:
    (found,) = asked("fetch('/index.php?s=/news/list', {method: 'POST', body: 'page=' + p})")
    assert (found.url, found.sent) == (f"{SITE}/index.php?s=/news/list&page=2", "form?s=/news/list")
    assert found.place == f"{SITE}/index.php?s=/news/list"


@pytest.mark.parametrize(
    "script",
    [
        "$.post('/vote', {id: 7})",
        "$.post('http://other.test/more', {page: 2})",
        "fetch('/list?page=' + page, {method: 'GET'})",
        "$.post(where, {page: 2})",
        "s=e=>h.post('/auth/login',e);load({page:1,size:9})",
    ],
)
def test_what_is_no_list_of_the_site(script: str) -> None:
    assert asked(script) == ()


def test_a_list_asks_for_what_is_behind_the_entry_that_it_shows_last() -> None:
    script = "var last=$('#l li').last().data('id');$.ajax({url:'/more',type:'POST',data:{cat:'hy',lastid:last}})"
    body = f"<html><body><p data-id=418></p><p data-id=417></p><script>{script}</script></body></html>"
    found = posts(Page.parse(body.encode(), f"{SITE}/", "text/html"), 2)
    assert found == (Posted(f"{SITE}/more?cat=hy&lastid=417", as_json=False),)


def test_a_shell_asks_for_the_first_page() -> None:
    assert asked("var pageNo = 1; axios.post('/api/list', {pageNo: pageNo})", 0)[0].url == f"{SITE}/api/list?pageNo=1"


def test_a_shell_asks_for_what_is_behind_no_entry() -> None:
    script = "let cursor = ''; fetch('/feed', {method: 'POST', body: JSON.stringify({size: 15, cursor})})"
    assert asked(script, 0) == (Posted(f"{SITE}/feed?size=15&cursor=", True),)
    assert asked(script, 9) == asked(script, 0)  # what the page shows may be no page of the list


def test_each_section_that_an_answer_names_is_asked_for() -> None:
    script = "axios.post('/api/list', {current: n, columnCode: columnCode})"
    page = Page.parse(f"<html><body><script>{script}</script></body></html>".encode(), f"{SITE}/", "text/html")
    found = posts(page, 0, menu=[{"code": "macro"}, {"code": "fund"}])
    assert [one.url.rpartition("=")[2] for one in found] == ["macro", "fund"]


def test_each_section_that_the_script_itself_lists_is_asked_for_by_what_it_is_sent_as() -> None:
    script = "c=[{id:3,name:'产业'},{id:5,name:'人物'}];p=e=>h.post('/page',e);f=(c,n)=>p({pageNo:n,columnId:c})"
    assert [one.url.rpartition("&")[2] for one in asked(script, 0)] == ["columnId=3", "columnId=5"]


def test_each_tab_is_posted_for_from_where_the_script_begins() -> None:
    script = "var c = 7, p = 1; $('.tabs b').click(function () { c = $(this).data('id') }); function more() { "
    script += "$.post('/more', {cid: c, page: p, size: 8}, function (d) { show(d); p++ }) }"
    tabs = "<ul><li data-id=3></ul><div class=tabs><b data-id=7>Town</b><b data-id=9>Trade</b></div>"
    page = Page.parse(f"<html><body>{tabs}<script>{script}</script>".encode(), f"{SITE}/", "text/html")
    assert [one.url for one in posts(page, 8)] == [f"{SITE}/more?cid={n}&page=1&size=8" for n in (7, 9)]


def test_an_address_with_parameters_of_its_own_may_have_a_name() -> None:
    (found,) = asked("var API = {list: '/i.php?s=/list'}; $.post(API.list, {page: n})")
    assert (found.url, found.own) == (f"{SITE}/i.php?s=/list&page=2", "s=/list")


def test_what_is_handed_to_a_function_is_posted_from_where_the_script_begins() -> None:
    script = (
        "function get(d) { return $.post('/list', d) } let p = 1; function load() { get({cid: 7, page: p}).then(d => {"
    )
    (found,) = asked(script + " show(d); p++ }) }")
    assert found.url == f"{SITE}/list?cid=7&page=1"


def test_sections_may_be_listed_under_another_name_than_they_are_sent_as() -> None:
    columns = 'columns = [{code: "yw", name: "Town"}, {code: "cj", name: "Trade"}];'
    ask = "http.post('/api/list', {columnCode: code, pageNum: n, pageSize: 15})"
    found = asked(f"{columns} const list = (code, n) => {ask}", links=0)
    assert [dict(parse_qsl(urlsplit(one.url).query))["columnCode"] for one in found] == ["yw", "cj"]


def test_a_bundle_of_a_megabyte_costs_little() -> None:
    begun = time.thread_time()
    assert len(asked("$.post('/m',{page:n,x:{{{" * 40_000)) <= 3
    assert time.thread_time() - begun < 5  # half a second; sixteen where all 40,000 are looked at


def test_of_the_sections_that_an_answer_names_a_script_may_have_the_first() -> None:
    menu = menu_of({"data": [{"columnId": n, "columnName": name} for n, name in ((101, "头条"), (102, "产业"))]})
    script = "axios.post('/news/page', {columnId: '101', current: n})"
    page = Page.parse(b"<html><body><div id=app></div></body></html>", f"{SITE}/", "text/html")
    assert [one.url for one in posts(page, 0, script, menu)] == [
        f"{SITE}/news/page?columnId={n}&current=1" for n in (101, 102)
    ]
    assert [one.url for one in fetches(page, "get('/news/page', {params: {columnId: '101', page: n}})", menu)] == [
        f"{SITE}/news/page?columnId={n}&page=1" for n in (101, 102)
    ]


ASKS = "query Stories($first: Int!, $%s, $tag: String) {\\n stories { items { title url } } }"


@pytest.mark.parametrize(
    ("declared", "links", "variables"),
    [
        ("after: String", 8, '{"first":20}'),
        ("page: Int!", 8, '{"first":20,"page":2}'),
        ("page: Int!", 0, '{"first":20,"page":1}'),
        ("offset: Int = 0", 8, '{"first":20,"offset":8}'),
        ("site: ID!, $page: Int!", 8, None),  # what nothing tells
        ("slug: String", 8, None),  # one article
        ("part: String, $page: Int!", 8, '{"first":20,"part":"town","page":2}'),  # as the script hands it over
    ],
)
def test_queries_of_graphql_for_lists_that_go_on(declared: str, links: int, variables: str | None) -> None:
    given = "variables: {part: document.body.dataset.part, page: n}"
    script = f"const Q=`{ASKS % declared}`; const at='/api/graphql'; fetch(at, {{method: 'POST', body: body({given})}})"
    page = Page.parse(f"<html><body data-part=town><script>{script}</script>".encode(), f"{SITE}/", "text/html")
    found = posts(page, links)
    sent = [dict(parse_qsl(urlsplit(one.url).query)) for one in found]
    assert [one.get("variables") for one in sent] == ([variables] if variables else [])
    assert all(one.as_json and one.url.startswith(f"{SITE}/api/graphql?query=query+Stories") for one in found)
