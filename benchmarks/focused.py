"""A focused crawl over link graphs of real texts, without a network: harvest of each priority rule.

``python -m benchmarks.focused --seeds 5 [--rules blend,design,...] [--first-seed N] [--json]``

Each seed builds another web: real news titles with their human class labels make the pages (a headline and further
titles of its class as the text), on specialised sites and general ones. Article pages link to related ones, to the
popular and to their site's navigation; hub pages link to one class and say little themselves; portals link to
everything. A part of the anchors says nothing ("more", "click here"). The topic is one class, given by six example
texts and a few of their words; the crawl begins at four portals and two articles of the class.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import random
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from articlebot.items import Link
from articlebot.relevance.focus import Focus
from articlebot.relevance.judge import Judge
from articlebot.relevance.topic import Topic

ROOT = Path(__file__).resolve().parent.parent
PAGES = 5_000
BUDGET = 300
EXAMPLES = 6
SEEDS = {"portal": 4, "article": 2}
SAYING_NOTHING = "更多 详细 点击查看 [图] 首页 阅读全文 下一页 more 查看 >>".split()
RULES = "breadth page design anchor shark blend".split()


@dataclass(slots=True)
class Page:
    """A page of the simulated web."""

    url: str
    kind: str
    label: str
    title: str
    body: str
    links: list[Link]


@dataclass(frozen=True, slots=True)
class Web:
    """The pages and how links find them."""

    pages: list[Page]
    popular: list[Page]
    by_label: dict[str, list[Page]]
    by_site: dict[str, list[Page]]


def titles(path: Path) -> dict[str, list[str]]:
    """The labelled titles by class."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["label"], []).append(row["text"])
    return found


def build(texts: dict[str, list[str]], rng: random.Random, size: int = PAGES) -> list[Page]:
    """A web of pages with links."""
    labels = sorted(texts)
    stock = {label: rng.sample(rows, len(rows)) for label, rows in texts.items()}
    sites = [
        (f"s{n}.example{n % 7}.com", rng.choice(labels) if rng.random() < 0.5 else None) for n in range(size // 40)
    ]
    pages: list[Page] = []
    for n in range(size):
        host, special = rng.choice(sites)
        kind = "portal" if n % 40 == 0 else "hub" if n % 12 == 0 else "article"
        label = special if special is not None and rng.random() < 0.7 else rng.choice(labels)
        pages.append(Page(f"https://{host}/{kind}/{n}", kind, label, *_text(kind, label, labels, stock, rng), []))
    by_label: dict[str, list[Page]] = {label: [] for label in labels}
    by_site: dict[str, list[Page]] = {}
    for page in pages:
        by_label[page.label].append(page)
        by_site.setdefault(page.url.split("/")[2], []).append(page)
    web = Web(pages, rng.sample(pages, size // 50), by_label, by_site)
    for page in pages:
        _link(page, web, rng)
    return pages


def _text(kind: str, label: str, labels: list[str], stock: dict[str, list[str]], rng: random.Random) -> tuple[str, str]:
    if kind != "article":
        return rng.choice(["首页", "频道", "导航", "专题"]), " ".join(rng.sample(SAYING_NOTHING, 5))
    # A fifth of an article's text is about something else, as teasers and asides are.
    rows = [rng.choice(stock[label if rng.random() < 0.8 else rng.choice(labels)]) for _ in range(rng.randint(3, 7))]
    return rng.choice(stock[label]), "。".join(rows)


def _link(page: Page, web: Web, rng: random.Random) -> None:
    own = web.by_site[page.url.split("/")[2]]
    for _ in range({"article": 10, "hub": 25, "portal": 40}[page.kind]):
        draw = rng.random()
        if page.kind == "hub":
            target = rng.choice(web.by_label[page.label]) if draw < 0.8 else rng.choice(web.popular)
        elif page.kind == "portal":
            target = rng.choice(own) if draw < 0.3 else rng.choice(web.pages)
        elif draw < 0.25:
            target = rng.choice(web.by_label[page.label])
        elif draw < 0.55:
            target = rng.choice(own)
        elif draw < 0.8:
            target = rng.choice(web.popular)
        else:
            target = rng.choice(web.pages)
        informative = target.kind == "article" and rng.random() < 0.5
        anchor = target.title if informative else rng.choice(SAYING_NOTHING)
        page.links.append(Link(url=target.url, text=anchor))


def crawl(pages: list[Page], topic: Topic, label: str, starts: list[str], rule: str) -> float:
    """Share of articles of the class among the first pages that a rule fetches."""
    web = {page.url: page for page in pages}
    focus = Focus(Judge(topic, feedback=rule == "blend"), rule=rule)
    best: dict[str, float] = {}
    heap: list[tuple[float, int, str]] = []
    order = 0
    for url in starts:
        heapq.heappush(heap, (-2.0, order, url))
        best[url] = 2.0
        order += 1
    done: set[str] = set()
    hits = 0
    while heap and len(done) < BUDGET:
        negative, _, url = heapq.heappop(heap)
        if url in done or -negative < best[url]:
            continue
        page = web[url]
        done.add(url)
        hits += page.kind == "article" and page.label == label
        changed = focus.take_in(focus.look(url, page.title, page.body, page.links)[1])
        for other in changed:
            value = focus.priority(other)
            if other not in done and value > best.get(other, -1.0):  # increase-key: only upwards
                best[other] = value
                order += 1
                heapq.heappush(heap, (-value, order, other))
    return hits / len(done)


def run(texts: dict[str, list[str]], seed: int, rules: list[str]) -> dict[str, Any]:
    """The harvest of each rule on the web of one seed."""
    rng = random.Random(seed)
    label = sorted(texts)[seed % len(texts)]
    pages = build(texts, rng)
    example_texts = rng.sample([page for page in pages if page.kind == "article" and page.label == label], EXAMPLES)
    topic = Topic(name=label, texts=tuple(f"{page.title}\n{page.body}" for page in example_texts))
    starts = [page.url for page in rng.sample([p for p in pages if p.kind == "portal"], SEEDS["portal"])]
    starts += [page.url for page in example_texts[: SEEDS["article"]]]
    share = mean(page.kind == "article" and page.label == label for page in pages)
    harvest = {rule: round(crawl(pages, topic, label, starts, rule), 4) for rule in rules}
    return {"seed": seed, "topic": label, "share_of_web": round(share, 4), **harvest}


def main() -> None:
    """Prints the harvest per rule, the mean over seeds."""
    parser = argparse.ArgumentParser(description="Harvest of focused crawls on simulated webs of real texts.")
    parser.add_argument("--seeds", type=int, default=5, help="webs (%(default)s)")
    parser.add_argument("--first-seed", type=int, default=100, help="number of the first web (%(default)s)")
    parser.add_argument("--rules", default=",".join(RULES), help="rules, separated by commas")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--corpus", type=Path, default=Path(os.environ.get("ARTICLEBOT_CORPUS", ROOT.parent / "shared/corpus"))
    )
    args = parser.parse_args()
    texts = titles(args.corpus / "texts" / "thucnews_title.train45k.jsonl")
    rules = args.rules.split(",")
    rows = [run(texts, args.first_seed + n, rules) for n in range(args.seeds)]
    harvest = {rule: round(mean(row[rule] for row in rows), 3) for rule in rules}
    result: dict[str, Any] = {"budget": BUDGET, "pages": PAGES, "webs": len(rows), "harvest": harvest}
    if harvest.get("breadth") and "blend" in harvest:
        result["times_breadth"] = round(harvest["blend"] / harvest["breadth"], 2)
    if args.json:
        print(json.dumps(result | {"rows": rows}, ensure_ascii=False, indent=2))
        return
    for row in rows:
        print("  ".join(f"{key} {value}" for key, value in row.items()))
    print("mean  " + "  ".join(f"{rule} {value}" for rule, value in harvest.items()))


if __name__ == "__main__":
    main()
