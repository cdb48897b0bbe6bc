from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from articlebot.errors import JobFileError
from articlebot.jobs import Job, Window, load
from articlebot.jobs.files import JobFiles
from articlebot.jobs.folder import JobFolder
from articlebot.jobs.hours import DAYS, Day

GOOD = """
[defaults]
interval = "10m"
language = "en"

[[site]]
name = "daily"
list_pages = ["https://daily.example/news"]
article_pattern = '/\\d{4}/'

[[site]]
name = "zeitung"
language = "de"
feeds = "https://zeitung.example/rss"
windows = [{days = ["mon", "tue"], hours = "8-20"}]
timezone = "Europe/Berlin"

[site.selectors]
body = "div.article"
"""


def write(folder: Path, text: str, name: str = "jobs.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_are_inherited_and_overridden(tmp_path: Path) -> None:
    daily, zeitung = load([write(tmp_path, GOOD)])
    assert (daily.interval, daily.language) == (600.0, "en")
    assert (zeitung.interval, zeitung.language) == (600.0, "de")
    assert zeitung.feeds == ("https://zeitung.example/rss",)
    assert zeitung.selectors is not None
    assert zeitung.selectors.body == "div.article"


def test_a_job_without_a_name_has_that_of_its_site(tmp_path: Path) -> None:
    path = write(tmp_path, '[[site]]\nsite = "https://www.daily.example/news/"\n\n[[site]]\nsite = "Wire.example"\n')
    assert [(job.name, job.site) for job in load([path])] == [
        ("www.daily.example", "https://www.daily.example/news/"), ("wire.example", "https://wire.example/"),
    ]  # fmt: skip
    folder = JobFolder([path])
    folder.remove("wire.example")
    assert [job.name for job in load([path])] == ["www.daily.example"]
    write(tmp_path, '[[site]]\nsite = "https://a.example/"\n\n[[site]]\nsite = "https://a.example/"\n')
    with pytest.raises(JobFileError, match=r"jobs\.toml:4: .*already used"):
        load([path])


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "expected"),
    [
        ('interval = "10m"', 'interval = "soon"', 3, "interval", '"90s"'),
        ('name = "daily"', 'name = "daily"\nbudget = true', 8, "site[0].budget", "expected a number"),
        ('name = "daily"', 'name = "daily"\nfeeds = 5', 8, "site[0].feeds", "expected a list"),
        ('name = "daily"', 'name = "daily"\narticle_exclude = ""', 8, "site[0].article_exclude.0", "fits every"),
        (
            'name = "daily"',
            'name = "daily"\nallowed_domains = "http://x.example/"',
            8,
            "site[0].allowed_domains.0",
            'such as "news.example"',
        ),
        ('name = "daily"', 'name = "daily"\nintervall = 3', 8, "site[0].intervall", "unknown key"),
        ('language = "en"', 'colour = "en"', 4, "defaults.colour", "unknown key"),
        ("https://daily.example/news", "ftp://daily.example", 8, "site[0].list_pages", "http"),
        ("\\d{4}", "(\\d{4}", 9, "site[0].article_pattern", "regular expression"),
        ("Europe/Berlin", "Europe/Berlim", 16, "site[1].timezone", "time zone"),
        ('hours = "8-20"', 'hours = "8-25"', 15, "site[1].windows", "hours"),
        ("div.article", "div[", 19, "site[1].selectors", "CSS"),
        ('body = "div.article"', 'bodyy = "div.article"', 19, "site[1].selectors.bodyy", "did you mean body?"),
        ('name = "zeitung"', 'name = "daily"', 12, "name", "already used"),
        ('feeds = "https://zeitung.example/rss"', "", 11, "site[1]", "list_pages, feeds, sitemaps"),
        ("[defaults]", "[[defaults]]", 2, "defaults", "table"),
        ("[[site]]", "[[site", 6, None, "TOML"),
        ('language = "en"', f"delay = {'9' * 5000}", None, None, "TOML"),
        ('language = "en"', f"x = {'[' * 5000}{']' * 5000}", None, None, "TOML"),
        ("\\d{4}", f"{'(' * 5000}{')' * 5000}", 6, "site[0]", "nested"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(
    tmp_path: Path, old: str, new: str, line: int, key: str | None, expected: str
) -> None:
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(JobFileError) as caught:
        load([path])
    assert caught.value.path == str(path)
    assert caught.value.line == line, str(caught.value)[:500]
    assert key is None or key in (caught.value.key or ""), caught.value
    assert expected in caught.value.expected


def test_one_file_of_a_folder_costs_no_other(tmp_path: Path) -> None:
    """Editors of Windows begin files with a mark; a link to itself is a fault of its own, and no pipe is waited for."""
    (tmp_path / "good.toml").write_text(GOOD, encoding="utf-8-sig")
    (tmp_path / "loop.toml").symlink_to(tmp_path / "loop.toml")
    os.mkfifo(tmp_path / "pipe.toml")
    read = JobFiles([tmp_path])
    assert [fault.path for fault in read.faults()] == [str(tmp_path / "loop.toml")]
    assert len(read.jobs()) == 2


def test_a_folder_stands_for_its_files(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, '[[site]]\nname = "third"\nsitemaps = ["http://third.example/sitemap.xml"]\n', "third.toml")
    assert [job.name for job in load([tmp_path])] == ["daily", "zeitung", "third"]


def test_an_empty_folder_or_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(JobFileError, match=r"no \.toml file"):
        load([tmp_path])
    with pytest.raises(JobFileError, match="cannot be read"):
        load([tmp_path / "absent.toml"])


@pytest.mark.parametrize(
    ("hours", "at", "open_"),
    [
        ("8-20", datetime(2026, 3, 2, 8, 0, tzinfo=UTC), True),
        ("8-20", datetime(2026, 3, 2, 20, 0, tzinfo=UTC), False),
        ("22-6", datetime(2026, 3, 2, 23, 0, tzinfo=UTC), True),
        ("22-6", datetime(2026, 3, 3, 5, 0, tzinfo=UTC), True),  # Tuesday morning belongs to Monday's window
        ("22-6", datetime(2026, 3, 2, 5, 0, tzinfo=UTC), False),
    ],
)
def test_windows_go_over_midnight(hours: str, at: datetime, open_: bool) -> None:
    assert Window(days=("mon",), hours=hours).opens(at) is open_


def test_a_job_owns_its_site_and_its_allowed_domains() -> None:
    job = Job(name="x", list_pages=("https://www.daily.example.co.uk/",), allowed_domains=("partner.example",))
    assert job.owns("https://sport.example.co.uk/1") or job.owns("https://sport.daily.example.co.uk/1")
    assert job.owns("https://news.partner.example/a")
    assert not job.owns("https://other.example/a")


BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("hours", "days", "now", "opens"),
    [
        ("8-20", DAYS, (2026, 3, 2, 7, 59, 30), (2026, 3, 2, 8)),
        ("8-20", DAYS, (2026, 3, 2, 20, 0, 0), (2026, 3, 3, 8)),
        ("22-6", ("sun",), (2026, 3, 2, 6, 30, 0), (2026, 3, 8, 22)),
        ("8-20", DAYS, (2026, 3, 28, 21, 0, 0), (2026, 3, 29, 8)),  # the night of 23 hours
        ("8-20", DAYS, (2026, 10, 24, 21, 0, 0), (2026, 10, 25, 8)),  # the night of 25 hours
        ("2-5", DAYS, (2026, 3, 29, 1, 0, 0), (2026, 3, 29, 3)),  # 2:00 does not exist
        ("2-3", ("sun",), (2026, 3, 29, 0, 0, 0), (2026, 4, 5, 2)),  # nor does the whole hour
    ],
)
def test_a_closed_window_opens_at_its_hour(
    hours: str, days: tuple[Day, ...], now: tuple[int, ...], opens: tuple[int, ...]
) -> None:
    at = datetime(*now, tzinfo=BERLIN).timestamp()  # type: ignore[misc, arg-type]
    job = Job(name="x", list_pages=("https://a.de/",), windows=(Window(days=days, hours=hours),))
    assert job.zone == BERLIN
    assert at + job.closed_for(at) == datetime(*opens, tzinfo=BERLIN).timestamp()  # type: ignore[misc, arg-type]
    assert job.closed_for(at + job.closed_for(at)) == 0.0


def test_what_no_interval_is_stated_leaves_to_the_bounds() -> None:
    job = Job(name="x", list_pages=("https://a.example/",))
    assert (job.interval, job.bounds, job.begins_with()) == (None, (112.5, 86400.0), 1800.0)
    assert Job(name="x", list_pages=("https://a.example/",), max_interval="1m").bounds == (60.0, 60.0)
    assert Job(name="x", list_pages=("https://a.example/",), min_interval="2d").bounds == (172_800.0, 172_800.0)
    with pytest.raises(ValueError, match="min_interval <= max_interval"):
        Job(name="x", list_pages=("https://a.example/",), min_interval=5, max_interval=4)
    with pytest.raises(ValueError, match="days"):
        Window(days=())
