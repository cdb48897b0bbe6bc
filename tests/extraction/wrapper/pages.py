"""Pages of a made-up site with one template, for learning."""

from __future__ import annotations

import random

from articlebot.page.page import Page

WORDS = (
    "bridge council river budget school train harbour minister market doctor garden winter engine village teacher "
    "captain museum harvest factory village signal letter island summer forest weather history journey company"
).split()


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(8, 16))).capitalize() + "."


def article(
    number: int, *, paragraphs: int = 8, body_class: str = "story-text", extra: str = ""
) -> tuple[bytes, list[str]]:
    """(page, the lines of its body)."""
    rng = random.Random(number)
    title = sentence(rng).rstrip(".")
    lines = [" ".join(sentence(rng) for _ in range(3)) for _ in range(paragraphs)]
    half = len(lines) // 2
    body = "".join(f"<p>{line}</p>" for line in lines[:half])
    body += f'<div class="related-box"><a href="/news/{number + 1}.html">{sentence(rng)}</a></div>'
    body += f"<blockquote><p>{lines[half]}</p></blockquote>" + "".join(f"<p>{line}</p>" for line in lines[half + 1 :])
    side = "".join(f'<li><a href="/news/{rng.randint(1, 9999)}.html">{sentence(rng)}</a></li>' for _ in range(12))
    page = f"""<html><head><title>{title} - The Daily Test</title></head><body class="page id-{number}">
    <div id="nav"><a href="/">Home</a><a href="/world/">World</a><a href="/sport/">Sport</a></div>
    <div class="{body_class}-page"><h1 class="headline">{title}</h1>
    <div class="meta"><span class="author">By Ann Lee</span>
    <span class="pub-date">2024-05-{number % 27 + 1:02d} 10:{number % 60:02d}</span></div>
    <div class="{body_class}"><p>Published on 2024-05-{number % 27 + 1:02d} by our own desk.</p>{body}{extra}
    <figure><img src="/img/{number}.jpg" width="600">
    <figcaption>Picture {number} of the {rng.choice(WORDS)}.</figcaption></figure>
    <p>Sign up for our newsletter to read the best of the week.</p></div></div>
    <div class="side"><h3>Most read</h3><ul>{side}</ul></div>
    <div id="footer">Copyright The Daily Test. All rights reserved, as ever and everywhere.</div></body></html>"""
    return page.encode(), lines


def pages(numbers: range, **options: str) -> list[Page]:
    return [Page.parse(article(n, **options)[0], f"https://daily.test/news/{n}.html") for n in numbers]  # type: ignore[arg-type]
