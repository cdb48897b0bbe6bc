"""Whatever stands in the stores and in files: read, or refused by name."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from articlebot.address import owner_of, parse
from articlebot.classify import model_file, training
from articlebot.classify.labelled import Labelled
from articlebot.classify.taxonomy import load_taxonomy
from articlebot.config import Config
from articlebot.extraction.shapes import Shapes
from articlebot.extraction.wrapper.drift import Drift
from articlebot.extraction.wrapper.wrapper import Wrapper
from articlebot.frontier import envelope
from articlebot.frontier.crawl_log import Download
from articlebot.frontier.requests import to_request
from articlebot.jobs import load as load_jobs
from articlebot.jobs.learned import LearnedJobs
from articlebot.proxies.store import _load as load_proxy
from articlebot.recrawl.record import named_in, unpack_record
from articlebot.recrawl.state import PageState
from articlebot.recrawl.trust import Trust
from articlebot.relevance.threshold import read_threshold
from articlebot.seeds.candidates import load as load_candidate
from articlebot.spiders.article import ArticleSpider
from tests.fuzz.strategies import bounded, broken, fuzz, spoiled, urls, wild_json, wild_text
from tests.fuzz.test_input import WRAPPERS

REQUEST = {
    "v": 1, "u": "http://a.test/", "p": 3, "c": "parse", "e": None, "f": ["x"], "h": {"A": ["b"]}, "d": True,
    "m": {"articlebot": {"job": "j", "kind": "list", "parent": 5, "delay": 1.0, "depth": 1}}, "k": {"a": 1},
    "b": "eA==",
}  # fmt: skip
SPIDER = ArticleSpider(url="http://a.test/")


@fuzz
@given(spoiled(REQUEST) | wild_json)
def test_stored_requests(value: Any) -> None:
    with bounded():
        envelope.load(json.dumps(value))
    with bounded():
        to_request(json.dumps(value), SPIDER)


@fuzz
@given(broken(b"\x00\x01\x01\x00\x20" + PageState().pack() + b"a.test/x") | st.binary(max_size=120))
def test_page_states_and_records(packed: bytes) -> None:
    with bounded():
        PageState.unpack(packed)
    with bounded():
        named_in(packed)
    with bounded():
        unpack_record(0, packed, "job", "http://a.test/")


RULES = json.loads(WRAPPERS[0].to_json())


@fuzz
@given(spoiled(RULES) | wild_json)
def test_wrapper_files(value: Any) -> None:
    with bounded():
        Wrapper.from_json(json.dumps(value))


TEXTS = {
    "Drift": (Drift.from_json, '{"version": 1, "recent": [1, 0], "state": "good"}'),
    "Shapes": (Shapes.from_json, Shapes().to_json()),
    "Threshold": (read_threshold, '{"version": 1, "value": 0.2}'),
    "proxy": (load_proxy, '{"v": 1, "proxy": "http://a.test:1", "history": [[1, 0.5, null]], "source": "x"}'),
    "candidate": (load_candidate, '{"v": 1, "site": "a.test"}'),
    "download": (
        Download.from_line,
        '{"s": 1, "e": 2, "h": "a.test", "n": 1, "p": "00ff", "u": "http://a.test/", "d": 1}',
    ),
}


@pytest.mark.parametrize("name", TEXTS)
@fuzz
@given(st.data())
def test_kept_texts(name: str, data: st.DataObject) -> None:
    read, good = TEXTS[name]
    text = data.draw(
        spoiled(json.loads(good)).map(json.dumps) | wild_json.map(json.dumps) | wild_text
        | broken(good.encode()).map(lambda body: body.decode("utf-8", "replace"))
    )  # fmt: skip
    # A line of a crawl log that is none is a ValueError, which its reader passes over.
    with bounded(*([ValueError] if name == "download" else [])):
        read(text.encode() if name == "proxy" else text)  # type: ignore[arg-type]


@fuzz
@given(spoiled(Trust().to_json()) | wild_json)
def test_trust(value: Any) -> None:
    with bounded():
        Trust.from_json(value)


JOBS = """
[defaults]
interval = "15m"
[[site]]
name = "daily"
list_pages = ["https://a.test/"]
article_pattern = '/\\d{8}/'
windows = [{days = ["mon"], hours = "6-23"}]
freshness = "1h"
[site.selectors]
body = "//div"
"""
LEARNED = {
    "version": 1,
    "jobs": {"daily": {"windows": [{"days": ["mon"], "hours": "6-23"}], "interval": 60.0, "rounds": 5}},
}


@fuzz
@given(st.integers(0, 20), st.sampled_from(["x", "[[site]]", "name = 1", '"""', "= 3", "list_pages = [[1]]",
    "interval = nan",
       "windows = [{hours = '9-9'}]", "article_pattern = '('", "timezone = '\\u0000'", "interval = '1e99d'",
       "delay = -1",
       "interval = inf", "priority = 1e3", "freshness = 'soon'", "regions = ['//[']", "[site]",
       "a.b.c = 1979-05-27"]) | wild_text)  # fmt: skip
def test_job_files(place: int, line: str) -> None:
    lines = JOBS.splitlines()
    lines.insert(min(place, len(lines)), line)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "jobs.toml"
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
        with bounded():
            load_jobs([path])
        path.rename(Path(folder) / "taxonomy.toml")
        with bounded():
            load_taxonomy(Path(folder) / "taxonomy.toml")


@fuzz
@given(spoiled(LEARNED) | wild_json)
def test_learned_jobs(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "learned.json").write_text(json.dumps(value))
        with bounded():
            LearnedJobs.load(Path(folder)).get("daily")


@cache
def model() -> bytes:
    texts = [Labelled(("", f"{word} market number {n} grows"), (label,)) for n in range(12) for word, label in
             (("stocks", "economy"), ("goal", "sport"))]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.model"
        model_file.save(training.train(texts, seed=1).model, path)
        return path.read_bytes()


@fuzz
@given(st.data())
def test_model_files(data: st.DataObject) -> None:
    body = data.draw(broken(model()) | st.binary(max_size=200))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "b.model"
        path.write_bytes(body)
        with bounded():
            model_file.read(path)


@fuzz
@given(urls, wild_text)
def test_settings(address: str, text: str) -> None:
    for name in ("REDIS_URL", "ARTICLEBOT_KEY_PREFIX", "ARTICLEBOT_PUBLISHING_SINKS", "ARTICLEBOT_PROXIES_LISTS",
                 "ARTICLEBOT_SEEDS_ENGINES", "ARTICLEBOT_RECRAWL_SCALE"):  # fmt: skip
        for value in (address, text, f"[{text}", f"redis+cluster://{text}", f"redis+sentinel://{address}"):
            with bounded():
                Config.from_settings(Settings(), {name: value})
    with bounded():
        parse(f"rediss+cluster://{text}")
    with bounded():
        owner_of(text, 5, address)
