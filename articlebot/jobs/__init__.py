"""Jobs: what a user wants followed, one block of a TOML file per site."""

from articlebot.jobs.files import load
from articlebot.jobs.hours import Window
from articlebot.jobs.model import Job

__all__ = ["Job", "Window", "load"]
