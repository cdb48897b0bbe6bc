from __future__ import annotations

from hypothesis import settings

# The first example loads dictionaries, and the machine may be busy.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
