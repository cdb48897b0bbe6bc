"""How sites and their entry pages are found."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from articlebot.config.section import FromJson, Listed, Section


class Seeds(Section):
    """Finding sites and their entry pages."""

    engines: FromJson[tuple[dict[str, Any], ...]] = Field(
        (),
        description="Search engines for `scrapy crawl metasearch` (docs/how-to/seeds.md); JSON in the environment.",
    )
    max_pages: int = Field(60, ge=5, le=1000, description="Pages fetched at most to discover one site.")
    mine: bool = Field(
        True, description="Note which sites and list pages the crawled pages link to, for `scrapy seeds mine`."
    )
    topic: Path | None = Field(
        None,
        description="Topic file that mined candidates are ranked and judged by. Absent: by who links to them, and "
        "every article belongs.",
    )
    into: Path | None = Field(
        None,
        description="Folder for the job files of promoted candidates; best one that the crawl reads. Absent: mined/ in "
        "the data folder.",
    )

    # No setting: nobody needs to turn it.
    # Seconds; half of what a page of a crawl has (DOWNLOAD_TIMEOUT): nobody waits for one engine.
    timeout_s: ClassVar[float] = 15


class Browser(Section):
    """A headless Chromium for pages that are empty without their scripts, where `articlebot[browser]` is installed."""

    program: str | None = Field(
        None, description="Path of Chromium. Absent: `chromium` or `google-chrome` on PATH, else Playwright's own."
    )
    pages: int = Field(2, ge=0, le=32, description="Pages shown at once by each worker. 0: none ever.")
    seconds: float = Field(
        40, gt=0, le=300, description="Seconds in which a page has to be there; delays between its requests count."
    )
    memory_mb: int = Field(512, ge=64, le=8192, description="What the scripts of a page may hold.")

    @field_validator("program")
    @classmethod
    def _runs(cls, program: str | None) -> str | None:
        if program is not None and not os.access(program, os.X_OK):
            raise ValueError(f"{program} cannot be run")
        return program


class WebSub(Section):
    """Feeds whose hub pushes new entries."""

    port: int | None = Field(
        None, ge=0, le=65_535, description="Port that hubs call; 0 takes a free one. Absent: nothing listens."
    )
    address: str = Field("127.0.0.1", description="Address to listen on.")
    public_url: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#]+$",
        description="Address under which hubs reach the port, such as https://crawler.example. Needed unless the "
        "address is this machine's own.",
    )


Signal = Literal["noindex", "nofollow", "noarchive", "tdm-reservation", "ai-train"]


class Manners(Section):
    """What sites ask of those who use their pages, see docs/explanation/politeness.md."""

    obey: Listed[Signal] = Field(
        ("noindex", "nofollow"),
        description="Signals that are obeyed; JSON, or by commas. noindex, tdm-reservation, ai-train: a page that has "
        "it is not published. nofollow: its links are not taken. noarchive: neither its HTML nor its bytes are kept.",
    )
    tdmrep: bool = Field(True, description="Ask each host once a day for its reservations, /.well-known/tdmrep.json.")
