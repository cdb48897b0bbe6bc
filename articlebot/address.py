"""Where Redis is: what an address says, and which server is the master of a key just now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import redis
from redis.asyncio.connection import parse_url
from redis.crc import key_slot
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from articlebot.errors import ConfigError

_PORTS = {"sentinel": 26379, "cluster": 6379}
_ASK_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where Redis is.

    Args:
        kind: one server, or how the master is found.
        hosts: of Sentinels or of some of a cluster's nodes.
        service: the name under which Sentinel knows the master.
        options: what redis-py's connections to the master take.
        ask: what its connections to a Sentinel take.
    """

    kind: Literal["single", "sentinel", "cluster"]
    hosts: tuple[tuple[str, int], ...] = ()
    service: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    ask: dict[str, Any] = field(default_factory=dict)


def parse(url: str) -> Address:
    """The address that a URL names.

    Raises:
        ConfigError: it is none; the text does not repeat it, since it may hold a password.
    """
    scheme, _, how = url.partition("://")[0].partition("+")
    try:
        if not how:
            if "://" not in url:  # of which redis-py's two clients think differently
                raise ValueError
            parse_url(url)
            return Address("single")
        if scheme not in ("redis", "rediss") or how not in ("sentinel", "cluster"):
            raise ValueError
        return _of_several(url, scheme, "sentinel" if how == "sentinel" else "cluster")
    except ValueError:
        raise ConfigError(
            "expected redis://host:6379/0, redis+sentinel://host,host/service/0 or redis+cluster://host,host "
            "(rediss with TLS), or unix:///path"
        ) from None


def _of_several(url: str, scheme: str, how: Literal["sentinel", "cluster"]) -> Address:
    split = urlsplit(url)
    login, _, netloc = split.netloc.rpartition("@")
    hosts = tuple(_host(part, _PORTS[how]) for part in netloc.split(",") if part)
    path = [unquote(part) for part in split.path.split("/") if part]
    database = path[-1] if len(path) > (how == "sentinel") else "0"
    if not hosts or len(path) > (2 if how == "sentinel" else 1) or not database.isdigit():
        raise ValueError("hosts or path")
    if (how == "sentinel" and not path) or (how == "cluster" and database != "0"):
        raise ValueError("a service for Sentinel; a cluster has database 0 only")
    query = dict(parse_qsl(split.query))
    ask: dict[str, Any] = {
        name.removeprefix("sentinel_"): query.pop(name) for name in list(query) if name.startswith("sentinel_")
    }
    plain = f"{scheme}://{login + '@' if login else ''}host/{database}?{urlencode(query)}"
    options: dict[str, Any] = dict(parse_url(plain))
    options.pop("host")
    tls = options.pop("connection_class", None) is not None
    login_options: dict[str, Any] = {name: options[name] for name in options if name in ("username", "password")}
    certificates = {name: value for name, value in options.items() if name.startswith("ssl_")}
    if how == "cluster":
        options.pop("db", None)
        ask = {**login_options, **ask}
    return Address(how, hosts, path[0] if how == "sentinel" else "", {**options, "tls": tls},
                   {**certificates, **ask, "tls": tls})  # fmt: skip


def _host(text: str, port: int) -> tuple[str, int]:
    split = urlsplit(f"//{text}")
    if not split.hostname or split.path:
        raise ValueError("a host")
    return split.hostname, split.port or port


class Master:
    """Finds the master that has a key; asks one Sentinel or node after the other, the last that answered first.

    redis-py's cluster client reads CLUSTER SLOTS, which names a master that has failed until another is elected; the
    one here finds none meanwhile, so that nothing is written to a server that was cut off.
    """

    def __init__(self, address: Address, key: str) -> None:
        self._address = address
        self._slot = key_slot(key.encode())
        self._hosts = list(address.hosts)

    def __deepcopy__(self, memo: Any) -> Master:
        return self

    def find(self) -> tuple[str, int]:
        """Its host and port.

        Raises:
            redis.ConnectionError: nobody knows of one.
        """
        why = "none of them answers"
        for host in list(self._hosts):
            try:
                found = self._ask(*host)
            except (RedisError, OSError) as error:
                why = str(error)
                continue
            if found is not None:
                self._hosts.sort(key=lambda other: other != host)
                return found
            why = f"{host[0]}:{host[1]} knows of none"
        raise RedisConnectionError(f"no Redis master is to be found: {why}")

    def _ask(self, host: str, port: int) -> tuple[str, int] | None:
        if self._address.kind == "sentinel":
            answer = self._answer(host, port, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._address.service)
            return (answer[0].decode(), int(answer[1])) if answer else None
        owner, nodes = owner_of(self._answer(host, port, "CLUSTER", "NODES").decode(), self._slot, host)
        self._hosts += [node for node in nodes if node not in self._hosts]
        return owner

    def _answer(self, host: str, port: int, *command: str) -> Any:
        options = dict(self._address.ask)
        kind = redis.SSLConnection if options.pop("tls") else redis.Connection
        made: Any = kind(host=host, port=port, socket_timeout=_ASK_TIMEOUT_S, protocol=2,
                         socket_connect_timeout=_ASK_TIMEOUT_S, **options)  # fmt: skip
        try:
            made.connect()
            made.send_command(*command)
            return made.read_response()
        finally:
            made.disconnect()


def owner_of(nodes: str, slot: int, asked: str) -> tuple[tuple[str, int] | None, list[tuple[str, int]]]:
    """The master of a slot, None where it is failing or nobody has it, and all nodes, from ``CLUSTER NODES``.

    Args:
        nodes: the text.
        slot: 0 to 16,383.
        asked: the host that was asked, for a node that does not know its own address.
    """
    owner, all_nodes = None, []
    for line in nodes.splitlines():
        fields = line.split(" ")
        if len(fields) < 8:
            continue
        flags = fields[2].split(",")
        endpoint = fields[1].partition("@")[0]
        host, _, port = endpoint.rpartition(":")
        if "noaddr" in flags or not port.isdigit():
            continue
        node = (host or asked, int(port))
        all_nodes.append(node)
        if "master" in flags and not {"fail", "fail?"} & set(flags) and _has(fields[8:], slot):
            owner = node
    return owner, all_nodes


def _has(ranges: Sequence[str], slot: int) -> bool:
    for text in ranges:
        first, _, last = text.partition("-")
        if first.isdigit() and int(first) <= slot <= int(last or first):
            return True
    return False
