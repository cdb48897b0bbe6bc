"""Exit codes, the same for every command, and the one line that says what it did."""

from __future__ import annotations

DONE = 0
WITH_ERRORS = 1
BAD_USE = 2
TRY_LATER = 75  # EX_TEMPFAIL of sysexits.h
