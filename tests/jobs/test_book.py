from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from articlebot.jobs import Job
from articlebot.jobs.book import JobBook

HOSTS = (
    "a.example.com",
    "example.com",
    "b.example.co.uk",
    "example.co.uk",
    "x.a.example.com",
    "127.0.0.1",
    "localhost",
)
PORTS = ("", ":8080")


@st.composite
def books(draw: st.DrawFn) -> JobBook:
    addresses = st.builds(lambda host, port: f"http://{host}{port}/", st.sampled_from(HOSTS), st.sampled_from(PORTS))
    domains = st.sampled_from([*HOSTS, "com", "co.uk", "a.example.com:8080"])
    chosen = draw(st.lists(st.tuples(addresses, st.lists(domains, max_size=2)), max_size=6))
    return JobBook(
        [
            Job(name=f"job{place}", list_pages=(address,), allowed_domains=tuple(allowed))
            for place, (address, allowed) in enumerate(chosen)
        ]
    )


@given(books(), st.sampled_from(HOSTS), st.sampled_from(PORTS))
def test_owners_are_the_jobs_that_own_it_in_order(book: JobBook, host: str, port: str) -> None:
    url = f"http://{host}{port}/1.html"
    assert book.owners(url) == [job for job in book if job.owns(url)]
