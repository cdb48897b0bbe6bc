"""Which wall a page is: what it wants of its reader before it shows anything. Nothing here tries to pass one."""

from __future__ import annotations

import re
from typing import Any, Literal
from urllib.parse import urlsplit

from articlebot.extraction.consent import agrees
from articlebot.extraction.kinds import kind
from articlebot.page.page import Page

Wall = Literal["captcha", "challenge", "consent", "login", "subscription", "age", "region", "blocked"]
# Those that are not there for every reader, or not for long.
PASSING = frozenset[Wall]({"captcha", "challenge", "blocked"})

_CAPTCHA = re.compile(r"captcha|are you (?:a )?(?:human|robot)|验证码|滑动(?:验证|滑块)|人机验证", re.I)
_CHALLENGE = re.compile(
    r"just a moment|checking your browser|verify (?:that )?you are (?:a )?human|security check|ddos protection|"
    r"enable javascript and cookies|访问验证|安全验证",
    re.I,
)
_LOGIN = re.compile(r"(?:log|sign) ?in to|(?:请|請)先?(?:登录|登錄|登入)|登录后", re.I)
_CONSENT = re.compile(
    r"before you continue|we value your privacy|(?:we|our partners)[^.!?]{0,80}(?:store|access|use)[^.!?]{0,40}"
    r"(?:cookies|information on (?:a|your) device)|"
    r"(?:accept|agree to) (?:all|the use of) cookies|manage (?:your )?(?:privacy|cookie|consent)|legitimate interest|"
    r"(?:reject|accept|allow) all\b|"
    r"(?:cookies?|datenschutz|personenbezogen\w{0,3} daten|vie privée|privacidad|datos personales)[^.!?]{0,80}"
    r"(?:zustimm|akzeptier|einwillig|consent|accept|acept|acconsent|toestemm)|"
    r"(?:alle[ns]? (?:cookies )?|tout )(?:akzeptieren|zustimmen|accepter|accepteren)|zustimmen und|"
    r"tout accepter|aceptar (?:tod[ao]s?|y)|accetta (?:tutt[oi]|e)|"
    r"(?:verwende[nt]|utiliza(?:mos)?|utilis(?:ons|e)|usiamo|gebruiken) (?:\w{1,4} )?cookies?|"
    # "Accept and go on", "we and our 239 partners", "your privacy", in the languages of the European Union's papers.
    r"(?:accept|agree|akzeptieren|einverstanden|accepter|aceptar|accetta|aceitar|akceptuj\w?|accepteren|"
    r"godkänn|godta) "
    r"(?:and|und|et|y|e|i|en|och|og) "
    r"(?:continue|close|weiter|schließen|continuer|fermer|continuar|cerrar|fechar|continua|chiudi|"
    r"przejd\w|verder|doorgaan|fortsätt|fortsæt|fortsett)|weiter mit werbung|"
    r"(?:our|unsere\w?|nos|nuestros|i nostri|nossos|onze|nasi|våra|vores|våre) "
    r"(?:bis zu |zaufani )?\(?(?:\d{1,4}\)? )?"
    r"(?:\w{4,12} )?(?:partners?\b|partnern?\b|partenaires|socios|proveedores|parceiros|partnerzy|partnere?\b)|"
    r"(?:votre|tu|su|la tua|a sua|uw|je|twoj\w|din|ditt) "
    r"(?:vie privée|privacidade?|privacy|prywatność|integritet|privatliv)|"
    r"(?:informationen|informations|información|informazioni|informações|informatie|informacje|oplysninger) "
    r"(?:auf|sur|en|su|em|op|na|på) (?:\w{2,6} )?(?:gerät|appareil|dispositiv\w|apparaat|urządzeni\w|enhet)|"
    r"utilizziamo (?:i )?cookie|używamy (?:plików )?cookie|(?:accetta|aceitar|aceptar|accepter) tu(?:tt[oie]|do|dos)|"
    r"verarbeiten (?:wir )?personenbezogene daten|"
    r"(?:同意|接受|許可|允许|允許).{0,12}(?:cookie|[隐隱]私政策|[隐隱]私协议|[隐隱]私權)|[隐隱]私(?:设置|設定|偏好)|"
    r"(?:使用|启用|啟用|储存|儲存).{0,6}cookie|cookie[^.!?。！？]{0,40}(?:同意|接受|許可|동의|허용)|"
    r"(?:同意|接受)(?:并|並|且|して)(?:继续|繼續|进入|進入|浏览|瀏覽|続行)|"
    r"(?:全部|所有|すべて|모두) ?(?:同意|接受|許可|受け入れ|동의|허용)|"
    r"использу\w{1,4} (?:файлы )?(?:cookie|куки)|(?:принять|принимаю|соглас\w{2,8}) (?:все|вс[её]|и продолжить)\b|"
    r"соглаша\w{2,5} (?:с|на) [^.!?]{0,60}(?:cookie|куки|данных)|"
    r"(?:同意|接受)(?:全部|所有)|쿠키[^.!?。！？]{0,40}(?:동의|허용)",
    re.I,
)
_SUBSCRIPTION = re.compile(
    r"subscribe(?:rs)? (?:to|now to) |already a subscriber|订阅后|(?:开通|成为)会员|付费(?:阅读|内容)", re.I
)
_AGE = re.compile(
    r"(?:over|at least|older than) (?:18|21)|(?:18|21) (?:or older|years)|legal (?:drinking )?age|"
    r"your (?:age|date of birth)|[满滿]\s?(?:18|十八)|(?:18|20)歳|19세|성인\s?인증",
    re.I,
)
_REGION = re.compile(
    r"available (?:in|to|from) (?:your|users|visitors|readers)|unavailable (?:for legal reasons|in your)|"
    r"所在的?(?:国家|地区|区域|國家|地區|區域)|仅限(?:中国)?(?:大陆|内地|境内)",
    re.I,
)
_CONSENT_PLACE = re.compile(
    r"^(?:consent\w?|consenso|einwilligung|zustimmung|privacy|cookies?|gdpr|dsgvo|rgpd|cmp)\.|"
    r"/(?:consent|consenso|zustimmung|cookie-?wall|gdpr|dsgvo|rgpd|cmp|privacy-gate)(?:[/?.-]|\Z)",
    re.I,
)
_SENTENCE = re.compile(r"[.!?。！？]")
# A sentence with one of these is about consent; the rest is what the page says beside it.
_ABOUT = re.compile(
    r"cookie|consent|priva[ct]|partner|personal|data|advert|accept|reject|akzeptier|zustimm|daten|einwillig|acept|"
    r"werbung|tracking|-abo\b|partenair|socios|parceir|accett|rifiut|aceit|dispositi|appareil|akcept|zgod|prywatno|reklam|"
    r"samtyck|integritet|toestemm|vie privée|[隐隱]私|个人信息|個人資料|同意|プライバシー|쿠키|개인정보|"
    r"куки|персональн|соглас|соглаша|принять|принимаю",
    re.I,
)
_MOST_TEXT = 6000
_MOST_OTHER = 250
_CONSENT_TEXT = 2500


def wall_in(page: Page, told: str | None = None) -> Wall | None:
    """The wall that a page is, None where it is none.

    Args:
        told: its kind, where the caller knows that already.
    """
    if (told or kind(page).name) == "wall":
        return wall_of(page)
    return "consent" if asks_consent(page) else None


def wall_of(page: Page) -> Wall:
    """The wall that a page is which ``kinds.kind`` calls one."""
    text = _text(page)
    for name, pattern in _PATTERNS:
        if pattern.search(text):
            return name
    return "login" if asks_password(page) else "blocked"


def asks_password(page: Page) -> bool:
    """Whether a page has a field for a password, shown or not."""
    return any(one.get("type") == "password" for one in page.by_tag["input"])


_PATTERNS: tuple[tuple[Wall, re.Pattern[str]], ...] = (
    ("captcha", _CAPTCHA), ("challenge", _CHALLENGE), ("age", _AGE), ("region", _REGION),
    ("subscription", _SUBSCRIPTION), ("login", _LOGIN), ("consent", _CONSENT),
)  # fmt: skip


def asks_consent(page: Page) -> bool:
    """Whether a page only asks for consent to cookies: short, about nothing else, with something to press.

    A banner on a page with contents is none: the contents are there.
    """
    tree: Any = page.tree
    if tree is None:
        return False
    text = _text(page)
    if len(text) > _CONSENT_TEXT:
        return False
    if next(tree.iter("button", "form"), None) is None and not any(map(agrees, tree.iter("a"))):
        return False
    parts = urlsplit(page.url)
    said = {match[0].lower()[:12] for match in _CONSENT.finditer(text)}
    placed = bool(_CONSENT_PLACE.search(parts.hostname or "") or _CONSENT_PLACE.search(parts.path))
    other = sum(len(sentence) for sentence in _SENTENCE.split(text) if not _ABOUT.search(sentence))
    return len(said) >= (1 if placed else 2) and other < _MOST_OTHER


def _text(page: Page) -> str:
    tree: Any = page.tree
    if tree is None:
        return ""
    parts, size = [tree.findtext(".//title") or ""], 0
    for element in page.elements:
        if element.tag in ("script", "style", "template", "head", "title"):
            parts.append(element.tail or "")
            continue
        parts += [element.text or "", element.tail or ""]
        size += len(parts[-1]) + len(parts[-2])
        if size > _MOST_TEXT:
            break
    return " ".join(" ".join(parts).split())[:_MOST_TEXT]
