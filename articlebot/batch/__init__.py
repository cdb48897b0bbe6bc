"""Work over the archive: pure functions over batches, run by local processes or by dask.distributed.

A batch is a frozen value of plain values, so that it can go to another process or machine, and its text names it. A
result can be said in JSON. Results come in the order of the batches, and are the same whatever runs them.
"""

from articlebot.batch.engine import Engine, Local, open_engine
from articlebot.batch.journal import Journal

__all__ = ["Engine", "Journal", "Local", "open_engine"]
