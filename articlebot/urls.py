"""URL identity: canonical form, page key, site, subdomain and parent hash.

Every part of articlebot that asks "is this the same page, host or site?" asks here, so that the scheduler,
the downloader middleware and the stores always agree.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from hashlib import blake2b
from typing import Any
from urllib.parse import SplitResult, quote, urljoin, urlsplit, urlunsplit

from articlebot.errors import ConfigError, RefusedError

# Parameters that only say where a click came from. Keys, not sites: each is set by an analytics or
# advertising product on links to any site.
TRACKING_PARAMETERS = frozenset(
    "fbclid gclid dclid gbraid wbraid msclkid yclid igshid mc_cid mc_eid _ga _gl _hsenc _hsmi spm scm "
    "ref_src ref_url cmpid ncid ocid smid share_source share_medium "
    # Sessions of PHP, servlets and ColdFusion by their default names, as Heritrix takes them away.
    "phpsessid jsessionid cfid cftoken".split()
)
# Names that forums and shops give a session's id (phpBB, vBulletin, osCommerce, Zen Cart), with values that are long
# tokens; and values that are new in each link: Math.random(), and a time in milliseconds under a name that jQuery,
# ExtJS and hand-written scripts use against caches.
_SESSIONS = frozenset("s sid sess session sessionid session_id sessid zenid oscsid".split())
_TOKEN = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z,-]{20,128}")
_FRESH = frozenset("_ _t t ts _ts r _r rnd rand random timestamp nocache _dc cb time".split())
_RANDOM, _MILLISECONDS = re.compile(r"0\.\d{6,}"), re.compile(r"1[0-9]{12}")
# Servlets write the session behind the path, ASP.NET without cookies before it: /(S(lit3py55t21z5v55vlm25))/a.aspx.
PATH_SESSION = re.compile(r";jsessionid=[^;/?#]*|/\((?:[A-Z]\([^()/?#]{1,200}\)){1,4}\)(?=/)", re.IGNORECASE)
# What WeChat puts behind an address that is shared there.
_SHARED = frozenset("from=timeline from=singlemessage from=groupmessage isappinstalled=0 isappinstalled=1".split())
_TRACKING_PREFIXES = ("utm_", "hmsr", "hmpl", "hmcu", "hmkw", "hmci")
_DEFAULT_PORTS = {"http": 80, "https": 443}
# An escape, or a character that has to become one.
_TO_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9/:@!$&'()*+,;=~._-]")
# Canonical already, but for the query's tracking parameters and the fragment.
_PLAIN = re.compile(
    r"(https?://[a-z0-9._-]*[a-z0-9_-](?::(?!80/|443/)[1-9][0-9]{0,3}|:[1-5][0-9]{4})?/[A-Za-z0-9/:@!$&'()*+,;=~._-]*)"
    r"(?:\?([A-Za-z0-9/:@!$&'()*+,;=~._%?-]*))?(?:#[^\x00-\x1f\x7f]*)?"
)
# A host as canonical addresses have it, without a port; it is asked for some ten times of each link.
_PLAIN_HOST = re.compile(r"https?://([a-z0-9][a-z0-9._-]{0,252}[a-z0-9])(?=[/?#])[^\s\[\]]*\Z")
# Before a second address, and what a person copies along with one.
_SECOND_TYPED, _AROUND_TYPED = re.compile(r"[\s,;|]https?://"), " \t\r\n<>\"'“”‘’«»「」《》"
_FRONT = re.compile(r"/?(?:(?:index|default|home)(?:\.\w{2,5})?)?", re.I)
# What a logo's or menu's link, or a bookmark, says of its reader: /?from=menu, /?source=post_page.
_CAME_FROM = re.compile(r"(?:(?:ref\w{0,12}|from|source|src|origin|via)=[^&]{0,80}(?:&|\Z))*", re.I)
MAX_URL_LENGTH = 2048


def canonical_url(url: str) -> str:
    """The form of a URL under which a page is known.

    Lower-case scheme and host (IDNA), no default port, userinfo, fragment, session or tracking parameter; path
    percent-encoding normalised; the order of the remaining parameters is kept, because some sites read it.

    Raises:
        RefusedError: not http(s), no host, an impossible port, a control character, half of a surrogate pair, or over
            2,048 characters.
    """
    url = url.strip()
    if len(url) > MAX_URL_LENGTH:
        raise RefusedError("url_too_long", url[:80])
    url = without_session(url)
    # Four links of five on the corpus' pages are in this form already, but for a fragment or tracking parameters.
    if plain := _PLAIN.fullmatch(url):
        address, query = plain.groups()
        if not query:
            return address
        kept = _keep(query)
        return f"{address}?{kept}" if kept else address
    if any(ch < " " or ch == "\x7f" for ch in url):
        raise RefusedError("url_control_character", repr(url[:80]))
    parts, port = _split(url)
    host = _ascii_host(parts.hostname or "", url)
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        netloc += f":{port}"
    try:
        path = _normalise_escapes(parts.path) or "/"
        return urlunsplit((parts.scheme, netloc, path, _clean_query(parts.query), ""))
    except UnicodeEncodeError:  # half of a surrogate pair, as JSON may have it
        raise RefusedError("url_invalid", repr(url[:80])) from None


def without_session(url: str) -> str:
    """A URL without the session's id in its path."""
    return PATH_SESSION.sub("", url) if ";" in url or "/(" in url else url


def canonical_or_none(url: str | None) -> str | None:
    """The canonical form of a URL that a page states; None where there is none, or it is refused."""
    try:
        return canonical_url(url) if url else None
    except RefusedError:
        return None


def joined(base: str, url: str) -> str:
    """The absolute address, "" where it is none of the web."""
    try:
        joined = urljoin(base, url)
        return joined if urlsplit(joined).scheme in ("http", "https") else ""
    except ValueError:
        return ""


def asking(url: str, query: str) -> str:
    """An address with a parameter more."""
    return f"{url}{'&' if '?' in url else '?'}{query}"


def typed_url(text: str) -> str:
    """The canonical form of an address that a person typed; without a scheme one of https, a site's without a query.

    Raises:
        ConfigError: it is none; says what one looks like.
    """
    text = text.strip(_AROUND_TYPED)
    if _SECOND_TYPED.search(text):
        raise ConfigError(f"{text[:200]}: expected one address; of several sites, each is a [[site]] of a job file")
    try:
        if (
            "://" not in text
            and "." not in (host := text.partition("/")[0])
            and host.partition(":")[0] != "localhost"
            and host[:1] != "["
        ):
            raise RefusedError("no scheme, and no dot in its host")
        url = canonical_url(text if "://" in text else f"https://{text}")
        return url.partition("?")[0] if is_front(url) else url
    except RefusedError as error:
        # The detail of what Python refuses ends with its words, such as "Port out of range 0-65535".
        why = error.detail.rpartition(": ")[2] if ": " in error.detail else error.reason.replace("_", " ")
        said = f"{text[:200]}: expected an http or https address, such as https://news.example/ ({why})"
        raise ConfigError(said) from None


def _split(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise RefusedError("url_invalid", f"{url[:80]}: {error}") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise RefusedError("url_not_http", url[:80])
    if not parts.hostname:
        raise RefusedError("url_without_host", url[:80])
    return parts, port


def _ascii_host(host: str, url: str) -> str:
    host = host.rstrip(".").lower()
    if host.isascii():
        if not host or " " in host or "%" in host:
            raise RefusedError("url_invalid", url[:80])
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        raise RefusedError("url_invalid", url[:80]) from None


def _normalise_escapes(path: str) -> str:
    return _TO_ESCAPE.sub(_escape, path)


def _escape(match: re.Match[str]) -> str:
    pair = match[1]
    if pair is None:
        return quote(match[0], safe="", errors="surrogateescape")
    char = chr(int(pair, 16))
    return char if char.isascii() and (char.isalnum() or char in "-._~") else f"%{pair.upper()}"


def _clean_query(query: str) -> str:
    return quote(_keep(query), safe="/:@!$&'()*+,;=~-._%?", errors="surrogateescape") if query else ""


def _keep(query: str) -> str:
    return "&".join([p for p in query.split("&") if p and not _is_idle(p)])


def _is_idle(pair: str) -> bool:
    """Whether a parameter says where a click came from, whose session it is, or nothing at all, on any site."""
    name, _, value = pair.partition("=")
    name = name.lower()
    if name in TRACKING_PARAMETERS or name.startswith(_TRACKING_PREFIXES):
        return True
    if len(value) < 8 or pair in _SHARED:
        return pair in _SHARED
    return (
        _RANDOM.fullmatch(value) is not None
        or (name in _SESSIONS and _TOKEN.fullmatch(value) is not None)
        or (name in _FRESH and _MILLISECONDS.fullmatch(value) is not None)
    )


def page_key(canonical: str) -> int:
    """The 64-bit identity of a page: BLAKE2b of its canonical URL.

    The scheme is left out, so that a site's move from http to https does not make every page new. At 100
    million pages the chance of any collision is about 0.03%.
    """
    _, _, rest = canonical.partition("://")
    return int.from_bytes(blake2b(rest.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def parent_hash(parent_url: str | None) -> int:
    """The page key of the page a link was found on; 0 where there is none (seeds, list pages)."""
    return page_key(canonical_url(parent_url)) if parent_url else 0


def origin_of(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def is_front(url: str) -> bool:
    """Whether an address is of a whole site: no folder, at most a file for it, and where a reader came from."""
    parts = urlsplit(url)
    return _FRONT.fullmatch(parts.path) is not None and _CAME_FROM.fullmatch(parts.query) is not None


def is_address(host: str) -> bool:
    """Whether a host is written as an IP address rather than a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def subdomain(url: str) -> str:
    """The full host name (with a port that is not the scheme's own): design C's "subdomain", the slot's host."""
    if (plain := _PLAIN_HOST.match(url)) is not None:
        return str(plain[1])
    parts, port = _split(url)
    host = _ascii_host(parts.hostname or "", url)
    return host if port is None or port == _DEFAULT_PORTS[parts.scheme] else f"{host}:{port}"


def or_unknown(url: str) -> str:
    """The address, or "", which is one that nobody knows, where no crawl could have had it."""
    try:
        site(url.encode().decode())
    except (RefusedError, ValueError):
        return ""
    return url


def site(url: str) -> str:
    """The registered domain (``bbc.co.uk`` of ``www.bbc.co.uk``); the host itself for addresses and bare names.

    Of a name whose suffix is on no list (an intranet, ``.test``, ``.localhost``) it is the last two labels: the list's
    own rule for what it does not know.
    """
    return site_of_host(subdomain(url))


def same_site(url: str, other: str) -> bool:
    """Whether two addresses are of pages of one site; no page's address is of any."""
    try:
        return site(url) == site(other)
    except RefusedError:
        return False


def spelled_as(url: str, other: str) -> str:
    """An address under another's scheme and host, where these differ by scheme and ``www.`` alone; else the address."""
    host, slash, rest = url.partition("://")[2].partition("/")
    scheme, _, there = other.partition("://")
    there = there.partition("/")[0]
    return f"{scheme}://{there}{slash}{rest}" if host.removeprefix("www.") == there.removeprefix("www.") else url


@functools.cache
def _suffixes() -> Any:
    # Imported here: with requests, which it would ask the network by, it takes 50 ms. The list is the bundled one.
    from tldextract import TLDExtract  # noqa: PLC0415

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


@functools.lru_cache(maxsize=65536)
def site_of_host(host: str) -> str:
    """The registered domain of a host; see ``site``."""
    name = host.partition(":")[0] if host.count(":") == 1 else host
    if is_address(name):
        return host
    found = _suffixes()(name)
    if not found.suffix and "." in name:
        return ".".join(name.split(".")[-2:])
    return str(found.top_domain_under_public_suffix or host)
