"""The one step past a page that asks for consent."""

# ruff: noqa: E501  scripts read best unbroken

from __future__ import annotations

import pytest

from articlebot.extraction.consent import Step, step_again, step_past
from articlebot.page import Page

AT = "http://www.a.example/notice?to=%2F"


@pytest.mark.parametrize(
    ("html", "step"),
    [
        ("<form action=/go><input type=hidden name=a value=1><button>Accept all</button></form>",
         Step(url="http://www.a.example/go?a=1")),
        ("<form method=post action=/go><button name=r>拒绝</button><button name=r value=1>同意</button></form>",
         Step(url="http://www.a.example/go", method="POST", body="r=1")),
        ("<a href='/manage'>Manage</a><a href='/ok?c=1'>I agree</a>", Step(url="http://www.a.example/ok?c=1")),
        ("<button onclick=\"document.cookie='seen=1; path=/'\">OK</button>", Step(("seen=1; path=/",))),
        ("<a href=#>Accept</a><script>document.cookie = \"c=yes; path=/\"</script>", Step(("c=yes; path=/",))),
        ("<a href='http://other.example/ok'>Accept</a>", None),
        ("<form action=/in><input type=password><button>Continue</button></form>", None),
        ("<button>Reject all</button>", None),
        ("<a href=/abo>Zustimmen mit Pur-Abo</a><button onclick=\"document.cookie='z=1'\">Akzeptieren und weiter</button>",
         Step(("z=1",))),
        ("<form method=post action=/go><button name=n value=1>Не согласен</button><button name=y value=1>Принять и продолжить"
         "</button></form>", Step(url="http://www.a.example/go", method="POST", body="y=1")),
        ("<form method=post action=/go><button name=n value=1>Rifiuta tutto</button><button name=y value=1>Accetta tutto"
         "</button></form>", Step(url="http://www.a.example/go", method="POST", body="y=1")),
    ],
)  # fmt: skip
def test_what_passes_it(html, step):
    assert step_past(Page.parse(f"<html><body>{html}</body></html>".encode(), AT, "text/html; charset=utf-8")) == step


@pytest.mark.parametrize(
    ("script", "cookies"),
    [
        ('document.cookie="sec=9f8e; path=/; max-age=86400";window.location.reload();', ("sec=9f8e; path=/; max-age=86400",)),
        ("document.cookie='a=1';location.href=location.href", ("a=1",)),
        ('function sc(n,v){var d=new Date();document.cookie=n+"="+escape(v)+";path=/"}sc("seen","7f3a");location.reload()', ("seen=7f3a; path=/",)),
        # has to be computed
        ('function sc(n,v){document.cookie=n+"="+v}sc("a","1");sc("seen",run(7));location.reload()', None),
        ('document.cookie="sec="+run(7)+";path=/";location.reload();', None),
        ('document.cookie="a=1";document.cookie="b="+x;location.reload();', None),
        ('document.cookie="a=1";', None),
    ],
)  # fmt: skip
def test_a_cookie_that_an_empty_page_sets_before_it_loads_itself_again(script, cookies):
    for text, told in (("", cookies), ("<p>" + "The council voted to close the old bridge. " * 4 + "</p>", None)):
        page = Page.parse(f"<html><body>{text}<script>{script}</script></body></html>".encode(), AT, "text/html")
        found = step_again(page)
        assert (found.cookies if found else None) == told
