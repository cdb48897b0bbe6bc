"""Whether a page shows only the beginning of an article, and a gate before the rest: to log in, to pay, to subscribe.

Signs are added up: what is said right after the text, how the page names what stands there, a price, a password field,
a text that breaks off, and what its JSON-LD says of who may read it. A box that invites to subscribe is one sign of
few; of a long text nothing is kept back. Measured on the corpus: of the pages with a gold text those are refused that
say which share of it they keep back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from articlebot.page import Page
from articlebot.page.blocks import Block, Node
from articlebot.page.text import fold, units

Gate = Literal["login", "subscription"]

# A share of the text that is kept back is said by gates alone.
_SHARE = re.compile(
    # not "and 7.7% of those asked", of what is told below the text
    r"(?:剩余|剩餘|余下|還有|还有)的?\s?\d{1,2}(?:\.\d)?\s?[%％](?!\s?的(?!\s?(?:内容|內容|文|正文|全文|本文)))|"
    r"残り\s?[:：]?\s?[\d,，]{1,7}\s?(?:文字|字|[%％])|"
    r"\b\d{1,2}\s?% of (?:this|the) (?:article|story|content|text)\b[^.!?]{0,20}(?:remain|left|hidden|locked)|"
    r"il vous reste \d{1,2}(?:[.,]\d{1,2})?\s?% de cet article|(?:te|le) queda \w{0,3}\s?\d{1,2}\s?% (?:del|por leer)",
    re.I,
)
_TO_READ = (
    r"(?:to (?:continue|keep|finish|resume) reading|to (?:continue|read on)\b|to (?:read|view|access|see|get|unlock) "
    r"(?:the (?:full|rest|whole|entire|complete)|this (?:article|story|content)|full|more of this)|"
    r"to unlock (?:this|the|full))"
)
_REST = re.compile(
    r"(?:登录|登陆|登入|登錄|注册|註冊|订阅|訂閱|付费|付費|购买|購買|开通|開通|成为|成為|升级|升級|扫码|掃碼|充值|下载|打开)"
    r"[^。！？\n]{0,16}(?:阅读|閱讀|查看|观看|解锁|解鎖|浏览|看)[^。！？\n]{0,4}(?:全文|全部|完整|剩余|剩餘|余下|餘下|后续|其余|原文|本文)|"
    r"(?:阅读|閱讀|查看|解锁|解鎖)(?:全文|完整|剩余|剩餘|全部)[^。！？\n]{0,10}(?:登录|登陆|登入|会员|會員|付费|付費|订阅|訂閱|购买)|"
    r"试读(?:已)?(?:结束|到此)|以上(?:内容)?(?:为|是)试读|试读部分|"
    r"(?:本文|本篇|此文|该文|全文)(?:内容|文章|报道)?(?:为|為|是|仅|僅|仅限|僅限)[^。！？\n]{0,6}(?:会员|會員|付费|付費|订阅|訂閱|VIP)|"
    r"(?:会员|會員|订户|訂戶|VIP|付费用户)(?:专享|專享|专属|專屬|可见|可读|可閱讀)(?:内容|文章)|"
    r"(?:この|本)(?:記事|コンテンツ)は、?[^。\n]{0,12}(?:会員|購読者|読者|メンバー)(?:の方|様|さん)?(?:限定|専用|のみ|だけ)|"
    r"(?:ログイン|会員登録|(?:会員に)?登録|購読)(?:すると|して|で|後に|いただくと)[^。\n]{0,10}(?:続き|全文|残り)|"
    # Posts that their author has locked.
    r"(?:content|post) is password[- ]protected|(?:内容|內容|文章)(?:受|被)密[码碼]保[护護]|"
    r"[输輸]入密[码碼][^。\n]{0,4}(?:查看|[访訪][问問]|[阅閱][读讀])|"
    r"비밀번호를\s?입력|パスワードを入力|"
    r"続きを(?:読む|ご覧になる|お読みいただく)には|"
    r"(?:이|본)\s?(?:기사|콘텐츠)[는은]\s?[^.\n]{0,12}(?:회원|구독자)\s?(?:전용|만)|"
    r"(?:로그인|구독|회원\s?가입)\s?(?:후|하시면|하면|하고)[^.\n]{0,16}(?:전문|전체|나머지|계속)|"
    r"(?:log|sign)(?:ging|ing)?[ -]?(?:in|up)\b[^.!?\n]{0,60}" + _TO_READ + r"|"
    r"(?:subscri(?:be|ption)|register|become a (?:member|subscriber)|upgrade|create (?:an?|your) [^.!?\n]{0,12}account|"
    r"free trial|buy|purchase|pay)\b[^.!?\n]{0,60}" + _TO_READ + r"|"
    + _TO_READ + r"[^.!?\n]{0,40}(?:subscribe|log ?in|sign ?in|sign ?up|register|become a|create an account|member)|"
    r"(?:continue|keep) reading (?:with|by) (?:a |an |your )?(?:\w+ )?(?:subscri|trial|account|logging|signing)|"
    r"(?:this|the rest of (?:this|the)) (?:article|story|content|post|report)?\s?is (?:only )?"
    r"(?:for|available (?:only )?to|reserved for|exclusive(?:ly)? (?:to|for)) (?:our )?(?:\w+ )?"
    r"(?:subscribers|members)|"
    # "Dieser Artikel ist nur für Abonnenten", "Cet article est réservé aux abonnés", and the like.
    r"\b(?:dies(?:er|en|es)|cet|ce|la|este|esta|questo|dit|deze|det här|detta|den här|denne|dette|ten) "
    r"(?:artikel|beitrag|inhalt|text|article|contenu|suite|contenido|artículo|noticia|articolo|contenuto|conteúdo|artigo|"
    r"bericht|inlägg\w{0,4}|innehåll\w{0,4}|indlæg\w{0,4}|artikkel\w{0,4}|artykuł)\b[^.!?\n]{0,40}"
    r"(?:abonnent|abonné|abonnee|suscriptor|abonado|abbonat|assinante|prenumerant|subskrybent)",
    re.I,
)  # fmt: skip
_INVITES = re.compile(
    r"already (?:a subscriber|a member|subscribed|registered|have an account)|subscribe now|start (?:your )?free trial|"
    r"choose (?:a|your) plan|立即(?:登录|登陆|订阅|开通|购买|解锁)|开通会员|成为会员|会员登录|"
    r"(?:马上|立刻)(?:登录|订阅)|会員登録|無料体験|회원가입|구독하기",
    re.I,
)
_PAYS = re.compile(
    r"subscri|abonn|abbonat|suscri|assinante|prenumer|subskryb|member|\bpay|premium|\bplan\b|订阅|訂閱|会员|會員|付费|付費|购买|購買|VIP|充值|会員|有料|購読|유료|구독|회원",
    re.I,
)
_PRICE = re.compile(
    r"[¥￥$€£]\s?\d{1,4}(?:[.,]\d{1,2})?(?![\d.,])|(?<![\d.,])\d{1,4}(?:[.,]\d{1,2})?\s?(?:元|圆|€|EUR\b|USD\b)"
)
_NAMED = re.compile(
    r"pay-?_?wall|reg-?_?wall|subscri(?:be|ption)-?_?(?:wall|gate|lock)|(?:login|member|vip|content|article)[-_]?"
    r"(?:wall|gate|lock)|lock(?:ed)?[-_](?:content|article|text)|metered|paymask|pay[-_]?(?:mask|tip|box|guide)|"
    r"upgrade[-_]cta",
    re.I,
)  # fmt: skip
_ENDED = re.compile(r"[.!?。！？」』”\"')）】\]:：;；]\s*\Z")
_LONG = 2500  # units: of a text this long nothing is kept back but a stated share
_SHORT = 1200
_AFTER_BLOCKS, _AFTER_CHARS = 10, 500
_MOST_LABELS = 3  # lines of what is around a field and its label
_OPEN_UNITS = 700
_SIGN_CHARS = 120
_WALLED = 3


def gate_of(page: Page, body: str) -> Gate | None:
    """The gate that ends the text of a page, None where it shows all it has.

    Args:
        page: the region around the text is enough, where a wrapper knows it.
        body: what was taken for the article's text.
    """
    length = units(body)
    lines = [line for line in body.split("\n") if line]
    if page.tree is None or not lines:
        return None
    if length < _LONG:
        if sign := _in_its_place(page, fold(lines[0])):
            return _kind(sign)
        lines = _above_gate(page, lines)
    after = list(_after(page, lines))
    said = "\n".join(fold(block.text) for block in after)
    # A text of few lines may have taken the gate for its last ones.
    tail = "\n".join(line for line in lines[-3:] if units(line) < 200) if length < _LONG else ""
    if _SHARE.search(said) or _SHARE.search(tail):
        return _kind(said + tail)
    if length >= _LONG:
        return None
    # A gate that says it twice is no line of an invitation.
    told = {match[0] for match in _REST.finditer(f"{tail}\n{said}")}
    score = 3 + (len(told) > 1) if told else 0
    score += _stated(page)
    if length < _SHORT:
        score += bool(_INVITES.search(said)) + bool(_PRICE.search(said)) + _has_password(after)
        score += 2 * any(_NAMED.search(node) for node in _names_after(after))
        score += not _ENDED.search(lines[-1]) or lines[-1].endswith(("...", "…"))
    return _kind(said + tail) if score >= _WALLED + (length >= _SHORT) else None


def _in_its_place(page: Page, line: str) -> str:
    """What a gate says that stands where the text should: below the headline, and apart from what was taken for it.

    Of a post that shows nothing at all, the teasers below it look like its text, or what a password field is called.
    """
    first = next((block for block in page.blocks if _is_part(block, line)), None)
    if first is None:
        return ""
    is_label = first.node.blocks <= _MOST_LABELS
    if is_label and any(one.get("type") == "password" for one in first.element.iter("input")):
        return first.text
    above = [block for block in page.blocks[: first.index] if not block.node.hidden]
    head = next((block for block in reversed(above) if block.tag == "h1"), None)
    below = [block for block in above if head is not None and block.index > head.index]
    for sign in below[:_AFTER_BLOCKS]:
        if head is not None and len(sign.text) < _SIGN_CHARS and _REST.search(fold(sign.text)):
            both = next(node for node in sign.node.ancestors() if node.first <= head.index)
            return sign.text if first.index >= both.last else ""
    return ""


def _kind(said: str) -> Gate:
    return "subscription" if _PAYS.search(said) else "login"


def _after(page: Page, lines: list[str]) -> Iterator[Block]:
    """The visible blocks that follow the text, some hundred characters of them."""
    last, size = fold(lines[-1]), 0
    end = next((block for block in reversed(page.blocks) if _is_part(block, last)), None)
    if end is None:
        return
    for block in page.behind(end, 3 * _AFTER_BLOCKS):
        if block.node.hidden:
            continue
        yield block
        size += len(block.text)
        if size > _AFTER_CHARS:
            return


def _above_gate(page: Page, lines: list[str]) -> list[str]:
    """A text's lines above the first gate that stands between them; all where more stands below it than above.

    What is said of the author below a gate may be taken for the text's end.
    """
    own = {fold(line): number for number, line in enumerate(lines, 1)}
    above = 0
    for block in page.blocks:
        text = fold(block.text)
        above = own.get(text, above)
        if above == len(lines):
            break
        is_sign = above and text not in own and len(text) < _SIGN_CHARS and not block.node.hidden
        if is_sign and (_SHARE.search(text) or _REST.search(text)):
            return lines[:above] if sum(map(len, lines[above:])) < sum(map(len, lines[:above])) else lines
    return lines


def _is_part(block: Block, line: str) -> bool:
    text = fold(block.text)
    return not block.node.hidden and (text == line or (len(text) > 20 and text in line))


def _names_after(after: list[Block]) -> Iterator[str]:
    """Classes and ids of what the first blocks after the text stand in, and of what stands empty right before them."""
    for node in _around(after[:3]):
        yield node.names
        before: Any = node.element.getprevious()
        if before is not None and isinstance(before.tag, str) and not fold("".join(before.itertext())):
            yield f"{before.get('class', '')} {before.get('id', '')}"


def _has_password(after: list[Block]) -> bool:
    return any(one.get("type") == "password" for node in _around(after) for one in node.element.iter("input"))


def _around(after: list[Block]) -> Iterator[Node]:
    """What the blocks after the text stand in, but not the text."""
    for block in after:
        yield from (node for node in islice(block.node.ancestors(), 3) if node.first >= after[0].index)


def _stated(page: Page) -> int:
    """What JSON-LD says: 2 where the article is not free to read, less where the part that is not is here to read."""
    for node in page.jsonld:
        if str(node.get("isAccessibleForFree", "")).lower().rpartition("/")[2] not in ("false", "no"):
            continue
        parts = node.get("hasPart")
        for part in parts if isinstance(parts, list) else [parts]:
            names = re.findall(r"[\w-]+", str(part.get("cssSelector", ""))) if isinstance(part, dict) else []
            if names and _shown(page, frozenset(names)) >= _OPEN_UNITS:
                return -2
        return 2
    return 0


def _shown(page: Page, names: frozenset[str]) -> int:
    """How much text stands below elements of these classes or ids."""
    return sum(
        units(block.text)
        for block in page.blocks
        if not block.node.hidden and any(names & set(node.names.split()) for node in block.node.ancestors())
    )
