"""Sinks as ``ARTICLEBOT_PUBLISHING_SINKS`` describes them: what each wants, and the objects made of that."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError, field_validator

from articlebot.errors import ConfigError
from articlebot.publishing.endpoint import Endpoint
from articlebot.publishing.sink import Sink
from articlebot.publishing.sinks.feeds import Feeds
from articlebot.publishing.sinks.jsonlines import JsonLines
from articlebot.publishing.sinks.kafka import Kafka
from articlebot.publishing.sinks.opensearch import OpenSearch
from articlebot.publishing.sinks.webhook import Webhook

_COLUMNS = {
    "jobs": "job", "sites": "site", "categories": "category", "languages": "language", "kinds": "kind",
    "roles": "cluster_role", "events": "event",
}  # fmt: skip


class Rule(BaseModel):
    """What one sink wants; an empty tuple wants everything. Names may hold ``*`` and ``?``.

    An article without a category or language matches only ``"-"`` or everything. ``roles`` of ``("single",
    "representative")`` send one story once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    jobs: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[Literal["article", "document", "video"], ...] = ()
    roles: tuple[Literal["single", "representative", "member"], ...] = ()
    events: tuple[Literal["new", "updated", "corrected", "withdrawn"], ...] = ()

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Whether a version's row matches."""
        return all(_matches(getattr(self, name), row[column]) for name, column in _COLUMNS.items())

    def wrote(self, folder: Path, file: Path) -> bool:
        """Whether a file is one of the sink's; ``folder``: where relative paths begin."""
        return False


def _matches(patterns: Sequence[str], value: str | None) -> bool:
    return not patterns or any(fnmatchcase("-" if value is None else value, pattern) for pattern in patterns)


class JsonLinesSpec(Rule):
    """``{"type": "jsonlines", "path": …, "max_mb": …, "compress": …}``; a relative path begins at the data folder."""

    type: Literal["jsonlines"]
    path: Path = Path("published/articles.jsonl")
    max_mb: float = Field(64, gt=0, le=65536)
    compress: bool = True

    @field_validator("path")
    @classmethod
    def _is_plain(cls, path: Path) -> Path:
        if path.suffix == ".gz":
            raise ValueError("the file grows as plain text: expected a name without .gz; full ones are packed")
        return path

    def wrote(self, folder: Path, file: Path) -> bool:
        own = folder / self.path  # full files lie beside it: articles-<time>-<number>.jsonl.gz
        return file.parent == own.parent and file.name.startswith(own.stem)

    def build(self, folder: Path, now: Callable[[], float]) -> Sink:
        return JsonLines(folder / self.path, max_bytes=int(self.max_mb * (1 << 20)), compress=self.compress)


_FEEDS = {"per", "entries", "title", "base_url", "each_version"}


class FeedsSpec(Rule):
    """``{"type": "feeds", "folder": …, "per": "job", …}``: Atom and JSON Feed files."""

    type: Literal["feeds"]
    folder: Path = Path("published/feeds")
    per: Literal["all", "job", "category", "site"] = "job"
    entries: int = Field(100, ge=1, le=10_000)
    title: str = "articlebot"
    base_url: str = ""
    each_version: bool = False

    def wrote(self, folder: Path, file: Path) -> bool:
        return folder / self.folder in file.parents

    def build(self, folder: Path, now: Callable[[], float]) -> Sink:
        return Feeds(folder / self.folder, **self.model_dump(include=_FEEDS))


class _HttpSpec(Rule):
    url: str
    headers: dict[str, SecretStr] = {}
    timeout_s: float = Field(20, gt=0, le=600)

    def endpoint(self) -> Endpoint:
        headers = {name: value.get_secret_value() for name, value in self.headers.items()}
        return Endpoint(self.url, headers, self.timeout_s)


class WebhookSpec(_HttpSpec):
    """``{"type": "webhook", "url": …, "secret": …}``."""

    type: Literal["webhook"]
    secret: SecretStr | None = None

    def build(self, folder: Path, now: Callable[[], float]) -> Sink:
        return Webhook(self.endpoint(), self.secret.get_secret_value() if self.secret else None, now)


class OpenSearchSpec(_HttpSpec):
    """``{"type": "opensearch", "url": …, "index": …}``; Elasticsearch too."""

    type: Literal["opensearch"]
    index: str = Field("articles", pattern=r"^[a-z0-9][a-z0-9._-]{0,200}$")
    withdrawn: Literal["keep", "delete"] = "keep"

    def build(self, folder: Path, now: Callable[[], float]) -> Sink:
        return OpenSearch(self.endpoint(), self.index, self.withdrawn)


class KafkaSpec(Rule):
    """``{"type": "kafka", "topic": …, "producer": {"bootstrap.servers": …}}``; needs ``articlebot[kafka]``."""

    type: Literal["kafka"]
    topic: str = Field(pattern=r"^[A-Za-z0-9._-]{1,249}$")
    producer: dict[str, str | int | bool]
    timeout_s: float = Field(30, gt=0, le=600)

    def build(self, folder: Path, now: Callable[[], float]) -> Sink:
        return Kafka(self.topic, self.producer, self.timeout_s)


class ClassSpec(Rule):
    """``{"type": "class", "class": "package.module.Name", "options": {…}}``: a sink of one's own."""

    type: Literal["class"]
    path: str = Field(alias="class")
    options: dict[str, Any] = {}

    def build(self, folder: Path, now: Callable[[], float]) -> Sink:
        module, _, name = self.path.rpartition(".")
        try:
            sink: Sink = getattr(importlib.import_module(module), name)(**self.options)
        except (ImportError, AttributeError, ValueError, TypeError) as error:
            raise ConfigError(f"the sink class {self.path} cannot be made: {error}") from None
        return sink


Spec = Annotated[
    JsonLinesSpec | FeedsSpec | WebhookSpec | OpenSearchSpec | KafkaSpec | ClassSpec, Field(discriminator="type")
]
_adapter: TypeAdapter[dict[str, Spec]] = TypeAdapter(dict[str, Spec])


@dataclass(frozen=True, slots=True)
class Routes:
    """The sinks of a version: those its job names, or all, as far as their rules want it."""

    rules: Mapping[str, Rule]

    def __call__(self, row: Mapping[str, Any]) -> Iterable[str]:
        """Names of the sinks, for ``archive.Archive(route=…)``."""
        named = row["sinks"] or self.rules
        return [name for name in named if name in self.rules and self.rules[name].wants(row)]


@dataclass(frozen=True, slots=True)
class Sinks:
    """The configured sinks and the routes to them."""

    sinks: Mapping[str, Sink]
    routes: Routes

    def close(self) -> None:
        """Closes those sinks that hold something open."""
        for sink in self.sinks.values():
            if callable(close := getattr(sink, "close", None)):
                close()


def open_sinks(specs: Mapping[str, Mapping[str, Any]], folder: Path, now: Callable[[], float]) -> Sinks:
    """The sinks of the configuration.

    Args:
        specs: by name, as in ``ARTICLEBOT_PUBLISHING_SINKS``.
        folder: where relative paths begin.
        now: the clock.

    Raises:
        ConfigError: an unknown key, type or class.
    """
    known = rules_of(specs)
    return Sinks({name: spec.build(folder, now) for name, spec in known.items()}, Routes(known))


def rules_of(specs: Mapping[str, Mapping[str, Any]]) -> dict[str, Spec]:
    """What the configuration says of the sinks, by name; raises as ``open_sinks``."""
    try:
        return _adapter.validate_python(specs)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"ARTICLEBOT_PUBLISHING_SINKS: {where}: {first['msg']}") from None
