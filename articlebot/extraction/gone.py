"""Pages that say that what was asked for is not there, whatever their status."""

from __future__ import annotations

import re

from articlebot.page import Page

GONE = re.compile(
    r"\b404\b|page (?:was |can(?:not|'t) be )?not? ?found|not found|页面不存在|找不到(?:该)?(?:页面|网页)|"
    r"页面已删除|内容已删除|文章不存在|page introuvable|seite (?:wurde )?nicht gefunden|"
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
