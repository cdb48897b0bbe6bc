"""Stories are long enough, reproducible and really different from each other."""

from __future__ import annotations

import random

import pytest

from articlebot.text import segment
from articlebot_lab.newsroom.grammar import LANGUAGES, Teller, _load, _past, _plural, _present_participle, topics
from articlebot_lab.newsroom.world import World


def word_grams(text: str) -> set[tuple[str, ...]]:
    words = [word for word in segment(text) if any(ch.isalnum() for ch in word)]
    return set(zip(words, words[1:], words[2:], strict=False))


def greatest_containment(texts: list[str]) -> float:
    grams = [word_grams(text) for text in texts]
    return max(len(a & b) / min(len(a), len(b)) for i, a in enumerate(grams) for b in grams[:i])


def test_the_languages_have_the_same_topics() -> None:
    assert topics("zh") == topics("en")
    assert len(topics("zh")) >= 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_same_randomness_same_story(language: str) -> None:
    one, other = (Teller(language, "sport", random.Random(5)) for _ in range(2))
    assert one.body(6) == other.body(6)
    assert one.title() == other.title()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_slot_is_left_open(language: str) -> None:
    for topic in topics(language):
        teller = Teller(language, topic, random.Random(topic))
        text = "".join([teller.title(), *teller.body(30), *teller.report("weather"), *teller.report("market")])
        assert not set("{}+") & set(text)
        assert "  " not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_stories_are_of_the_promised_length(world: World, language: str) -> None:
    plain = [s for s in world.stories if s.kind == "article" and s.pages == 1 and s.site.language == language]
    lengths = [len(s.versions[0].body) if language == "zh" else len(s.versions[0].body.split()) for s in plain]
    low, high = (300, 1500) if language == "zh" else (120, 900)
    assert all(low * 0.6 <= length <= high for length in lengths)
    assert low * 1.5 <= sum(lengths) / len(lengths) <= high


@pytest.mark.parametrize("language", LANGUAGES)
def test_different_stories_share_less_than_a_tenth_of_their_word_trigrams(world: World, language: str) -> None:
    stories = [s for s in world.stories if s.kind == "article" and s.site.language == language]
    assert greatest_containment([s.versions[0].body for s in stories]) < 0.1


@pytest.mark.parametrize("language", LANGUAGES)
def test_reports_are_alike_but_no_duplicates(world: World, language: str) -> None:
    reports = [s.versions[0].body for s in world.stories if s.kind == "report" and s.site.language == language]
    assert len(reports) >= 2
    assert 0.1 < greatest_containment(reports) < 0.5


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_story_tells_its_topic(world: World, language: str) -> None:
    """The topic whose words occur most is the story's own in nearly all stories."""
    separator = "," if language == "en" else None
    words = {
        topic: [word.strip() for word in str(lists["tnoun"]).split(separator)]
        for topic, lists in _load(language)["topics"].items()
    }
    stories = [s for s in world.stories if s.kind == "article" and s.site.language == language]
    right = 0
    for story in stories:
        body = story.versions[0].body.lower()
        counts = {topic: sum(body.count(word) for word in vocabulary) for topic, vocabulary in words.items()}
        right += max(counts, key=lambda topic: counts[topic]) == story.category
    assert right / len(stories) > 0.95


def test_english_is_inflected() -> None:
    assert [_plural(noun) for noun in ("city", "match", "diagnosis", "species", "boat", "shelf")] == [
        "cities", "matches", "diagnoses", "species", "boats", "shelves",
    ]  # fmt: skip
    assert [_past(verb) for verb in ("close", "ratify", "visit", "outplay")] == [
        "closed",
        "ratified",
        "visited",
        "outplayed",
    ]
    assert [_present_participle(verb) for verb in ("close", "visit")] == ["closing", "visiting"]
