"""Sinks as the setting ``ARTICLEBOT_PUBLISHING_SINKS`` describes them, and the objects made of that."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from articlebot.errors import ConfigError
from articlebot.publishing.routes import Routes, Rule
from articlebot.publishing.sink import Sink
from articlebot.publishing.sinks.jsonlines import JsonLines


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

    def build(self, folder: Path) -> Sink:
        return JsonLines(folder / self.path, max_bytes=int(self.max_mb * (1 << 20)), compress=self.compress)


class ClassSpec(_Spec):
    """``{"type": "class", "class": "package.module.Name", "options": {…}}``: a sink of one's own."""

    type: Literal["class"]
    path: str = Field(alias="class")
    options: dict[str, Any] = {}

    def build(self, folder: Path) -> Sink:
        module, _, name = self.path.rpartition(".")
        try:
            sink: Sink = getattr(importlib.import_module(module), name)(**self.options)
        except (ImportError, AttributeError, ValueError, TypeError) as error:
            raise ConfigError(f"the sink class {self.path} cannot be made: {error}") from None
        return sink


Spec = Annotated[JsonLinesSpec | ClassSpec, Field(discriminator="type")]
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
    specs: Mapping[str, Mapping[str, Any]], folder: Path, job_sinks: Mapping[str, Sequence[str]] | None = None
) -> Sinks:
    """The sinks of the configuration.

    Args:
        specs: by name, as in ``ARTICLEBOT_PUBLISHING_SINKS``.
        folder: where relative paths begin.
        job_sinks: the names each job's file gives.

    Raises:
        ConfigError: an unknown key, type or class, or a job that names a sink which is not configured.
    """
    try:
        known = _adapter.validate_python(specs)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"ARTICLEBOT_PUBLISHING_SINKS: {where}: {first['msg']} (got {first['input']!r})") from None
    for job, names in (job_sinks or {}).items():
        for name in names:
            if name not in known:
                raise ConfigError(
                    f"the job {job} names the sink {name!r}; configured are: {', '.join(known) or 'none'}"
                )
    rules = {name: spec.rule() for name, spec in known.items()}
    return Sinks({name: spec.build(folder) for name, spec in known.items()}, Routes(rules, job_sinks or {}))
