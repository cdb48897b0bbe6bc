"""Images of articles: srcset by the standard, lazy and nested elements, captions, and the picture that leads."""

# ruff: noqa: E501  markup reads best unbroken

from __future__ import annotations

import json
import time

import pytest

from articlebot.extraction.cascade import extract
from articlebot.extraction.fields.images import images_between
from articlebot.extraction.fields.lead import lead_of, pictures_of_list
from articlebot.extraction.fields.srcset import parsed_srcset
from articlebot.front import Front
from articlebot.items import Image
from articlebot.page import Page

PARAGRAPH = (
    "The council voted on Tuesday to close the bridge for repairs, which will take until the autumn of next year."
)
HOST = "https://www.daily.test"
DATA = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


@pytest.mark.parametrize(
    ("value", "candidates"),
    [
        ("", []),
        (" , ,", []),
        ("a.jpg", [("a.jpg", None, None)]),
        ("a.jpg, b.jpg 2x", [("a.jpg", None, None), ("b.jpg", None, 2.0)]),
        ("a.jpg 1x,b.jpg 2x", [("a.jpg", None, 1.0), ("b.jpg", None, 2.0)]),
        ("a.jpg 100w,\n\tb.jpg 200w", [("a.jpg", 100, None), ("b.jpg", 200, None)]),
        ("a.jpg,b.jpg 2x", [("a.jpg,b.jpg", None, 2.0)]),  # no white space: one address
        ("w_1,h_2/a.jpg 320w, w_3,h_4/b.jpg 640w", [("w_1,h_2/a.jpg", 320, None), ("w_3,h_4/b.jpg", 640, None)]),
        (f"{DATA} 1x, b.jpg 2x", [(DATA, None, 1.0), ("b.jpg", None, 2.0)]),
        ("a.jpg, , ,b.jpg", [("a.jpg", None, None), ("b.jpg", None, None)]),
        ("a.jpg,,", [("a.jpg", None, None)]),
        ("a.jpg 100w 50h, b.jpg 50h", [("a.jpg", 100, None)]),  # a height alone is no size
        ("a.jpg 1x 2x, b.jpg 1w 2w, c.jpg 1x 2w", []),
        ("a.jpg 0w, b.jpg -2x, c.jpg 1.5w, d.jpg +1x, e.jpg 1.x", []),
        ("a.jpg .5x, b.jpg 1e1x, c.jpg 0x", [("a.jpg", None, 0.5), ("b.jpg", None, 10.0), ("c.jpg", None, 0.0)]),
        ("a.jpg type(x, y), b.jpg 2x", [("b.jpg", None, 2.0)]),  # commas in parentheses part nothing
        ("a.jpg (1x, b.jpg 2x", []),
    ],
)  # fmt: skip
def test_srcset_is_read_as_browsers_do(value: str, candidates: list[tuple[str, int | None, float | None]]) -> None:
    assert parsed_srcset(value) == candidates


@pytest.mark.parametrize("value", ["(" * 50_000, "a (" * 20_000, "," * 50_000, "a " + "(" * 50_000, "a, " * 20_000])
def test_hostile_srcsets_cost_little(value: str) -> None:
    begun = time.process_time()
    assert len(parsed_srcset(value)) <= 100
    assert time.process_time() - begun < 1


def page_of(markup: str, head: str = "") -> Page:
    return Page.parse(f"<html><head>{head}</head><body>{markup}</body></html>".encode(), f"{HOST}/a/1.html")


def found(markup: str) -> list[Image]:
    page = page_of(markup)
    body = [block for block in page.blocks if block.text.startswith("The council")]
    heading = next((block.index for block in page.blocks if block.tag == "h1"), None)
    return [image for _, image in images_between(page, body, lambda: heading)]


def inside(image: str) -> str:
    return f"<h1>Old bridge to close</h1><p>{PARAGRAPH}</p>{image}<p>{PARAGRAPH}</p>"


@pytest.mark.parametrize(
    ("image", "path", "width", "height"),
    [
        ("<img src=/a.jpg width=640 height=480>", "/a.jpg", 640, 480),
        ("<img src=/a.jpg width=100% height=auto>", "/a.jpg", None, None),
        ("<img src=/a.jpg width='640px'>", "/a.jpg", 640, None),
        ("<img src=/s.jpg srcset='/a.jpg 400w, /b.jpg 800w' width=400 height=300>", "/b.jpg", 800, 600),
        ("<img src=/s.jpg srcset='/a.jpg, /b.jpg 2x'>", "/b.jpg", None, None),
        ("<img src=/s.jpg srcset='/c/w_1,h_2/a.jpg 400w, /c/w_3,h_4/b.jpg 800w'>", "/c/w_3,h_4/b.jpg", 800, None),
        (f"<img src=/s.jpg srcset='{DATA} 1x'>", "/s.jpg", None, None),
        (f"<img src='{DATA}' data-src=/a.jpg>", "/a.jpg", None, None),
        (f"<img src='{DATA}' data-srcset='/a.jpg 400w, /b.jpg 800w'>", "/b.jpg", 800, None),
        ("<img src=/blank.gif data-original=/a.jpg>", "/a.jpg", None, None),
        (f"<img src='{DATA}' data-anything='{HOST}/p/a.jpg?x=1'>", "/p/a.jpg?x=1", None, None),
        ("<img src=/s.jpg data-src='/img/{width}/a.jpg'>", "/s.jpg", None, None),  # a script fills it in
        (f"<img class=lazy src='{DATA}'><noscript><img src=/a.jpg></noscript>", "/a.jpg", None, None),
        ("<picture><source srcset='/a.jpg 400w, /b.jpg 800w'><img src=/s.jpg></picture>", "/b.jpg", 800, None),
        ("<picture><source srcset=/a.avif type=image/avif><source srcset=/b.webp type=image/webp><img src=/s.jpg></picture>", "/b.webp", None, None),
        ("<picture><source media='(max-width: 600px)' srcset=/m.jpg><source media='(min-width: 601px)' srcset=/a.jpg><img src=/s.jpg></picture>", "/a.jpg", None, None),
        ("<picture><source media='(min-width: 200em)' srcset=/x.jpg><source media=print srcset=/y.jpg><img src=/s.jpg></picture>", "/s.jpg", None, None),
        ("<picture><source data-srcset=/a.jpg><img src=/blank.gif></picture>", "/a.jpg", None, None),
        ("<amp-img src=/a.jpg width=640 height=480></amp-img>", "/a.jpg", 640, 480),
        ("<a href=/big/a.jpg><img src=/a.jpg></a>", "/a.jpg", None, None),
        ("<img src=/2024/google-pixel-8.jpg>", "/2024/google-pixel-8.jpg", None, None),
    ],
)  # fmt: skip
def test_an_image_is_known_by_its_best_address(image: str, path: str, width: int | None, height: int | None) -> None:
    [only] = found(inside(image))
    assert (only.url, only.width, only.height) == (HOST + path, width, height)


@pytest.mark.parametrize(
    "image",
    [
        "<img src=/t.gif width=1 height=1>",
        "<img src=/pixel/?id=7>",
        "<img src=/img/spacer.gif>",
        "<img src=/img/site-logo.png>",
        "<img src=/a.jpg class=avatar>",
        "<div class=author-box><img src=/ann.jpg></div>",
        "<img src=/ann.jpg width=65 height=65>",
        "<img src=/arrow.svg>",
        "<picture><img src=/media/menu.9f2a3cbc.svg></picture>",
        "<img src=/btn_weibo_201104.gif>",
        "<img src=/rater/4_5stars.gif>",
        f"<img src='{DATA}'>",
        "<img src=/a.jpg aria-hidden=true>",
        "<div style='display:none'><img src=/a.jpg></div>",
        "<a href=/b/2.html><img src=/teaser.jpg></a>",
        "<img src='http://[broken'>",
        "<img>",
    ],
)
def test_decoration_is_no_image_of_the_article(image: str) -> None:
    assert found(inside(image)) == []


@pytest.mark.parametrize(
    ("figure", "caption", "credit"),
    [
        ("<figure><img src=/a.jpg><figcaption>The bridge</figcaption></figure>", "The bridge", ""),
        ("<figure><img src=/a.jpg><figcaption>The bridge <span class=photo-credit>Photo: Ann Lee</span></figcaption></figure>", "The bridge", "Ann Lee"),
        ("<figure><img src=/a.jpg><figcaption>The bridge <cite>Ann Lee/Agency</cite></figcaption></figure>", "The bridge", "Ann Lee/Agency"),
        ("<div class=photo><img src=/a.jpg><p class=wp-caption-text>The bridge</p></div>", "The bridge", ""),
        ("<div class=photo><img src=/a.jpg><p class=image-credit>Ann Lee</p></div>", "", "Ann Lee"),
        ("<figure><a><div><picture><source srcset=/a.jpg><img src=/b.jpg></picture></div></a><figcaption>The bridge</figcaption></figure>", "The bridge", ""),
        ("<news-figure><img src=/a.jpg><news-caption>The bridge</news-caption></news-figure>", "The bridge", ""),
    ],
)  # fmt: skip
def test_captions_and_credits(figure: str, caption: str, credit: str) -> None:
    [only] = found(inside(figure))
    assert (only.caption, only.credit) == (caption, credit)


@pytest.mark.parametrize(
    ("below", "caption"),
    [
        ("<p><em>The bridge at noon.</em></p>", "The bridge at noon."),
        ("<p>Photo: Ann Lee</p>", "Photo: Ann Lee"),
        ("<p>公開された灯台＝26日、岬市、佐藤健撮影</p>", "公開された灯台＝26日、岬市、佐藤健撮影"),
        ("<p>The bridge is open.</p>", ""),
    ],
)
def test_a_line_below_a_picture_is_its_caption_by_its_form(below: str, caption: str) -> None:
    assert [image.caption for image in found(inside(f"<p><img src=/a.jpg></p>{below}"))] == [caption]


def test_pictures_of_a_text_that_a_script_will_show() -> None:
    hidden = f"<div style='visibility:hidden'><section><img data-src=/a.jpg></section><p>{PARAGRAPH * 2}</p></div>"
    assert [image.url for image in found(f"<h1>T</h1>{hidden}")] == [f"{HOST}/a.jpg"]


@pytest.mark.parametrize(
    ("above", "paths"),
    [
        ("<h1>T</h1><figure><img src=/a.jpg></figure>", ["/a.jpg"]),
        ("<h1>T</h1><p>By Ann Lee</p><div><img src=/a.jpg></div>", ["/a.jpg"]),
        ("<article><figure><img src=/a.jpg></figure><h1>T</h1>", ["/a.jpg"]),
        ("<article><div><img width=1020 src=/a.jpg></div><div><h1>T</h1>", ["/a.jpg"]),
        ("<article><div><p><img src=/a.jpg alt=T></div><p><h1>T</h1>", ["/a.jpg"]),
        ("<article><div><p><img src=/other.jpg alt=U></div><p><h1>T</h1>", []),
        ("<header><figure><img src=/other.jpg></figure></header><h1>T</h1>", []),
        ("<main><div><img width=1020 src=/other.jpg></div><article><h1>T</h1>", []),
        ("<article><h1>T</h1><noscript><img src=/a.jpg></noscript>", ["/a.jpg"]),
        ("<h1>T</h1><img src=/photo-of-bridge-300x200.jpg><img src=/photo-of-bridge-800x600.jpg>", ["/photo-of-bridge-300x200.jpg"]),
    ],
)  # fmt: skip
def test_figures_above_the_text_are_the_articles(above: str, paths: list[str]) -> None:
    assert [image.url for image in found(f"{above}<p>{PARAGRAPH}</p>")] == [HOST + path for path in paths]


def stated(**fields: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", **fields})}</script>'


OG = "<meta property=og:image content={}>"
OWN = (Image(url=f"{HOST}/own.jpg", width=640),)


@pytest.mark.parametrize(
    ("head", "own", "path", "rule"),
    [
        (OG.format("/og.jpg"), OWN, "/og.jpg", "og"),
        ("<meta name=twitter:image content=/tw.jpg>" + stated(image="/ld.jpg"), OWN, "/tw.jpg", "twitter"),
        ("<meta property=og:image:secure_url content=/og.jpg>", (), "/og.jpg", "og"),
        (stated(image="/ld.jpg"), OWN, "/ld.jpg", "jsonld"),
        (stated(image=["/ld.jpg", "/b.jpg"]), OWN, "/ld.jpg", "jsonld"),
        (stated(image={"@type": "ImageObject", "url": "/ld.jpg", "width": 1200, "height": "800px"}), OWN, "/ld.jpg", "jsonld"),
        (stated(image=[{"@type": "ImageObject", "contentUrl": ["/ld.jpg"], "width": {"value": "640"}}]), OWN, "/ld.jpg", "jsonld"),
        (stated(image={"@id": "#p"}) + '<script type="application/ld+json">[{"@type":"ImageObject","@id":"#p","url":"/ld.jpg"}]</script>', OWN, "/ld.jpg", "jsonld"),
        (stated(image={"url": {"odd": 1}, "width": []}), OWN, "/own.jpg", "first"),
        ("<link rel=image_src href=/link.jpg>", OWN, "/link.jpg", "link"),
        ("", OWN, "/own.jpg", "first"),
        # a thumbnail where a larger picture is known, and the site's own sign
        (OG.format("/t_87x84.jpg"), OWN, "/own.jpg", "first"),
        (OG.format("/og.jpg") + "<meta property=og:image:width content=90>", OWN, "/own.jpg", "first"),
        (OG.format("/og.jpg") + "<meta property=og:image:width content=90>", (), "/og.jpg", "og"),
        (OG.format("/img/logo.png"), OWN, "/own.jpg", "first"),
        (OG.format("/cover/76b86c02.svg"), OWN, "/own.jpg", "first"),
        (OG.format("/apple-logo-in-a-shop.jpg"), OWN, "/apple-logo-in-a-shop.jpg", "og"),
        (OG.format(HOST + "/"), OWN, "/own.jpg", "first"),
        (OG.format(f"'{DATA}'"), OWN, "/own.jpg", "first"),
    ],
)  # fmt: skip
def test_the_picture_that_leads(head: str, own: tuple[Image, ...], path: str, rule: str) -> None:
    lead = lead_of(page_of("<p>x</p>", head), own)
    assert lead is not None
    assert (lead.image.url, lead.rule) == (HOST + path, rule)


def test_no_picture_at_all() -> None:
    assert lead_of(page_of("<p>x</p>"), ()) is None


def test_an_article_has_its_lead_image_by_its_rule() -> None:
    article = extract(page_of(inside("<img src=/a.jpg>"), OG.format("/og.jpg")))
    assert (article.lead_image, article.origin["lead_image"]) == (f"{HOST}/og.jpg", "og")
    assert [image.url for image in article.images] == [f"{HOST}/a.jpg"]
    assert extract(page_of(inside("<img src=/a.jpg>"))).lead_image == f"{HOST}/a.jpg"


@pytest.mark.parametrize(
    ("text", "lead"), [("", ""), ("<img src=/a.jpg>", f"{HOST}/a.jpg"), ("<img src=/og.jpg>", f"{HOST}/og.jpg")]
)
def test_what_the_front_page_states_for_itself_is_no_articles_picture(text: str, lead: str) -> None:
    page = page_of(inside(text), OG.format("/og.jpg"))
    page.front = Front(pictures=frozenset({f"{HOST}/og.jpg"}))
    assert extract(page).lead_image == lead


@pytest.mark.parametrize(
    "entries",
    [
        "<article typeof=Article><meta property=image content=/a.jpg><h2>A bridge opens</h2></article>",
        '<script type="application/ld+json">{"@type": "Blog", "blogPost": [{"@type": "BlogPosting", "image": "/a.jpg"}]}</script>',
    ],
)
def test_what_a_list_states_for_its_articles_is_no_picture_of_the_site(entries: str) -> None:
    assert pictures_of_list(page_of(entries, OG.format("/og.jpg"))) == {f"{HOST}/og.jpg"}
    logo = '<script type="application/ld+json">{"@type": "WebPage", "primaryImageOfPage": "/logo.jpg"}</script>'
    assert pictures_of_list(page_of(logo)) == {f"{HOST}/logo.jpg"}


@pytest.mark.parametrize(
    ("behind", "count"),
    [
        ("<p><img src=/b.jpg width=800></p>", 1),
        ("<p><a href=/large/b.jpg><img src=/b.jpg></a></p>", 1),
        ("<p><a href=https://shop.test/><img src=/b.jpg></a></p>", 0),
        ("<p><img src=/count.gif?id=5></p>", 0),
        ("</div><div><p><img src=/b.jpg></p>", 0),
    ],
)
def test_a_picture_behind_the_last_line_is_the_texts_where_it_stands_in_its_element(behind: str, count: int) -> None:
    page = page_of(f"<h1>T</h1><div><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p>{behind}</div>")
    body = [block for block in page.blocks if block.text == PARAGRAPH]
    assert len(images_between(page, body, lambda: 0)) == count
