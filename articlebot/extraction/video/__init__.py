"""Video pages: which parser of which domain reads them, and the real media addresses they hold."""

from articlebot.extraction.video.generic import GenericParser
from articlebot.extraction.video.model import Media, VideoFound, VideoParser
from articlebot.extraction.video.registry import Registry

__all__ = ["GenericParser", "Media", "Registry", "VideoFound", "VideoParser"]
