"""Walls of all kinds: told apart, never stored, counted by job and by site."""

from __future__ import annotations

import json

import pytest
import redis.asyncio

from articlebot.extraction.consent import Step, step_past
from articlebot.extraction.kinds import kind
from articlebot.extraction.walls import asks_consent, wall_of
from articlebot.page.page import Page
from articlebot.proxies.wall_counts import RedisWalls, SiteWalls
from tests.proxies.running import scrapy
from tests.proxies.serving import Quiet, serve


def html(title: str, text: str, extra: str = "") -> str:
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{extra}</body></html>"


FORM = "<form action='/go'><button>OK</button></form>"
WALLS = {
    "challenge": html("Just a moment...", "Checking your browser before accessing the site."),
    "captcha": html("Security", "To continue, please complete the captcha below.", FORM),
    "login": html("Sign in", "Please log in to continue reading this article.", FORM),
    "consent": html(
        "Before you continue", "We and our partners store and access information on a device. Accept all cookies or "
        "manage your privacy choices. Reject all.", FORM,
    ),
    "region": html("Sorry", "This content is not available in your country."),
}  # fmt: skip
CHINESE = {"captcha": html("访问验证", "请输入验证码后继续访问。"), "login": html("提示", "请先登录后查看全文内容。")}
BANNER = "<div><button>Accept all cookies</button> We value your privacy. Reject all.</div>"
STORY = "Nothing much happened in the town today, people said, and went home early. " * 12


@pytest.mark.parametrize(("wall", "text"), [*WALLS.items(), *CHINESE.items()])
def test_walls_are_told_apart(wall, text):
    page = Page.parse(text.encode(), "http://a.example/news/1", "text/html; charset=utf-8")
    if wall == "consent":
        assert asks_consent(page)
    else:
        assert kind(page).name == "wall"
        assert wall_of(page) == wall


@pytest.mark.parametrize(
    ("title", "text", "button"),
    [
        ("Weiter mit Werbung lesen", "Besuchen Sie unsere Seite wie gewohnt mit Werbung und Tracking. Wir und unsere "
         "bis zu 189 Partner verarbeiten personenbezogene Daten. Oder Pur-Abo für 3,99 €.", "Akzeptieren und weiter"),
        ("La tua privacy è importante", "Quando usi i nostri siti, utilizziamo i cookie per fornirti i servizi e "
         "misurare l'uso. Noi e i nostri partner archiviamo informazioni su un dispositivo.", "Accetta tutto"),
        ("Twoja prywatność", "My i nasi zaufani partnerzy przechowujemy informacje na urządzeniu. Możesz zmienić "
         "zgodę w ustawieniach.", "Akceptuję i przejdź do serwisu"),
        ("Respectons votre vie privée", "Nous et nos 132 partenaires stockons des informations sur un appareil.",
         "Accepter et fermer"),
        ("We value your privacy", "We and our partners use cookies to personalise content. Please accept to continue.",
         "Accept all and continue"),
        ("Cookie", "我们使用Cookie来改善您的体验。请同意后继续浏览。", "同意并继续"),
        ("隱私權設定", "本網站啟用 Cookies 以提供更好的瀏覽體驗，繼續使用即表示您同意。", "全部接受"),
        ("欢迎访问", "为保障您的权益，请阅读并同意《用户协议》和《隐私政策》后继续浏览。", "同意并进入"),
        ("プライバシー", "当サイトではCookieを使用します。Cookieの利用に同意してください。", "すべて許可"),
        ("Новости", "Мы используем файлы cookie. Продолжая, вы соглашаетесь с обработкой персональных данных.",
         "Принять и продолжить"),
        ("쿠키 안내", "더 나은 서비스를 위해 쿠키 사용에 동의해 주십시오. 개인정보를 보호합니다.", "모두 동의"),
    ],
)  # fmt: skip
def test_consent_is_asked_for_in_many_languages(title, text, button):
    asked = html(title, text, f"<form action=/go><button>{button}</button></form>")
    page = Page.parse(asked.encode(), "http://a.example/news/1", "text/html; charset=utf-8")
    assert asks_consent(page)
    assert step_past(page) == Step(url="http://a.example/go")


def test_a_link_that_agrees_is_something_to_press():
    text = html(
        "Before you continue", "We use cookies with our partners. We value your privacy.", "<a href=/ok>Agree</a>"
    )
    assert asks_consent(Page.parse(text.encode(), "http://a.example/", "text/html"))
    other = html(
        "Your choice", "We and our 211 partners store and access information on your device.", "<a href=/k>Agree</a>"
    )
    assert asks_consent(Page.parse(other.encode(), "http://a.example/cmp?return=%2F", "text/html"))


@pytest.mark.parametrize(
    "text",
    [
        html("News", STORY, BANNER),
        html("Short", "The bridge was closed today.", FORM),
        html("Cookies", "How to manage your cookie settings and what legitimate interest means. " + STORY, FORM),
        html("Cookie 是什么", "网站使用Cookie记住读者。" + "议会昨天讨论了新的法案，反对者要求推迟。" * 20, FORM),
        "", "\x00", "<button>",
    ],
)  # fmt: skip
def test_a_banner_is_no_wall(text):
    assert not asks_consent(Page.parse(text.encode(), "http://a.example/news/1", "text/html"))


async def test_two_workers_count_by_site(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as a, redis.asyncio.Redis.from_url(redis_url) as b:
        one, other = RedisWalls(a, "{articlebot}"), RedisWalls(b, "{articlebot}")
        for number in range(3):
            await one.note("a.example", "captcha", float(number))
            await other.note("a.example", "login", float(number))
        await other.note("b.example", "consent", 9.0)
        assert await one.table() == [
            SiteWalls("a.example", {"captcha": 3, "login": 3}, 2.0), SiteWalls("b.example", {"consent": 1}, 9.0)
        ]  # fmt: skip
        assert [row.site for row in await one.table(1)] == ["a.example"]


async def test_sites_are_bounded(redis_url, monkeypatch):
    monkeypatch.setattr("articlebot.proxies.wall_counts._MOST_SITES", 3)
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        walls = RedisWalls(client, "{articlebot}")
        for number in range(9):
            await walls.note(f"s{number}.example", "login", float(number))
        assert {row.site for row in await walls.table()} == {"s6.example", "s7.example", "s8.example"}


class WalledSite(Quiet):
    """A list page; its stories are walls, one with status 403, and one is there."""

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2].removesuffix(".html")
        if self.path == "/":
            links = "".join(
                f'<li><a href="/story/{n}.html">A long headline of {n} today</a></li>' for n in [*WALLS, "real"]
            )
            self.answer(200, f"<html><body><ul>{links}</ul></body></html>".encode())
        elif name in WALLS:
            self.answer(403 if name == "challenge" else 200, WALLS[name].encode())
        elif name == "real":
            self.answer(200, html("News", STORY, BANNER).encode())
        else:
            self.answer(404)


def test_walls_are_counted_by_site_and_never_stored(tmp_path, redis_url):
    variables = {
        "REDIS_URL": redis_url,
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
        "ARTICLEBOT_DELAYS_MEAN_S": "0.02",
    }
    with serve(WalledSite) as (site,):
        jobs = tmp_path / "jobs.toml"
        jobs.write_text(
            f'[[site]]\nname = "local"\nlist_pages = "http://{site.address}/"\narticle_pattern = "story"\n'
            "allow_private = true\n"
        )
        done = scrapy(tmp_path, "crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", **variables)
    assert done.returncode == 0, done.stderr
    stats = json.loads((tmp_path / "last-run.json").read_text())["stats"]
    assert stats["articlebot/publish/new"] == 1
    assert stats["articlebot/page/walls/local"] == len(WALLS)
    status = scrapy(tmp_path, "status", "--json", **variables)
    (row,) = json.loads(status.stdout)["walls"]
    assert row["kinds"] == dict.fromkeys(sorted(WALLS), 1)
    assert row["walls"] == len(WALLS)
    assert f"1 sites, the most: {row['site']}" in scrapy(tmp_path, "status", **variables).stdout
