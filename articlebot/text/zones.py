"""The time zone of a site that states none: the country of its domain tells it, else the language of its text."""

from __future__ import annotations

from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# Countries of one time zone by IANA's zone.tab, and those whose national news keep the time of one (China, Spain,
# Germany, Portugal, Malaysia, New Zealand, Ukraine, Russia, Brazil, Argentina, Indonesia). Others (.us, .ca, .au) tell
# none, nor do the domains that sites everywhere take for their letters (.io, .tv, .co, .me, .cc).
_COUNTRIES = """
ae Asia/Dubai al Europe/Tirane am Asia/Yerevan ar America/Argentina/Buenos_Aires at Europe/Vienna az Asia/Baku
ba Europe/Sarajevo bd Asia/Dhaka be Europe/Brussels bg Europe/Sofia bh Asia/Bahrain bn Asia/Brunei bo America/La_Paz
br America/Sao_Paulo by Europe/Minsk ch Europe/Zurich cn Asia/Shanghai cr America/Costa_Rica cu America/Havana
cz Europe/Prague de Europe/Berlin dk Europe/Copenhagen dz Africa/Algiers ee Europe/Tallinn eg Africa/Cairo
es Europe/Madrid et Africa/Addis_Ababa fi Europe/Helsinki fr Europe/Paris ge Asia/Tbilisi gh Africa/Accra
gr Europe/Athens gt America/Guatemala hk Asia/Hong_Kong hr Europe/Zagreb hu Europe/Budapest id Asia/Jakarta
ie Europe/Dublin il Asia/Jerusalem in Asia/Kolkata iq Asia/Baghdad ir Asia/Tehran is Atlantic/Reykjavik it Europe/Rome
jo Asia/Amman jp Asia/Tokyo ke Africa/Nairobi kg Asia/Bishkek kh Asia/Phnom_Penh kr Asia/Seoul kw Asia/Kuwait
lb Asia/Beirut lk Asia/Colombo lt Europe/Vilnius lu Europe/Luxembourg lv Europe/Riga ma Africa/Casablanca
md Europe/Chisinau mk Europe/Skopje mm Asia/Yangon mo Asia/Macau mt Europe/Malta my Asia/Kuala_Lumpur ng Africa/Lagos
nl Europe/Amsterdam no Europe/Oslo np Asia/Kathmandu nz Pacific/Auckland om Asia/Muscat pe America/Lima ph Asia/Manila
pk Asia/Karachi pl Europe/Warsaw pt Europe/Lisbon py America/Asuncion qa Asia/Qatar ro Europe/Bucharest
rs Europe/Belgrade ru Europe/Moscow sa Asia/Riyadh se Europe/Stockholm sg Asia/Singapore si Europe/Ljubljana
sk Europe/Bratislava sn Africa/Dakar sy Asia/Damascus th Asia/Bangkok tn Africa/Tunis tr Europe/Istanbul tw Asia/Taipei
tz Africa/Dar_es_Salaam ua Europe/Kyiv ug Africa/Kampala uk Europe/London uy America/Montevideo uz Asia/Tashkent
ve America/Caracas vn Asia/Ho_Chi_Minh za Africa/Johannesburg
"""
# Languages most of whose readers live in one zone. English, Spanish, Portuguese, French and Arabic tell none.
_LANGUAGES = """
bg Europe/Sofia cs Europe/Prague da Europe/Copenhagen de Europe/Berlin el Europe/Athens et Europe/Tallinn
fa Asia/Tehran fi Europe/Helsinki he Asia/Jerusalem hi Asia/Kolkata hr Europe/Zagreb hu Europe/Budapest id Asia/Jakarta
it Europe/Rome ja Asia/Tokyo ko Asia/Seoul lt Europe/Vilnius lv Europe/Riga nb Europe/Oslo nl Europe/Amsterdam
no Europe/Oslo pl Europe/Warsaw ro Europe/Bucharest ru Europe/Moscow sk Europe/Bratislava sl Europe/Ljubljana
sv Europe/Stockholm th Asia/Bangkok tr Europe/Istanbul uk Europe/Kyiv vi Asia/Ho_Chi_Minh zh Asia/Shanghai
"""


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_BY_COUNTRY, _BY_LANGUAGE = _pairs(_COUNTRIES), _pairs(_LANGUAGES)


@lru_cache(maxsize=4096)
def told_zone(host: str, language: str | None) -> ZoneInfo | None:
    """The zone of a site's own times, by its host (no port) or language; None where neither tells one."""
    name = _BY_COUNTRY.get(host.rpartition(".")[2]) or _BY_LANGUAGE.get(language or "")
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:  # a machine without the time zone database, or with an old one
        return None
