"""What a video parser gives, and what one has to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from articlebot.page.page import Page

Format = Literal["file", "hls", "dash", "embed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """One address of a video: a file, an HLS or DASH manifest, or a player to be embedded.

    ``height`` in pixels and ``bitrate`` in bits per second, None where unknown.
    """

    url: str
    format: Format = "file"
    mime: str = ""
    height: int | None = None
    bitrate: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFound:
    """The video of a play page. ``published_at`` in epoch seconds, None where the page does not say."""

    title: str = ""
    description: str = ""
    media: tuple[Media, ...] = ()
    published_at: float | None = None
    parser: str = ""

    @property
    def addresses(self) -> tuple[str, ...]:
        """The media addresses: files and manifests first, players only where there is nothing else."""
        real = tuple(m.url for m in self.media if m.format != "embed")
        return real or tuple(m.url for m in self.media)


class VideoParser(Protocol):
    """Reads the play pages of some domains. A class of one's own needs these three and no base class.

    Attributes:
        name: what `VideoFound.parser` says.
        domains: registered domains or host names it reads; empty: any.
    """

    name: str
    domains: tuple[str, ...]

    def parse(self, page: Page) -> VideoFound | None:
        """The video of a page; None where the page is no play page. Must not raise for a page's content."""
        ...
