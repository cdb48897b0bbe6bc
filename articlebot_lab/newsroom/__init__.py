"""A small living world of news sites on loopback, for demonstration, tests and benchmarks.

Public names: `Newsroom` (a served world in a process of its own), `build` and `Server` (in process), `score` (archive
against truth).
"""

from __future__ import annotations

from articlebot_lab.newsroom.plot import build
from articlebot_lab.newsroom.process import Newsroom
from articlebot_lab.newsroom.score import score
from articlebot_lab.newsroom.server import Server
from articlebot_lab.newsroom.world import World

__all__ = ["Newsroom", "Server", "World", "build", "score"]
