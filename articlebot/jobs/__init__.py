"""Jobs: what a user wants followed, one block of a TOML file per site."""

from articlebot.jobs.files import load
from articlebot.jobs.model import Job, Window

__all__ = ["Job", "Window", "load"]
