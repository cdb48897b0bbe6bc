"""The plan of a run: when what is published, edited and deleted."""

from __future__ import annotations

from collections import Counter

import pytest

from articlebot_lab.newsroom import World, build
from articlebot_lab.newsroom.plot import EDITED, SETTLED
from articlebot_lab.newsroom.sites import SITES, choose

START = 1_795_255_200.0


def test_the_same_seed_gives_the_same_world(world: World) -> None:
    again = build(seed=7, seconds=60, sites=12, rate=1, started_at=START)
    assert again.stories == world.stories
    assert build(seed=8, seconds=60, sites=12, rate=1, started_at=START).stories != world.stories


@pytest.mark.parametrize(("seconds", "seed"), [(5, 1), (5, 7), (20, 1), (60, 2), (150, 3)])
def test_everything_ends_in_time_to_be_seen(seconds: float, seed: int) -> None:
    world = build(seed=seed, seconds=seconds, sites=12, rate=1, started_at=START)
    for story in world.stories:
        assert START <= story.visible_at <= START + SETTLED * seconds
        assert story.published_at <= story.visible_at
        assert story.versions[0].at == story.visible_at
        gaps = [b.at - a.at for a, b in zip(story.versions, story.versions[1:], strict=False)]
        assert all(gap >= 4 for gap in gaps)
        assert story.versions[-1].at <= max(story.visible_at, START + EDITED * seconds)
        if story.deleted_at is not None:
            assert story.versions[-1].at + 8 <= story.deleted_at <= START + SETTLED * seconds


def test_a_minute_holds_a_few_hundred_articles_of_every_kind(world: World) -> None:
    kinds = Counter(story.kind for story in world.stories)
    assert 200 <= len(world.stories) <= 500
    assert set(kinds) == {"article", "reprint", "quote", "report", "video", "document"}
    edits = Counter(version.kind for story in world.stories for version in story.versions)
    assert {"first", "small", "added", "rewrite", "title"} == set(edits)
    assert any(story.deleted_at for story in world.stories)
    assert any(story.disallowed for story in world.stories)
    assert {story.pages for story in world.stories} >= {1, 2}


def test_titles_and_addresses_are_unique(world: World) -> None:
    titles = [version.title.lower() for story in world.stories for version in story.versions if version.kind != "small"]
    first = [story.versions[0].title.lower() for story in world.stories]
    assert len(first) == len(set(first)) <= len(set(titles))
    addresses = [(story.host, path) for story in world.stories for path in story.page_paths()]
    assert len(addresses) == len(set(addresses))


def test_reprints_hold_their_original_and_quotes_do_not(world: World) -> None:
    by_id = {story.id: story for story in world.stories}
    for story in world.stories:
        if story.reprint_of:
            original = by_id[story.reprint_of]
            assert original.site is not story.site
            assert original.visible_at <= story.visible_at
            kept = set(original.version_at(story.visible_at).paragraphs) & set(story.versions[0].paragraphs)
            assert len(kept) >= 0.7 * len(original.version_at(story.visible_at).paragraphs) - 1
        if story.quote_of:
            quoted = set(by_id[story.quote_of].version_at(story.visible_at).paragraphs)
            assert not quoted & set(story.versions[0].paragraphs)
            assert any(part in story.versions[0].body for part in quoted)


def test_the_pages_of_a_story_hold_all_of_it(world: World) -> None:
    for story in world.stories:
        for version in story.versions:
            assert sum(story.page_slices(version), ()) == version.paragraphs
            assert len(story.page_slices(version)) == len(story.page_paths()) == story.pages
            assert all(story.page_slices(version))


def test_more_sites_are_like_the_first_under_other_names() -> None:
    sites = choose(30)
    assert sites[:12] == SITES
    assert len({host for site in sites for host in site.hosts}) == sum(len(site.hosts) for site in sites)
    assert len({site.name for site in sites}) == 30


@pytest.mark.parametrize("bad", [{"sites": 0}, {"sites": 501}, {"seconds": 1}, {"rate": 0}, {"seconds": float("nan")}])
def test_refuses_what_is_out_of_range(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must be|between"):
        build(**{"seed": 1, "seconds": 30, "sites": 2, "rate": 1, "started_at": START, **bad})  # type: ignore[arg-type]


def test_the_rate_scales_the_world() -> None:
    def count(rate: float) -> int:
        return len(build(seed=3, seconds=60, sites=3, rate=rate, started_at=START).stories)

    assert count(3) > 2 * count(1) > 3 * count(0.25)
