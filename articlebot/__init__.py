"""articlebot: follows article sites day and night and publishes each version of an article once."""

__version__ = "0.1.0"
