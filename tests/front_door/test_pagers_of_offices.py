"""How the pages of public bodies lead on: months in calendars of their own, lists that only a script turns."""

from __future__ import annotations

from tests.front_door.door import Door
from tests.front_door.site import Page, SmallSite, article, front


def _title(n: int) -> str:
    return f"Town office report number {n} on the {n + 3} bridges of the river"


def _crawled(door: Door, pages: dict[str, Page], path: str = "/") -> set[str]:
    """The addresses of the articles that a crawl of one address has archived."""
    with SmallSite(pages) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}{path}", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        return {row["url"].removeprefix(site.url) for row in door.archived()}


def test_months_of_an_era_lead_back(door: Door) -> None:
    titles = {f"/oshirase/{n * 7919:032x}.html": _title(n) for n in range(24)}
    pages: dict[str, Page] = {path: article(title) for path, title in titles.items()}
    months = list(range(11, 3, -1))
    listed = "".join(f"<li><a href=r08{month:02}.html>令和8年{month}月</a></li>" for month in months)
    menu = "<nav><a href=/oshirase/index.html>お知らせ</a></nav>"
    pages["/"] = front(dict(list(titles.items())[:3])).replace("<body>", f"<body>{menu}")
    pages["/oshirase/index.html"] = (
        f"<html><head><title>お知らせ</title></head><body>{menu}<ul>{listed}</ul></body></html>"
    )
    for at, month in enumerate(months):
        pages[f"/oshirase/r08{month:02}.html"] = front(dict(list(titles.items())[3 * at : 3 * at + 3]))
    assert _crawled(door, pages) == titles.keys()


def test_a_list_of_sharepoint_goes_on_where_its_arrow_leads(door: Door) -> None:
    titles = {f"/News/Pages/Item.aspx?ID={90 - n}": _title(n) for n in range(24)}
    pages: dict[str, Page] = {path: article(title) for path, title in titles.items()}
    own = "/News/Pages/default.aspx"
    for at in range(0, 24, 8):
        further = f"Paged=TRUE\\u0026p_ID={83 - at}\\u0026PageFirstRow={at + 9}"
        code = f"javascript:RefreshPageTo(event, &quot;{own}?{further}&quot;);javascript:return false;"
        arrow = f'<a onclick="{code}" href="javascript:"><img src=/next.gif alt="Avançar"></a>' if at < 16 else ""
        path = f"{own}?Paged=TRUE&p_ID={91 - at}&PageFirstRow={at + 1}" if at else own
        pages[path] = front(dict(list(titles.items())[at : at + 8])).replace("</body>", f"{arrow}</body>")
    assert _crawled(door, pages, own) == titles.keys()
