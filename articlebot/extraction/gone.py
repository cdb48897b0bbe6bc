"""Pages that say that what was asked for is not there, whatever their status."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re

from articlebot.page import Page

GONE = re.compile(
    r"\b404\b|not found|(?:page|story|article) (?:could|can)(?:not|['’]t|n['’]t| not) be found|"
    r"(?:could|can)(?:not|['’]t|n['’]t| not) find (?:the|that|this|your|a) (?:page|story|article)|"
    r"(?:page|story|article) (?:you (?:requested|want|are looking for) )?is (?:not available|unavailable|no longer available)|"
    r"(?:页面|頁面|网页|網頁)(?:已经?|已被?|已經)?(?:不存在|删除|刪除|下线|下架|过期|過期)|内容已删除|文章不存在|"
    r"[您你](?:所|要|想)?(?:查看|访问|訪問|浏览|瀏覽|请求)的(?:内容|內容|信息|文章|新闻)(?:已经?|已被?|已經)?(?:不存在|删除|刪除|下线|过期|過期)|"
    r"[该此該](?:文章|信息|内容|內容|新闻)(?:已经?|已經)?(?:不存在|过期|過期)|"
    r"找不到(?:[该此您你])?(?:页面|頁面|网页|網頁)|查[无無][此该該](?:页|頁|网页|網頁|文章|信息|资料|資料)|"
    r"page introuvable|page n['’]existe (?:pas|plus)|seite (?:wurde )?nicht gefunden|seite existiert (?:leider )?nicht|"
    r"p[aá]gina (?:ya )?no está disponible|"
    r"p[aá]gina no (?:existe|(?:ha sido |fue )?encontrada)|pagina non (?:è stata )?trovata|"
    r"página não (?:foi )?encontrada|pagina niet gevonden|strona nie (?:istnieje|została znaleziona)|"
    r"sid[ae]n (?:hittades|blev ikke) |"
    r"страниц[аы] не (?:найден|сущ)|ページ[がは](?:見つかりません|存在しません)|페이지를 찾을 수|"
    r"không tìm thấy trang|trang không tồn tại|sayfa bulunamadı|الصفحة غير موجودة",
    re.I,
)
# What only a page says on which an article was seen before; of any other it may be the news.
_WAS_THERE = re.compile(
    r"no longer (?:available|exists?|here)|(?:has|have) been (?:removed|deleted|withdrawn|taken down)|"
    r"do(?:es)?(?:n['’]t| not) exist|已被?(?:删除|刪除|下线|下架|撤回|移除)|不存在|introuvable|"
    r"n['’]existe (?:pas|plus)|nicht (?:gefunden|mehr verfügbar)|no (?:se ha )?encontrad[ao]|no existe|"
    r"non (?:è stata )?trovat[ao]|não (?:foi )?encontrad[ao]|niet gevonden|bestaat niet|nie (?:znaleziono|istnieje)|"
    r"hittades inte|ikke f(?:unn|und)et|не (?:найден|существует)|見つかりません|찾을 수 없",
    re.I,
)
# Units of a page that has no text but this; and characters of a line of it.
SHORT, _LINE = 600, 300


def says_gone(page: Page) -> bool:
    """Whether a page where an article was says, by a heading or all that it has, that nothing is there any more."""
    heads = [one for tag in ("title", "h1", "h2") for one in page.by_tag[tag]] if page.tree is not None else []
    said = [str(text) for head in heads for text in head.itertext()]
    if sum(block.units for block in page.blocks) < SHORT:
        said += [block.text for block in page.blocks]
    return any(GONE.search(text[:_LINE]) or _WAS_THERE.search(text[:_LINE]) for text in said)
