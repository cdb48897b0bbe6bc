"""Which workers have surely ended."""

from __future__ import annotations

import re
import subprocess
import sys

from articlebot.worker_names import ended, worker_name


def test_a_worker_that_has_ended_is_told_only_where_its_process_number_says_so() -> None:
    own = worker_name(0xABCDEF)
    told = "from articlebot.worker_names import worker_name; print(worker_name(7))"
    gone = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout.strip()
    host, number, last = gone.rsplit("-", 2)
    assert re.fullmatch(r"[0-9a-f]{14}", last)
    elsewhere = [
        f"other-{number}-{last}",
        f"{host}-{number}-00000000{last[-6:]}",
        f"{host}-{number}-000007",
        "odd",
        "a-b-c",
    ]
    names = [own, gone, f"{host}-1-{last}", *elsewhere]
    assert ended(names, own, of_one_machine=False) == [gone]
    assert ended(names, own, of_one_machine=True) == [gone, *elsewhere[:3]]
