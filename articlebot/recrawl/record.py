"""How a page is laid out in Redis: state, job, URL and validators in one value; job and origin by their numbers."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

from articlebot.errors import StateError
from articlebot.recrawl.observation import Kind
from articlebot.recrawl.state import PageState
from articlebot.times import http_date, http_time

Form = Literal["auto", "list", "article", "feed", "sitemap", "document"]
FORMS: tuple[Form, ...] = get_args(Form)

# job number, what the URL begins and ends with and flags, form and signals, length of the state
_HEAD = struct.Struct(">HBBB")
# The form takes three bits of its byte, the signals since the last visit the upper half (``lua/signal.lua``). The bit
# between says that the number of the URL's origin follows: 238 bytes a page and not 257 (docs/benchmarks.md).
_FORM, _HAS_ORIGIN, _SIGNALS_AT = 0x07, 0x08, 4
_ORIGIN = struct.Struct(">H")
_U32 = struct.Struct(">I")
# How most URLs begin and end is told by the number of the pair: its lowest three bits, and the fourth above the flags.
_BEGINNINGS = (b"", b"https://www.", b"https://", b"http://www.", b"http://")
_ENDINGS = (b"", b".html", b"/")
_ENDS = [(beginning, ending) for ending in _ENDINGS for beginning in _BEGINNINGS]
_LOW, _HIGH = 0x07, 0x80
_HAS_ETAG, _HAS_DATE, _HAS_RAW_DATE, _HAS_LENGTH = 8, 16, 32, 64
# Longer entity tags are rare and would be paid for in every listpack that is scanned.
_MAX_VALIDATOR = 160


class Validators(NamedTuple):
    """What the last answer offered for a conditional request.

    Attributes:
        etag: the ETag header as sent, None where there was none (or over 160 bytes).
        last_modified: the Last-Modified header as sent.
        length: Content-Length in bytes.
    """

    etag: str | None = None
    last_modified: str | None = None
    length: int | None = None

    @classmethod
    def of(cls, header: Callable[[str], bytes | None]) -> Validators:
        """What the headers of an answer state; ``header`` gives one's value."""
        etag, modified, length = (_text(header(name)) for name in ("ETag", "Last-Modified", "Content-Length"))
        return cls(etag, modified, int(length) if length is not None and length.isdecimal() else None)

    @property
    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request."""
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value}


def _text(value: bytes | None) -> str | None:
    return value.decode("latin-1").strip() or None if value else None


class PageRecord(NamedTuple):
    """A page as the store keeps it.

    Attributes:
        key: page key, 64 bit.
        url: canonical URL.
        job: name of the job it belongs to.
        state: the page's state; ``fetches`` is 0 for a seed not yet visited.
        validators: for the next conditional request.
        form: what its request is to be treated as (``meta["articlebot"]["kind"]``).
        signals: bits of the signals of a change that came since its last visit, see ``recrawl.signals``.
    """

    key: int
    url: str
    job: str
    state: PageState
    validators: Validators = Validators()
    form: Form = "auto"
    signals: int = 0


class Seed(NamedTuple):
    """A page to follow from now on. ``form`` as in ``PageRecord``."""

    key: int
    url: str
    job: str
    kind: Kind = Kind.LIST
    form: Form = "auto"

    def record(self, now: float) -> PageRecord:
        """What is stored of it: it is due at once."""
        return PageRecord(self.key, self.url, self.job, PageState(self.kind, 0, 0, now, now, now), form=self.form)


def prefix_of(url: str) -> str:
    """Scheme, host and the slash behind it: what URLs of one site begin with; "" where a URL has no such beginning."""
    end = url.find("/", url.find("://") + 3)
    origin = url[: end + 1] if url.startswith("http") else ""
    return origin if origin.isascii() else ""


def pack_record(record: PageRecord, job_number: int, origin: str = "", origin_number: int | None = None) -> bytes:
    """The bytes of a record's hash value; the key is the field's name and not repeated.

    Args:
        record: the page.
        job_number: its job's.
        origin: what its URL begins with.
        origin_number: the number that is stored in its place, None to store the URL as it is.
    """
    form, named, rest = FORMS.index(record.form) | record.signals << _SIGNALS_AT, b"", record.url
    if origin_number is not None:
        form, named, rest = form | _HAS_ORIGIN, _ORIGIN.pack(origin_number), rest[len(origin) :]
    url = rest.encode("utf-8", "surrogateescape")
    beginning = next(i for i in (1, 2, 3, 4, 0) if url.startswith(_BEGINNINGS[i]))
    url = url[len(_BEGINNINGS[beginning]) :]
    ending = next(i for i in (1, 2, 0) if url.endswith(_ENDINGS[i]))
    url = url[: len(url) - len(_ENDINGS[ending])]
    pair = ending * len(_BEGINNINGS) + beginning
    flags = (pair & _LOW) | (_HIGH if pair > _LOW else 0)
    extra = b""
    if record.validators != (None, None, None):
        added, extra = _pack_validators(record.validators)
        flags |= added
    state = record.state.pack()
    return _HEAD.pack(job_number, flags, form, len(state)) + named + state + extra + url


def named_in(packed: bytes) -> tuple[int, int | None]:
    """The numbers in a record: of its job, and of its URL's origin, None where the URL is stored whole.

    Raises:
        StateError: the value is damaged.
    """
    try:
        job_number, _, form, _ = _HEAD.unpack_from(packed)
        return job_number, _ORIGIN.unpack_from(packed, _HEAD.size)[0] if form & _HAS_ORIGIN else None
    except struct.error as error:
        raise _damaged(packed, error) from None


def unpack_record(key: int, packed: bytes, job: str, origin: str) -> PageRecord:
    """The page of a hash value; ``job`` and ``origin`` are what its numbers stand for (``named_in``).

    Raises:
        StateError: the value is damaged or of an unknown version.
    """
    try:
        _, flags, form, state_length = _HEAD.unpack_from(packed)
        start = _HEAD.size + (_ORIGIN.size if form & _HAS_ORIGIN else 0)
        offset = start + state_length
        state = PageState.unpack(packed[start:offset])
        validators, offset = _unpack_validators(packed, offset, flags) if flags & 0x78 else (Validators(), offset)
        beginning, ending = _ENDS[(flags & _LOW) | (flags & _HIGH) >> 4]
        url = origin + (beginning + packed[offset:] + ending).decode("utf-8", "surrogateescape")
        return PageRecord(key, url, job, state, validators, FORMS[form & _FORM], form >> _SIGNALS_AT)
    except (struct.error, IndexError) as error:
        raise _damaged(packed, error) from None


def _damaged(packed: bytes, error: Exception) -> StateError:
    return StateError(f"page record of {len(packed)} bytes is damaged: {error}")


def _pack_validators(validators: Validators) -> tuple[int, bytes]:
    flags, out = 0, b""
    etag = (validators.etag or "").encode("utf-8", "surrogateescape")
    if 0 < len(etag) <= _MAX_VALIDATOR:
        flags |= _HAS_ETAG
        out += bytes((len(etag),)) + etag
    if validators.last_modified:
        seconds = _exact_seconds(validators.last_modified)
        raw = validators.last_modified.encode("utf-8", "surrogateescape")
        if seconds is not None:
            flags |= _HAS_DATE
            out += _U32.pack(seconds)
        elif len(raw) <= _MAX_VALIDATOR:
            flags |= _HAS_RAW_DATE
            out += bytes((len(raw),)) + raw
    if validators.length is not None and 0 <= validators.length <= 0xFFFFFFFF:
        flags |= _HAS_LENGTH
        out += _U32.pack(validators.length)
    return flags, out


def _unpack_validators(packed: bytes, offset: int, flags: int) -> tuple[Validators, int]:
    etag = last_modified = length = None
    if flags & _HAS_ETAG:
        end = offset + 1 + packed[offset]
        etag, offset = packed[offset + 1 : end].decode("utf-8", "surrogateescape"), end
    if flags & _HAS_DATE:
        (seconds,) = _U32.unpack_from(packed, offset)
        last_modified, offset = http_date(seconds), offset + 4
    elif flags & _HAS_RAW_DATE:
        end = offset + 1 + packed[offset]
        last_modified, offset = packed[offset + 1 : end].decode("utf-8", "surrogateescape"), end
    if flags & _HAS_LENGTH:
        (length,) = _U32.unpack_from(packed, offset)
        offset += 4
    return Validators(etag, last_modified, length), offset


def _exact_seconds(header: str) -> int | None:
    """Epoch seconds of an HTTP date that formatting gives back letter by letter, else None: some servers compare."""
    at = http_time(header)
    return int(at) if at is not None and 0 <= at <= 0xFFFFFFFF and http_date(at) == header else None
