from __future__ import annotations

from articlebot.items import Link
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.jobs.follow import candidates, list_hash, priority_of
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.urls import page_key

JOB = Job(
    name="daily",
    list_pages=("http://daily.example.com/",),
    article_pattern=(r"/\d+\.html",),
    article_exclude=("/ads/",),
)
LIST = Visit(job="daily", kind="list", key=page_key("http://daily.example.com/"))


def urls(*links: str) -> list[str]:
    found = candidates(JobBook([JOB]), JOB, [Link(url=url, text="A headline") for url in links], LIST, {})
    return [candidate.url for candidate in found]


def test_links_are_taken_once_on_the_jobs_own_site() -> None:
    assert urls(
        "http://daily.example.com/1.html#top",
        "http://www.example.com/1.html?utm_source=list",
        "http://daily.example.com/1.html",
        "http://other.example.org/2.html",
        "http://daily.example.com/ads/3.html",
        "http://daily.example.com/",
        "mailto:a@example.com",
    ) == ["http://daily.example.com/1.html", "http://www.example.com/1.html"]


def test_a_visit_survives_its_way_through_the_queue() -> None:
    visit = Visit(job="daily", kind="auto", key=2**64 - 1, anchor="标题", published_at=1.5, part=2, first_key=7)
    assert Visit.of({META_KEY: {**visit.meta(), "of_another_feature": 1}}) == visit
    assert "context" not in visit.meta()


def test_a_lists_hash_is_of_its_set() -> None:
    book = JobBook([JOB])
    links = [Link(url=f"http://daily.example.com/{n}.html") for n in range(5)]
    there, back = (candidates(book, JOB, some, LIST, {}) for some in (links, links[::-1]))
    assert list_hash(there) == list_hash(back)
    assert list_hash(there) != list_hash(there[:-1])


def test_what_is_new_comes_before_what_is_known_and_lists_before_both() -> None:
    assert priority_of(JOB, "list") > priority_of(JOB, "auto") > priority_of(JOB, "auto", known=True)
    urgent = JOB.model_copy(update={"priority": 1})
    assert priority_of(urgent, "auto", known=True) > priority_of(JOB, "list")
