"""``--json`` of every command: one JSON document on standard output and nothing else; lines where rows are many."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.front_door.door import ROOT, Door
from tests.front_door.site import SmallSite, news

# What one command prints as one document, beside its figure for a person. {0} is the site, {1} the user's folder.
DOCUMENTS = """
backup {1}/kept.tar.gz
console tokens
console tokens add ann
console tokens revoke ann
restore {1}/kept.tar.gz --replace
classify --model {1}/model --data {1}/texts.jsonl
jobs intervals {1}/jobs.toml
jobs windows {1}/jobs.toml
doctor {0}/
explain {0}/2026/11/20/report-number-0.html
explain {0}/nobody-knows
extract {1}/page.html --url {0}/2026/11/20/report-number-0.html
extract --pages {1}/pages.jsonl --out {1}/predicted.jsonl
frontier quarantine
frontier requeue 00ff
frontier show
frontier visit {0}/2026/11/20/report-number-0.html
history {0}/2026/11/20/report-number-0.html
history --edits
jobs check {1}/jobs.toml {1}/wrong.toml
jobs list {1}/jobs.toml
jobs servers
classify judge {1}/topic.toml --labels {1}/judged.jsonl
classify label {1}/model {1}/corrections.jsonl --out {1}/model2
learn 127.0.0.1
outbox deliver
outbox drop --sink jsonlines
outbox fill --sink jsonlines
outbox retry
outbox show
frontier politeness
proxies add 8.8.8.8:80
proxies list --all
proxies remove 8.8.8.8:80
archive reextract
archive retention --days 1
search harbour
seeds add http://other.example/
seeds candidates
seeds discover {0}/
seeds drop other.example
seeds mine --dry-run
simulate {1}/trace.json --policy ratio
simulate --periods
status
classify train {1}/texts.jsonl --out {1}/model
wrappers forget 127.0.0.1
wrappers history 127.0.0.1
wrappers list
wrappers pin 127.0.0.1 newest
wrappers show 127.0.0.1
frontier purge --yes
"""
LINES = """
export
export --versions
neardup --docs {1}/docs.jsonl
"""
# The one is the crawl that fills the folder below, the other takes a minute: tests/lab/soak/test_soak.py types it.
ELSEWHERE = {"run", "soak"}


def _rows(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _files(door: Door, site: SmallSite) -> None:
    words = {"sport": "goal striker league", "finance": "stock bank bond"}
    page = site.pages["/2026/11/20/report-number-0.html"]
    assert isinstance(page, str)
    door.file("page.html", page)
    door.file("pages.jsonl", _rows({"id": "1", "html_path": "page.html", "url": f"{site.url}/1"}))
    door.file("jobs.toml", f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\n')
    door.file("wrong.toml", '[[site]]\nname = "town"\n')
    door.file("topic.toml", 'name = "cup"\nkeywords = ["goal"]\n')
    door.file("judged.jsonl", _rows(*({"text": "x", "relevance": r / 10, "relevant": r > 3} for r in (1, 2, 4, 5))))
    door.file("texts.jsonl", _rows(*({"text": f"{words[k]} {n}", "label": k} for n in range(10) for k in words)))
    door.file("corrections.jsonl", _rows({"title": "goal", "body": "league", "label": "sport"}))
    door.file("docs.jsonl", _rows({"id": 1, "text": "one " * 40}, {"id": 2, "text": "one " * 40}))
    pages = {f"idx/{n}": {"birth": 0, "end": None, "changes": [n * 5000.0 + 100]} for n in range(5)}
    door.file("trace.json", json.dumps({"name": "t", "kind": "mixed", "t0": 0, "t1": 1728000, "pages": pages}))


def _strict(text: str) -> Any:
    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_each_command_prints_one_document(door: Door) -> None:
    env = {"ARTICLEBOT_PUBLISHING_SINKS": '{"jsonlines": {"type": "jsonlines"}}', "ARTICLEBOT_SEEDS_MINE": "1"}
    wrong: dict[str, str] = {}
    with SmallSite(news(3)) as site:
        run = door.type("run", "--url", f"{site.url}/", "--json", env=env)
        assert run.returncode == 0, run.stderr[-2000:]
        assert _strict(run.stdout)["archive"]["articles"] == 3
        _files(door, site)
        wanted = [(line, False) for line in sorted(DOCUMENTS.split("\n"), key=_order) if line]
        wanted += [(line, True) for line in LINES.split("\n") if line]
        for line, many in wanted:
            done = door.type(*line.format(site.url, door.folder).split(), "--json", env=env)
            try:
                documents = [_strict(text) for text in (done.stdout.splitlines() if many else [done.stdout])]
                assert documents
            except ValueError as error:
                wrong[line] = f"{error}: {done.stdout[:300]} {done.stderr[-500:]}"
    assert wrong == {}


def _order(line: str) -> int:
    """The model first, which others read, and last what empties the queue."""
    return 0 if "train" in line else 2 if "purge" in line else 1


def test_each_command_with_json_is_typed_above() -> None:
    page = (ROOT / "docs/reference/commands.md").read_text("utf-8")
    having = {part.split("\n", 1)[0] for part in re.split(r"^## ", page, flags=re.M)[1:] if "| `--json` |" in part}
    assert len(having) > 15
    assert having == {line.split()[0] for line in (DOCUMENTS + LINES).split("\n") if line} | ELSEWHERE
