"""A dask cluster of two workers: prints its address and their process numbers; ends with its standard input."""

from __future__ import annotations

import json
import os
import sys

from distributed import Client, LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        with Client(cluster) as client:
            workers = list(client.run(os.getpid).values())
        print(json.dumps({"address": cluster.scheduler_address.removeprefix("tcp://"), "workers": workers}), flush=True)
        sys.stdin.read()
