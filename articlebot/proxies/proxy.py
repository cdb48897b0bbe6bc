"""The address of a proxy, with the name under which it is known and shown: never with its password."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from hashlib import blake2b
from urllib.parse import quote, unquote, urlsplit

from articlebot.errors import RefusedError
from articlebot.urls import is_address

# What Scrapy's download handler speaks to a proxy; a list may name others, which are counted and left out.
SCHEMES = ("http", "https")
_EXPECTED = "expected host:port, http://host:port or http://user:password@host:port"
_HOST_NAME = re.compile(
    r"(?=.{1,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
)
# host:port:user:password, as dealers write it
_ACCOUNT_BEHIND = re.compile(r"(?<![^\s/])([^\s:/@\[\]]+:\d{1,5}):[^\s/]\S*")
_USERINFO = re.compile(r"//[^/@\s]*@")


@dataclass(frozen=True, slots=True)
class Proxy:
    """One proxy. Two accounts at one gateway are two proxies.

    Attributes:
        key: its name in the store and in every log and stat: the address, and of an account only a short hash.
    """

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def url(self) -> str:
        """The address with its credentials, for the download handler only."""
        account = f"{quote(self.user, safe='')}:{quote(self.password, safe='')}@" if self.user else ""
        return f"{self.scheme}://{account}{self._place}"

    @property
    def key(self) -> str:
        """The name; shows no credentials."""
        if not self.user:
            return f"{self.scheme}://{self._place}"
        account = blake2b(f"{self.user}:{self.password}".encode(), digest_size=3).hexdigest()
        return f"{self.scheme}://{self._place}#{account}"

    @property
    def masked(self) -> str:
        """The address as people may see it."""
        return f"{self.scheme}://***@{self._place}" if self.user else f"{self.scheme}://{self._place}"

    @property
    def _place(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str, *, allow_private: bool = False) -> Proxy:
        """The proxy of an address such as ``http://user:password@host:port`` or ``host:port``.

        Raises:
            RefusedError: it is none (``proxy_invalid``), speaks SOCKS (``proxy_socks``) or another protocol
                (``proxy_scheme``), or is at a private address (``proxy_private``); the detail shows no credentials.
        """
        text = text.strip()
        shown = mask(text)[:80]
        try:
            parts = urlsplit(text if "://" in text else f"http://{text}")
            port, host = parts.port, (parts.hostname or "").rstrip(".")
        except ValueError:
            raise RefusedError("proxy_invalid", f"{shown}: {_EXPECTED}") from None
        if parts.scheme.startswith("socks"):
            raise RefusedError("proxy_socks", f"{shown}: only HTTP proxies can be used, with CONNECT for https pages")
        if parts.scheme not in SCHEMES:
            raise RefusedError("proxy_scheme", f"{shown}: {_EXPECTED}")
        if not port or not host or parts.path.strip("/") or parts.query or not _is_host(host):
            raise RefusedError("proxy_invalid", f"{shown}: {_EXPECTED}")
        if not allow_private and is_private(host):
            hint = "ARTICLEBOT_PROXIES_ALLOW_PRIVATE=1 allows it"
            raise RefusedError("proxy_private", f"{shown} is at a private address; {hint}")
        return cls(parts.scheme, host, port, unquote(parts.username or ""), unquote(parts.password or ""))


def is_private(host: str) -> bool:
    """Whether a host is an address of a private network, or a name that only means something inside one."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost", ".lan", ".home.arpa"))
    return not (getattr(found, "ipv4_mapped", None) or found).is_global or found.is_multicast


def mask(text: str) -> str:
    """A text without the credentials of any address in it, before or behind the host."""
    text = _ACCOUNT_BEHIND.sub(r"\1:***", text)
    return _USERINFO.sub("//***@", text) if "://" in text else re.sub(r"^[^@\s]*@", "***@", text)


def _is_host(host: str) -> bool:
    if is_address(host):
        return True
    # All digits and dots but no address: a mangled one, not a name.
    return _HOST_NAME.fullmatch(host) is not None and not re.fullmatch(r"[\d.]+", host)
