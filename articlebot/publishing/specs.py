"""Sinks as the setting ``ARTICLEBOT_PUBLISHING_SINKS`` describes them, and the objects made of that."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError

from articlebot.errors import ConfigError
from articlebot.publishing.endpoint import Endpoint
from articlebot.publishing.routes import Routes, Rule
from articlebot.publishing.sink import Sink
from articlebot.publishing.sinks.feeds import Feeds
from articlebot.publishing.sinks.jsonlines import JsonLines
from articlebot.publishing.sinks.kafka import Kafka
from articlebot.publishing.sinks.opensearch import OpenSearch
from articlebot.publishing.sinks.webhook import Webhook


@dataclass(frozen=True, slots=True)
class Place:
    """What sinks are built with: the folder where relative paths begin, and the clock."""

    folder: Path
    now: Callable[[], float]


class _Spec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    jobs: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[Literal["article", "document", "video"], ...] = ()
    roles: tuple[Literal["single", "representative", "member"], ...] = ()
    events: tuple[Literal["new", "updated", "corrected", "withdrawn"], ...] = ()

    def rule(self) -> Rule:
        return Rule(**{name: getattr(self, name) for name in _Spec.model_fields})


class JsonLinesSpec(_Spec):
    """``{"type": "jsonlines", "path": …, "max_mb": …, "compress": …}``; a relative path begins at the data folder."""

    type: Literal["jsonlines"]
    path: Path = Path("published/articles.jsonl")
    max_mb: float = Field(64, gt=0, le=65536)
    compress: bool = True

    def build(self, place: Place) -> Sink:
        return JsonLines(place.folder / self.path, max_bytes=int(self.max_mb * (1 << 20)), compress=self.compress)


class FeedsSpec(_Spec):
    """``{"type": "feeds", "folder": …, "per": "job", …}``: Atom and JSON Feed files."""

    type: Literal["feeds"]
    folder: Path = Path("published/feeds")
    per: Literal["all", "job", "category", "site"] = "job"
    entries: int = Field(100, ge=1, le=10_000)
    title: str = "articlebot"
    base_url: str = ""
    each_version: bool = False

    def build(self, place: Place) -> Sink:
        return Feeds(
            place.folder / self.folder, per=self.per, entries=self.entries, title=self.title, base_url=self.base_url,
            each_version=self.each_version,
        )  # fmt: skip


class _HttpSpec(_Spec):
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

    def build(self, place: Place) -> Sink:
        return Webhook(self.endpoint(), self.secret.get_secret_value() if self.secret else None, place.now)


class OpenSearchSpec(_HttpSpec):
    """``{"type": "opensearch", "url": …, "index": …}``; Elasticsearch too."""

    type: Literal["opensearch"]
    index: str = Field("articles", pattern=r"^[a-z0-9][a-z0-9._-]{0,200}$")
    withdrawn: Literal["keep", "delete"] = "keep"

    def build(self, place: Place) -> Sink:
        return OpenSearch(self.endpoint(), self.index, self.withdrawn)


class KafkaSpec(_Spec):
    """``{"type": "kafka", "topic": …, "producer": {"bootstrap.servers": …}}``; needs ``articlebot[kafka]``."""

    type: Literal["kafka"]
    topic: str = Field(pattern=r"^[A-Za-z0-9._-]{1,249}$")
    producer: dict[str, str | int | bool]
    timeout_s: float = Field(30, gt=0, le=600)

    def build(self, place: Place) -> Sink:
        return Kafka(self.topic, self.producer, self.timeout_s)


class ClassSpec(_Spec):
    """``{"type": "class", "class": "package.module.Name", "options": {…}}``: a sink of one's own."""

    type: Literal["class"]
    path: str = Field(alias="class")
    options: dict[str, Any] = {}

    def build(self, place: Place) -> Sink:
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
class Sinks:
    """The configured sinks and the routes to them."""

    sinks: Mapping[str, Sink]
    routes: Routes

    def close(self) -> None:
        """Closes those sinks that hold something open."""
        for sink in self.sinks.values():
            if callable(close := getattr(sink, "close", None)):
                close()


def build(
    specs: Mapping[str, Mapping[str, Any]], place: Place, job_sinks: Mapping[str, Sequence[str]] | None = None
) -> Sinks:
    """The sinks of the configuration.

    Args:
        specs: by name, as in ``ARTICLEBOT_PUBLISHING_SINKS``.
        place: folder and clock.
        job_sinks: the names each job's file gives.

    Raises:
        ConfigError: an unknown key, type or class, or a job that names a sink which is not configured.
    """
    try:
        known = _adapter.validate_python(specs)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"ARTICLEBOT_PUBLISHING_SINKS: {where}: {first['msg']}") from None
    for job, names in (job_sinks or {}).items():
        for name in names:
            if name not in known:
                raise ConfigError(
                    f"the job {job} names the sink {name!r}; configured are: {', '.join(known) or 'none'}"
                )
    rules = {name: spec.rule() for name, spec in known.items()}
    return Sinks({name: spec.build(place) for name, spec in known.items()}, Routes(rules))
