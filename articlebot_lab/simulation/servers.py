"""The Redis of a schedule: real servers, of which one answers; a restart and a fail-over go on with the next one."""

from __future__ import annotations

import re
import socket
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from articlebot.frontier.scripts import digest, source
from articlebot.runtime.throwaway_redis import ThrowawayRedis

# One more than the restarts of a schedule: a server that came back twice would be taken for one that never went.
SERVERS = 4
SCRIPTS = ("admit", "drop", "hold", "mark", "reap", "reconcile", "settle", "take", "turn")
_READS = frozenset(
    {b"GET", b"HGET", b"HGETALL", b"HKEYS", b"EXISTS", b"ZRANGE", b"ZCARD", b"HMGET", b"HLEN", b"SCRIPT"}
)
_DUMP = """
local out = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key).ok
  out[#out + 1], out[#out + 2] = key, kind
  if kind == 'hash' then out[#out + 1] = redis.call('HGETALL', key)
  elseif kind == 'zset' then out[#out + 1] = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  elseif kind == 'set' then out[#out + 1] = redis.call('SMEMBERS', key)
  else out[#out + 1] = redis.call('GET', key) end
end
return out"""


class Refusal(str):
    """The text of an error that Redis answers with."""

    __slots__ = ()


class Written(NamedTuple):
    """A command that has changed the store: when, of which shard, and what was sent; the words beside for the books."""

    at: float
    shared: str
    packed: bytes
    words: list[bytes]
    reply: Any


class Servers:
    """Private servers for any number of schedules, one after the other.

    Args:
        changed: texts of scripts that stand in for the product's own, by name (to see that a fault is found).
    """

    def __init__(self, changed: Mapping[str, str] | None = None) -> None:
        self._folder = tempfile.mkdtemp(prefix="articlebot-simulation-")
        self._servers = [ThrowawayRedis(Path(tempfile.mkdtemp(dir=self._folder)) / "redis") for _ in range(SERVERS)]
        self._lines = [_Line(server.acquire()) for server in self._servers]
        self._stand_ins: dict[bytes, tuple[bytes, bytes]] = {}
        self.change(changed or {})
        for line in self._lines:
            line.ask(["CONFIG", "SET", "hash-max-ziplist-entries", "128"])
            line.ask(["CONFIG", "SET", "hash-max-ziplist-value", "1024"])
        self.starts = 0
        self.log: list[Written] = []

    def change(self, texts: Mapping[str, str]) -> None:
        """Lets these texts stand in for the product's scripts from the next schedule on."""
        self._texts = {name: texts.get(name, source(name)).encode() for name in SCRIPTS}
        self._known = {digest(name).encode(): name for name in SCRIPTS}
        self._by_source = {source(name).encode(): name for name in SCRIPTS}
        self._shas: dict[tuple[int, str], bytes] = {}

    def __enter__(self) -> Servers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for line, server in zip(self._lines, self._servers, strict=True):
            line.close()
            server.release()
        Path(self._folder).rmdir()

    # -- one schedule -------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Empties all; the first server answers."""
        self.starts, self.log = 0, []
        self._loaded: set[str] = set()
        for line in self._lines:
            line.ask(["FLUSHALL"])
        self.fill(False)

    @property
    def _line(self) -> _Line:
        return self._lines[self.starts]

    @property
    def run_id(self) -> bytes:
        """The name of the server that answers, by which a restart is told."""
        return self._line.run_id

    def execute(self, words: list[bytes], at: float) -> Any:
        """Runs one command at the server's time ``at``; the answer."""
        if words[0] == b"SCRIPT":
            return self._load(words)
        if words[0] == b"EVALSHA":
            name = self._known[words[1]]
            if name not in self._loaded:
                return Refusal("NOSCRIPT No matching script.")
            words = [words[0], self._sha(name), *words[2:]]
            if words[5] == b"":  # the scripts' first argument: a time, or that the server's own is meant
                words[5] = b"%.6f" % at
        shared = words[4].decode() if words[0] == b"EVALSHA" else ""
        packed = pack(words)
        value = self._line.send(packed, 1)[0]
        if words[0] not in _READS and not isinstance(value, Refusal):
            if words[0] == b"EVALSHA":
                if name == "settle" and words[10] == self._line.run_id:
                    # As another server loads it from the file, which has what the script did, not the script.
                    packed = pack([*words[:10], b"", *words[11:]])
                words = [name.encode(), *words[5:]]
            self.log.append(Written(at, shared, packed, words, value))
        return value

    def _load(self, words: list[bytes]) -> bytes:
        name = self._by_source[words[2]]
        self._loaded.add(name)
        self._sha(name)
        return digest(name).encode()

    def _sha(self, name: str) -> bytes:
        key = self.starts, name
        if key not in self._shas:
            answer = self._line.ask([b"SCRIPT", b"LOAD", self._texts[name]])
            if isinstance(answer, Refusal):
                raise ValueError(f"{name}: {answer}")
            self._shas[key] = answer
        return self._shas[key]

    @property
    def can_restart(self) -> bool:
        """Whether there is a further server."""
        return self.starts + 1 < SERVERS

    def restart(self, keep: int) -> list[Written]:
        """The next server goes on with the first ``keep`` changes; returns those that are lost."""
        lost, self.log = self.log[keep:], self.log[:keep]
        self.starts += 1
        self._loaded = set()
        for name in {one.words[0].decode() for one in self.log} & set(SCRIPTS):
            self._sha(name)
        self.fill(False)
        for i in range(0, len(self.log), 50):
            chunk = self.log[i : i + 50]
            self._line.send(b"".join(one.packed for one in chunk), len(chunk))
        return lost

    def fill(self, full: bool) -> None:
        """Sets the memory limit below what is used, or lifts it."""
        self._line.ask(["CONFIG", "SET", "maxmemory", "1" if full else "0"])

    def dump(self) -> dict[str, Any]:
        """All keys: hashes and sorted sets as dicts (scores as floats), sets as sets."""
        flat = self._line.ask(["EVAL", _DUMP, "0"])
        if isinstance(flat, Refusal):
            raise RuntimeError(flat)
        found: dict[str, Any] = {}
        for i in range(0, len(flat), 3):
            key, kind, value = flat[i].decode("latin-1"), flat[i + 1], flat[i + 2]
            if kind == b"hash":
                value = dict(zip(value[::2], value[1::2], strict=True))
            elif kind == b"zset":
                value = dict(zip(value[::2], map(float, value[1::2]), strict=True))
            elif kind == b"set":
                value = set(value)
            found[key] = value
        return found


class _Line:
    """A blocking connection."""

    def __init__(self, url: str) -> None:
        path = re.sub(r"^unix://(.*)\?.*$", r"\1", url)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._buffer = b""
        found = re.search(rb"run_id:(\w+)", self.ask(["INFO", "server"]))
        self.run_id = found[1] if found else b""

    def close(self) -> None:
        self._socket.close()

    def ask(self, words: Sequence[bytes | str]) -> Any:
        packed = pack([word.encode() if isinstance(word, str) else word for word in words])
        return self.send(packed, 1)[0]

    def send(self, packed: bytes, answers: int) -> list[Any]:
        self._socket.sendall(packed)
        found: list[Any] = []
        while len(found) < answers:
            try:
                value, end = parse(self._buffer, 0)
            except IndexError:
                self._buffer += self._socket.recv(1 << 20)
                continue
            found.append(value)
            self._buffer = self._buffer[end:]
        return found


def pack(words: Sequence[bytes]) -> bytes:
    """A command as it is sent."""
    return b"*%d\r\n" % len(words) + b"".join([b"$%d\r\n%b\r\n" % (len(word), word) for word in words])


def parse(data: bytes, at: int) -> tuple[Any, int]:
    """The value of an answer (RESP 2) that begins at a place, and where it ends.

    Raises:
        IndexError: it is not complete.
    """
    end = data.find(b"\r\n", at)
    if end < 0:
        raise IndexError
    kind, text, end = data[at], data[at + 1 : end], end + 2
    if kind == 36:  # $
        size = int(text)
        if size < 0:
            return None, end
        if len(data) < end + size + 2:
            raise IndexError
        return data[end : end + size], end + size + 2
    if kind == 58:  # :
        return int(text), end
    if kind == 42:  # *
        values = []
        for _ in range(int(text)):
            value, end = parse(data, end)
            values.append(value)
        return values, end
    return (Refusal(text.decode()) if kind == 45 else text), end
