"""The laboratory: what demonstrates and measures articlebot, and is not needed where it runs.

`newsroom` is a living world of news sites on loopback, `soak` crawls it through faults, `recrawl` replays real change
histories against the recrawl policies, `demonstration` is what `scrapy run` shows. A distribution of its own,
articlebot-lab: `pip install ./articlebot_lab` in the source tree. articlebot never imports it, but for `scrapy run`.
"""

__version__ = "0.1.0"
