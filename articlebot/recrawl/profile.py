"""When in the week a site publishes."""

from __future__ import annotations


class Profile:
    """placeholder replaced below"""
