"""Lists by POST of sites that want the token of their own pages with it, as Laravel, Rails and Django do."""

from __future__ import annotations

import json

import pytest

from tests.front_door.door import Door
from tests.front_door.site import Reply, SmallSite, article, front

_TITLES = {f"/read/{200 - n}": f"Report number {n} from the harbour town and its {n} bridges" for n in range(16)}
_SCRIPT = (
    "<script>var page = 1; function more() { page++; $.post('/more', {page: page}, function (d) { show(d.list) }) }"
    "</script>"
)


_TOKEN = "a-token-of-one-session"


def _site(cookie: str, header: str, refuses: int) -> SmallSite:
    """A site of one framework, which shows eight articles.

    Args:
        cookie: which cookie holds the token; "" where a page's head states it.
        header: in which it is wanted, in small letters.
    """
    site = SmallSite({path: article(title) for path, title in _TITLES.items()})
    rows = list(_TITLES.items())
    meta = "" if cookie else f"<meta name='csrf-token' content='{_TOKEN}'>"
    page = front(dict(rows[:8]), head=meta).replace("</body>", f"{_SCRIPT}</body>")
    site.pages["/"] = Reply(page, headers={"Set-Cookie": f"{cookie or 'session'}={_TOKEN}; Path=/"})

    def more() -> Reply:
        sent = {name.lower(): value for name, value in site.hits[-1].headers.items()}
        if sent.get(header) != _TOKEN or _TOKEN not in sent.get("cookie", ""):
            return Reply("Page expired", refuses)
        return Reply(json.dumps({"list": [{"url": path, "title": title} for path, title in rows[8:]]}))

    site.pages["POST /more page=2"] = more
    return site


@pytest.mark.parametrize(
    ("cookie", "header", "refuses"),
    [("", "x-csrf-token", 419), ("XSRF-TOKEN", "x-xsrf-token", 419), ("csrftoken", "x-csrftoken", 403)],
    ids=["head", "Laravel's cookie", "Django's cookie"],
)
def test_a_list_by_post_is_asked_for_with_the_token_of_the_sites_pages(
    door: Door, cookie: str, header: str, refuses: int
) -> None:
    with _site(cookie, header, refuses) as site:
        every = [f"{site.url}{path}" for path in _TITLES]
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        assert {row["url"] for row in door.archived()} == set(every)

        # A process that has seen no page of the site, as after a restart.
        job = f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/more?page=2"]\nforms = ["{site.url}/more"]\n'
        later = Door(door.folder / "later")
        done = later.type("crawl", "article", "-a", f"jobs={door.file('jobs.toml', job)}", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        assert {row["url"] for row in later.archived()} == set(every[8:])
