"""A site whose pages ask for consent first: passed where the job allows it, once for all workers."""

from __future__ import annotations

from tests.front_door.door import Door
from tests.front_door.site import Page, Reply, SmallSite, news

WORDS = "<h1>Before you continue</h1><p>We value your privacy. We and our partners store cookies on a device.</p>"
ASKS = (
    f"<!doctype html><html><head><title>Consent</title></head><body>{WORDS}<form action='/yes' method=post>"
    "<input type=hidden name=back value=1><button name=no value=1>Reject all</button>"
    "<button name=all value=1>Accept all cookies</button></form>"
    "<a href='/yes/now?back=/'>Agree and continue</a></body></html>"
)


LOOKS = '<html><head><script>document.cookie="ok=1; path=/";location.reload()</script></head><body></body></html>'


class Asking(SmallSite):
    """Shows the question to who comes without the cookie; ``/yes`` hands it out, to a POST alone."""

    def __init__(self, pages: dict[str, Page], asks: str | Reply = ASKS) -> None:
        self._asks = asks
        super().__init__({path: self._asked(page) for path, page in pages.items()})
        self.pages["/robots.txt"] = Reply("", 404)
        self.posts: list[str] = []
        handler, site = self._server.RequestHandlerClass, self

        def post(self) -> None:  # type: ignore[no-untyped-def]
            site.posts.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(303)
            for name, value in (
                ("Set-Cookie", "ok=1; Path=/; Max-Age=9999"),
                ("Location", "/"),
                ("Content-Length", "0"),
            ):
                self.send_header(name, value)
            self.end_headers()

        handler.do_POST = post  # type: ignore[attr-defined]

    def _asked(self, page: Page) -> Page:
        shown = page() if callable(page) else page
        return lambda: shown if "ok=1" in self.hits[-1].headers.get("Cookie", "") else self._asks


def test_a_consent_page_is_passed_once_where_the_job_allows_it(door: Door) -> None:
    with Asking(news(3)) as site:
        jobs = [door.file(f"{name}.toml", _job(name, site.url, name)) for name in ("given", "accept")]
        typed = [(f"jobs={jobs[0]}",), (f"url={site.url}/", "-a", "consent=accept")]
        done = [door.type("crawl", "article", "-a", *what, "-a", "until=idle") for what in typed]
        # Who presses is led back to the page, which need not be asked for once more.
        let_in = [hit.path for hit in site.hits if "ok=1" in hit.headers.get("Cookie", "")]
        assert let_in[:2] == ["/", "/sitemap.xml"]
        told = door.json("status")["walls"]
        assert [one.returncode for one in done] == [3, 0], done[1].stderr[-3000:]
        assert len(door.archived()) == 3
        assert site.posts == ["back=1&all=1"]
        # Nor is it pressed where a look takes links for sections.
        assert "/yes/now" not in {hit.path for hit in site.hits}
        # Another process has the cookie without asking for it.
        again = door.type("crawl", "article", "-a", f"jobs={jobs[1]}", "-a", "until=idle", "-a", "seconds=20")
    assert (again.returncode, len(site.posts)) == (0, 1), again.stderr[-2000:]
    assert told[0]["kinds"] == {"consent": 1}


def test_a_server_that_looks_whether_cookies_are_kept_lets_in_who_keeps_its_own(door: Door) -> None:
    # Some answer with a status of their own until then.
    with Asking(news(2), Reply(LOOKS, 521)) as site:
        done = door.type("crawl", "--url", f"{site.url}/")
        assert done.returncode == 0, done.stderr[-3000:]
        assert len(door.archived()) == 2
        # robots.txt apart, each page was asked for once, and one twice.
        assert sum("ok=1" not in hit.headers.get("Cookie", "") for hit in site.hits) <= 2


def _job(name: str, url: str, consent: str) -> str:
    where = f'site = "{url}/"' if name == "given" else f'list_pages = ["{url}/"]'
    return (
        f'[[site]]\nname = "{name}"\n{where}\nconsent = "{consent}"\n'
        'interval = "1s"\nmin_interval = 0.5\nmax_interval = "1s"\n'
    )
