"""Where things are kept, what runs beside the crawl, and who is told."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator

from articlebot.config.section import Listed, Section
from articlebot.errors import ConfigError


class General(Section):
    """Where things are kept."""

    data_dir: Path = Field(Path("data"), description="Folder for everything that articlebot writes.")
    redis_url: str | None = Field(
        None,
        description="Shared Redis: redis://host:6379/0, redis+sentinel://host,host/service/0 or "
        "redis+cluster://host,host; rediss with TLS. Absent: a private server in the data folder.",
    )
    database_url: str | None = Field(
        None, description="SQLAlchemy URL of the archive. Absent: SQLite in the data folder."
    )
    segmenter: Literal["rjieba", "jieba"] = Field(
        "rjieba",
        description="Package that cuts Chinese into words. Both find the same; jieba itself takes ten times as long.",
    )
    allow_private: bool = Field(False, description="Fetch from addresses of private networks too.")
    progress_s: float = Field(
        10.0, ge=0, le=3600, description="Seconds between two lines of progress on standard error; 0: none."
    )
    key_prefix: str = Field(
        "articlebot", pattern=r"^[\w.-]+$", max_length=40, validate_default=True,
        description="First part of every Redis key, there in braces: what they enclose names the slot of a cluster.",
    )  # fmt: skip

    def archive_url(self) -> str:
        """SQLAlchemy URL of the archive; the folder of its file is made."""
        if self.database_url:
            return self.database_url
        self.data_dir.mkdir(parents=True, exist_ok=True)
        return f"sqlite:///{(self.data_dir / 'archive.db').absolute()}"

    @field_validator("redis_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None:
            from articlebot.address import parse  # noqa: PLC0415 - Redis' client, where no Redis is asked

            try:
                parse(value)
            except ConfigError as error:
                raise ValueError(str(error)) from None
        return value

    @field_validator("key_prefix")
    @classmethod
    def _in_braces(cls, value: str) -> str:
        return f"{{{value}}}"


class Operations(Section):
    """Runs and their logs."""

    lock: Literal["folder", "redis", "none"] = Field(
        "folder",
        description="Where a run that ends by itself keeps its lock, so that the next one with the same arguments "
        "does not begin beside it. folder: in the data folder. redis: for several machines. none: no lock.",
    )
    report: str = Field(
        "last-run.json", pattern=r"^[\w.-]+$", max_length=100,
        description="File of the data folder that a run leaves its counts in; each worker of scrapy run has its own.",
    )  # fmt: skip
    json_logs: bool = Field(
        False, description="Write the log as JSON, an object a line, from when the spider is opened."
    )


AddonPart = Literal[
    "frontier", "recrawl", "addresses", "change", "neardup", "classify", "publish", "summary", "metrics", "json_logs"
]


class Addon(Section):
    """For other Scrapy projects that use parts of articlebot, see docs/how-to/operations.md."""

    parts: Listed[AddonPart] = Field(
        ("frontier",),
        description="Parts that the add-on switches on: frontier, recrawl, addresses, change, neardup, classify, "
        "publish, summary, metrics, json_logs; JSON, or by commas.",
    )


class Metrics(Section):
    """Numbers for Prometheus."""

    port: int | None = Field(
        None, ge=0, le=65535, description="Port that answers /metrics; 0 takes a free one. Absent: nothing listens."
    )
    address: str = Field("127.0.0.1", description="Address to listen on; the endpoint asks nobody who they are.")


class Alerts(Section):
    """Who is told when something begins that a person should look at, and when it ends (docs/how-to/operations.md)."""

    url: SecretStr | None = Field(
        None, description="Webhook that is told, once for each event and once when it is over. Absent: the log only."
    )
    command: str | None = Field(
        None,
        description="Command that is told the same, such as one that sends mail: run without a shell, the message as "
        "JSON on its standard input, {subject} and {text} among its arguments filled in. It has 30 s.",
    )
    secret: SecretStr | None = Field(
        None, description="Key of the messages' signature, as of the webhook sink. Absent: unsigned."
    )
    check_s: float = Field(60, ge=0.2, le=86_400, description="Seconds between two looks.")

    @field_validator("command")
    @classmethod
    def _can_be_split(cls, value: str | None) -> str | None:
        if value is not None and not shlex.split(value):  # raises ValueError where a quote is not closed
            raise ValueError("expected a command")
        return value


class Console(Section):
    """The web console, `scrapy console`."""

    host: str = Field("127.0.0.1", description="Address to listen on, and the name it is then opened by.")
    port: int = Field(8765, ge=0, le=65_535, description="Port to listen on; 0: a free one.")
    token: SecretStr | None = Field(
        None,
        min_length=16,
        description="Token of the console's link, 16 characters or more. Absent: a new one a start.",
    )
    images: bool = Field(
        False,
        description="Lists of articles show lead images, which the reader's browser fetches from the sites.",
    )
