"""What links to the further pages of a list are called, in the languages of the sites that were seen."""

from __future__ import annotations

import re

from articlebot.extraction.paging import NEXT_WORDS
from articlebot.page.anchors import BACKWARD, FORWARD

NEXT = re.compile(
    rf"[\s{BACKWARD}\[(（]*+(?:(?:{NEXT_WORDS})(?:\s\d{{1,3}}(?:\s\w{{3,12}})?)?|"
    r"(?:(?:show|load|view|see)\s+)?(?:older|earlier)(?:\s+(?:posts|entries|stories|news|articles|releases|reports|items|issues|episodes|updates|results|headlines))?|(?:\w{5,12}\s)?(?:anteriores|más\s+antigu[ao]s|mais\s+antig[ao]s)|"
    r"\w{5,12}\s(?:précédente?s|plus\s+ancien(?:ne)?s|precedent[ie])|(?:ältere|oudere|starsze|äldre|eldre|ældre|vanhemmat|starší|старые|старіші|предыдущие|daha\s+eski)(?:\s\w{4,12})?|(?:\w{3,9}\s)?(?:أقدم|الأقدم|cũ\s+hơn|lama)|(?:以前|古い)の?(?:記事|投稿|ニュース)|(?:이전|지난)\s?(?:글|기사|소식)|更早(?:的)?(?:文章|新闻|消息)?|较旧的文章)?"
    rf"\s*+[{FORWARD}\])）.…]{{0,3}}\s*+\Z",
    re.I,
)
# As often a link to a section: believed of a button, or where the address counts pages.
MORE = re.compile(
    r"\s*+(?:(?:load|show|view|see)\s++(?:\d{1,3}\s++)?more.{0,20}|more(?:\s++(?:news|stories|articles|posts))?|(?:点击|點擊)?(?:加载|加載|载入|載入|查看|显示|顯示|浏览|瀏覽)?更多(?:新闻|新聞|文章|内容|內容|资讯|資訊)?|"
    r"(?:cargar|ver|mostrar|leer)\s++más.{0,20}|más\s++(?:noticias|artículos)|(?:afficher|voir|charger)\s++(?:plus|la\s+suite).{0,20}|"
    r"plus\s+d['’](?:articles|actualités|infos)|(?:mehr|weitere)\s++(?:laden|anzeigen|artikel|meldungen|beiträge|nachrichten).{0,20}|"
    r"(?:carregar|ver|mostrar)\s++mais.{0,20}|mais\s+notícias|(?:carica|mostra|vedi)\s++(?:altri|altro|di\s+più).{0,20}|"
    r"(?:meer|toon\s+meer)\s++(?:laden|nieuws|artikelen|berichten)?|показать\s++ещё|(?:загрузить|показать)\s++(?:еще|больше).{0,20}|"
    r"(?:もっと|さらに|続きを)(?:見る|読む|読み込む|表示(?:する)?)|더\s?보기|ещ[её](?:\s++\w{6,9})?|(?:показати|завантажити)\s++(?:ще|більше)|xem\s++thêm|(?:\w{3,6}\s)?المزيد|"
    r"daha\s++fazla|(?:lihat\s++)?selengkapnya|(?:ดู|โหลด)เพิ่มเติม|(?:pokaż|załaduj)\s++więcej|(?:نمایش\s)?بیشتر|(?:(?:טען|הצג)\s)?עוד(?:\s\w{3,9})?|और\s(?:देखें|पढ़ें|खबरें|समाचार)|"
    r"(?:visa|ladda|läs)\s++fler\w{0,2}.{0,20}|(?:vis|last\s+inn|hent)\s++(?:mere?|flere).{0,20}|(?:näytä|lataa)\s++lisää|(?:načíst|zobrazit)\s++(?:další|více).{0,20}|"
    r"(?:δείτε\s++)?περισσότερα|(?:încarcă\s++)?mai\s++multe(?:\s++\w{4,9})?|(?:még\s++)?több(?:\s++\w{3,9})?)"
    rf"\s*+[{FORWARD}\])）.…]{{0,3}}\s*+\Z",
    re.I,
)
# "More sports" below what a page headed "Sports" shows.
MORE_OF = re.compile(
    r"(?:more|all|mehr|weitere|alle|plus\s+(?:de|d['’])|tou(?:te)?s\s+les|más|tod[ao]s\s+l[ao]s|mais|altr[ei]|tutt[ei]\s+(?:le|gli|i)|meer|"
    r"fler|flere|więcej)\s+(?P<what>\w.{1,30})",
    re.I,
)
# A list of one day that leads to the day before, at an address that names none.
DAY_BEFORE = re.compile(r"\W{0,4}(?:prev(?:ious|\.)?\s(?:day|date)|(?:前|上)一[天日])\W{0,4}\Z", re.I)
BACK = re.compile(rf"prev|newer|上一|前一|[{BACKWARD.replace('<', '')}]|\A\s*<", re.I)
FIRST = re.compile(
    r"\W*(?:1?\W*\Z|first|erste|premi|prim[aeo]|eerste|första|første|pierwsz|prvn|перв|начало|ilk|首|最初|처음)", re.I
)
NUMBER = re.compile(r"\s*+[\[第(（]?\s*+(?:page\s*+)?(\d{1,4})\s*+[页頁\])）]?\s*+\Z", re.I)


def says_next(text: str) -> bool:
    """Whether an anchor's text is that of a link to a list's next or previous page."""
    return bool(BACK.search(text) or (NEXT.match(text) and text.strip()))
