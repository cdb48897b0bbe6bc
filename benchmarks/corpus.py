"""The corpus of captured pages and its scoring script, read in place."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(os.environ.get("ARTICLEBOT_CORPUS", Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"))


@functools.cache
def evaluation() -> ModuleType:
    """The corpus' ``evaluate.py``."""
    spec = importlib.util.spec_from_file_location("corpus_evaluate", ROOT / "evaluate.py")
    assert spec is not None and spec.loader is not None, f"no corpus at {ROOT}; set ARTICLEBOT_CORPUS"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page_rows(sets: Sequence[str] | None = None, step: int = 1) -> Iterator[tuple[str, dict[str, Any], bytes]]:
    """Set, row and the page's bytes of every ``step``-th row; packed sets only where they are named."""
    for folder in sorted(path for path in (ROOT / "pages").iterdir() if path.is_dir()):
        if sets is not None and folder.name not in sets:
            continue
        lines = (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()
        for line in lines[::step]:
            row = json.loads(line)
            yield folder.name, row, (folder / row["html_path"]).read_bytes()
    for name in sets or ():
        if (packed := ROOT / "packed" / f"{name}.tar.xz").exists():
            yield from _packed_rows(packed, name, step)


def _packed_rows(packed: Path, name: str, step: int) -> Iterator[tuple[str, dict[str, Any], bytes]]:
    with tarfile.open(packed) as tar:
        held = {member.name: file.read() for member in tar if (file := tar.extractfile(member)) is not None}
    lines = held[f"{name}/pages.jsonl"].decode().splitlines()
    for row in map(json.loads, lines[::step]):
        yield name, row, held[f"{name}/{row['html_path']}"]
