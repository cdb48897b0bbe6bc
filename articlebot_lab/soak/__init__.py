"""The soak: a crawl at speed through faults, and the proof at its end that nothing was lost, doubled or leaked."""

from articlebot_lab.soak.run import Soak, soak
from articlebot_lab.soak.stores import PrivateStore, Store

__all__ = ["PrivateStore", "Soak", "Store", "soak"]
