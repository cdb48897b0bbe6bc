"""What passes a page that only asks for consent: a cookie that its script sets, or one thing to press."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from articlebot.page import Page
from articlebot.page.text import fold
from articlebot.urls import site

_ACCEPTS = re.compile(
    r"\b(?:accept|agree|allow|consent|continue|got it|i understand|okay|ok)\b|"
    r"同意|接受|允许|允許|继续|繼續|知道了|許可|동의|허용|akzeptieren|"
    r"zustimmen|einverstanden|weiter mit werbung|accepter|aceptar|accetta|aceitar|concordo|akceptuj|zgadzam|"
    r"accepteren|akkoord|godkänn|godta|\b(?:принять|принимаю|соглас(?:ен|на|иться)|соглашаюсь|разрешить|продолжить)\b",
    re.I,
)
_REFUSES = re.compile(
    r"\b(?:reject|decline|refuse|deny|manage|settings|options|customi[sz]e|without|ohne|sans|sin|senza|sem|bez|zonder|utan|uden)\b|"
    r"ablehnen|einstellungen|refuser|paramétrer|rechazar|configurar|rifiuta|gestisci|personalizza|recusar|"
    r"rejeitar|weiger|instellingen|"
    r"odrzu|ustawienia|avvisa|inställningar|afvis|abo\b|abonn|拒绝|拒絕|拒否|不同意|设置|設定|管理|거부|설정|"
    r"\b(?:не|без)\b|отклонить|отказ|настро",
    re.I,
)
_COOKIE = re.compile(r"document\.cookie\s*=\s*(\"[^\"\n]{1,500}\"|'[^'\n]{1,500}'|`[^`$\n]{1,500}`)")
_NAMED = re.compile(r"[\w!#$%&*+.^|~-]{1,100}=[^;\s]{0,400}")
_RELOADS = re.compile(
    r"location\s{0,4}\.\s{0,4}reload\s{0,4}\(|location(?:\.href)?\s{0,4}=\s{0,4}(?:(?:window|document|self)\.)?location\b|"
    r"location\.replace\(\s{0,4}(?:(?:window|document|self)\.)?location\b"
)
# function setCookie(name, value, days) { … document.cookie = name + "=" + escape(value) …, and what it is called with:
# setCookie("seen", "1", 1).
_SETTER = re.compile(
    r"\bfunction\s{1,4}(?P<named>[A-Za-z_$][\w$]{0,40})\(\s{0,4}(?P<name>[\w$]{1,40})\s{0,4},\s{0,4}(?P<value>[\w$]{1,40})[^(){}]{0,60}\)\s{0,4}\{"
    r"[^{}]{0,400}?document\.cookie\s{0,4}=\s{0,4}(?P=name)\s{0,4}\+\s{0,4}[\"']=[\"']\s{0,4}\+\s{0,4}(?:(?:escape|encodeURIComponent)\(\s{0,4})?(?P=value)\b"
)
_GIVEN = (
    r"(?<![\w$.]){named}\(\s{{0,4}}[\"']([\w.-]{{1,100}})[\"']\s{{0,4}},"
    r"\s{{0,4}}(?:[\"']([\w.%-]{{1,400}})[\"']|(\d{{1,20}}))\s{{0,4}}[,)]"
)
_MOST_SCRIPT = 100_000
_MOST_NOTICE, _BEHIND = 100, 10  # characters of "Please wait", and behind a text that may be put together
_MOST_LABEL = 60


@dataclass(frozen=True, slots=True)
class Step:
    """One step past a page.

    Attributes:
        cookies: as ``Set-Cookie`` has them, which the page's own script would set.
        url: what is pressed, "" where a cookie is enough.
        method: GET or POST.
        body: of a POST, form-encoded.
    """

    cookies: tuple[str, ...] = ()
    url: str = ""
    method: str = "GET"
    body: str = ""


def step_past(page: Page) -> Step | None:
    """The step past a page of which ``walls.asks_consent`` holds; None where it shows none on its own site."""
    return _pressed(page) or _scripted(page)


def step_again(page: Page) -> Step | None:
    """The cookie that an empty page sets by a plain text in its script before it loads itself again; else None.

    So servers look whether cookies are kept. A cookie that has to be computed is a challenge, which is left alone.
    """
    text = "\n".join(element.text or "" for element in page.by_tag["script"])[:_MOST_SCRIPT]
    if not _RELOADS.search(text) or page.by_tag["a"] or sum(len(block.text) for block in page.blocks) > _MOST_NOTICE:
        return None
    found = [match for match in _COOKIE.finditer(text) if _NAMED.match(match[1][1:-1])]
    plain = [
        match[1][1:-1] for match in found if not text[match.end() : match.end() + _BEHIND].lstrip().startswith("+")
    ]
    if (setter := _SETTER.search(text)) is not None and text.count("document.cookie") == 1:
        named = re.escape(setter["named"])
        given = re.findall(_GIVEN.format(named=named), text)
        if len(given) + 1 < len(re.findall(rf"(?<![\w$.]){named}\(", text)):
            return None  # it is called with what has to be computed, too
        plain = [f"{name}={value or number}; path=/" for name, value, number in given]
        return Step(tuple(plain)) if plain else None
    return Step(tuple(plain)) if plain and len(plain) == text.count("document.cookie") else None


def agrees(element: Any) -> bool:
    """Whether what is pressed, or a link, says that its reader consents."""
    said = fold(" ".join([*element.itertext(), element.get("value", ""), element.get("aria-label", "")]))
    return len(said) <= _MOST_LABEL and _ACCEPTS.search(said) is not None and _REFUSES.search(said) is None


def _scripted(page: Page) -> Step | None:
    texts = [element.text or "" for element in page.by_tag["script"]]
    tree: Any = page.tree
    texts += [element.get("onclick", "") for element in tree.iter("button", "a", "input") if element.get("onclick")]
    found = _COOKIE.findall("\n".join(texts)[:_MOST_SCRIPT])
    cookies = tuple(text[1:-1] for text in found if _NAMED.match(text[1:-1]))
    return Step(cookies) if cookies else None


def _pressed(page: Page) -> Step | None:
    tree: Any = page.tree
    for element in tree.iter("button", "input", "a"):
        if element.tag == "input" and (element.get("type") or "").lower() not in ("submit", "button", "image"):
            continue
        if not agrees(element):
            continue
        step = _link(page, element) if element.tag == "a" else _form(page, element)
        if step is not None and site(step.url) == site(page.url):
            return step
    return None


def _link(page: Page, element: Any) -> Step | None:
    href = (element.get("href") or "").strip()
    if not href or href.startswith(("#", "javascript:")):
        return None
    url = page.resolve(href)
    return Step(url=url) if url.startswith(("http://", "https://")) else None


def _form(page: Page, button: Any) -> Step | None:
    form = next((one for one in button.iterancestors("form")), None)
    if form is None or any(one.get("type") == "password" for one in form.iter("input")):
        return None
    url = page.resolve(button.get("formaction") or form.get("action") or page.url)
    if not url.startswith(("http://", "https://")):
        return None
    pairs = [
        (one.get("name"), one.get("value", "on" if one.get("type") == "checkbox" else ""))
        for one in form.iter("input")
        if one.get("name") and (one.get("type") or "text").lower() not in ("submit", "button", "image", "reset")
    ]
    if button.get("name"):
        pairs.append((button.get("name"), button.get("value", "")))
    if (button.get("formmethod") or form.get("method") or "get").lower() == "post":
        return Step(url=url, method="POST", body=urlencode(pairs))
    parts = urlsplit(url)
    return Step(url=urlunsplit(parts._replace(query=urlencode(pairs) if pairs else parts.query, fragment="")))
