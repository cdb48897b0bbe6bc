"""How the addresses of a job are asked for."""

from __future__ import annotations

import pytest

from articlebot.jobs.model import Job

JOB = Job.model_validate({
    "name": "a", "list_pages": ["http://a.test/"], "json_forms": ["http://a.test/query"],
    "forms": ["http://a.test/more", "http://a.test/i.php?s=/news/list"],
    "ajax": ["http://a.test/news?page=2", "http://a.test/api/list", "http://a.test/part/2/of/3"],
})  # fmt: skip


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/more?page=2", "form"), ("/query?page=2", "json"), ("/news?page=3", "ajax"), ("/news", ""), ("/", ""),
        ("/api/list", "ajax"), ("/api/list?cursor=x", "ajax"), ("/api/list/7/more", ""), ("/part/11/of/3", "ajax"),
        # what the address has of its own stays in it, however it is written
        ("/i.php?s=/news/list&page=2", "form?s=/news/list"), ("/i.php?s=%2Fnews%2Flist&page=2", "form?s=/news/list"),
        ("/i.php?s=/news/7", ""), ("/i.php", ""),
    ],
)  # fmt: skip
def test_how_an_address_is_asked_for(path: str, sent: str) -> None:
    assert JOB.sent_as(f"http://a.test{path}") == sent
