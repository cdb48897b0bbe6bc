"""Job files that are written while they are followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from articlebot.errors import JobFileError
from articlebot.jobs import Job, load
from articlebot.jobs.book import Changes, JobBook
from articlebot.jobs.files import JobFiles, News


class Folder:
    """A folder of job files that are written and looked at."""

    def __init__(self, path: Path) -> None:
        self.path, self._writes = path, 0
        self.files = JobFiles([path])

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")
        self._writes += 1
        os.utime(self.path / name, (self._writes, self._writes))

    def look(self) -> News:
        """What two looks bring."""
        first = self.files.look()
        assert first == News(None, ())
        return self.files.look()

    def names(self) -> dict[str, float | None]:
        news = self.look()
        assert news.jobs is not None
        return {job.name: job.interval for job in news.jobs}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def site(name: str, *more: str) -> str:
    return "\n".join(["[[site]]", f'name = "{name}"', f'list_pages = "http://{name}.test/"', *more, ""])


def test_a_group_is_between_defaults_and_site_and_seen_by_all_files(folder: Folder) -> None:
    folder.write("groups.toml", '[group.news]\ninterval = "10m"\nlanguage = "en"\ncategory = "world"\n')
    text = '[defaults]\ninterval = "5m"\ndelay = "3s"\ngroup = "news"\n' + site("a", 'category = "economy"') + site("b")
    folder.write("sites.toml", text)
    first, second = load([folder.path])
    assert (first.interval, first.language, first.category, first.delay) == (600.0, "en", "economy", 3.0)
    assert (second.category, second.group) == ("world", "news")


@pytest.mark.parametrize(
    ("text", "line", "key", "expected"),
    [
        (site("a", 'group = "nwes"'), 4, "site[0].group", "did you mean 'news'?"),
        ('[defaults]\ngroup = "x"\n' + site("a"), 2, "site[0].group", "there are: news"),
        ('[group.b]\ninterval = "soon"\n', 2, "group.b.interval", '"90s"'),
        ("[group.b]\ninterval = true\n", 2, "group.b.interval", '"90s"'),
        ('[group.b]\nrobots = "no"\n', 2, "group.b.robots", "true or false"),
        ('[group.b]\nname = "b"\n', 2, "group.b.name", "unknown key"),
        ('[group.b]\nselectors = {body = "div["}\n', 2, "group.b.selectors", "CSS"),
        ("\n[group.news]\n", 2, "group.news", "is already in"),
        ('[group."a b"]\n', 1, "group.a b", "letters"),
        ('group = "news"\n', 1, "group", "tables"),
        ("[[site]]\n" + 'name = "a"\nfeeds = "http://a.test/"\ngroup = 3\n', 4, "site[0].group", "string"),
    ],
)
def test_a_wrong_group_is_refused(folder: Folder, text: str, line: int | None, key: str, expected: str) -> None:
    folder.write("a.toml", "[group.news]\nmin_interval = '1h'\ninterval = '2h'\n")
    folder.write("b.toml", text)
    with pytest.raises(JobFileError) as caught:
        load([folder.path])
    assert (Path(caught.value.path).name, caught.value.line) == ("b.toml", line), caught.value
    assert key in (caught.value.key or "")
    assert expected in caught.value.expected


def test_a_file_that_is_wrong_keeps_its_jobs_and_the_others_go_on(folder: Folder) -> None:
    folder.write("a.toml", site("a"))
    folder.write("b.toml", site("b"))
    folder.files.read()
    folder.write("a.toml", site("a", "colour = 3"))
    folder.write("b.toml", site("b", "interval = 60"))
    folder.write("c.toml", site("c"))
    news = folder.look()
    assert [(job.name, job.interval) for job in news.jobs or ()] == [("a", None), ("b", 60.0), ("c", None)]
    (fault,) = news.faults
    assert str(fault).startswith(f"{folder.path}/a.toml:4: site[0].colour: unknown key")
    assert folder.look() == News(None, ())
    folder.write("a.toml", site("a", "colour = 4"))
    assert len(folder.look().faults) == 1
    folder.write("a.toml", site("a", "interval = 90"))
    assert folder.names()["a"] == 90.0


def test_what_is_still_being_written_is_not_taken(folder: Folder) -> None:
    folder.write("a.toml", site("a") + site("b"))
    folder.files.read()
    for _ in range(3):
        folder.write("a.toml", site("a"))
        assert folder.files.look() == News(None, ())
    folder.write("a.toml", site("a") + site("b"))
    assert folder.look() == News(None, ())  # the same as before


def test_a_groups_change_reaches_its_sites_and_no_other(folder: Folder) -> None:
    folder.write("g.toml", "[group.g]\ninterval = 60\n")
    folder.write("a.toml", site("a", 'group = "g"') + site("b"))
    folder.write("c.toml", site("c"))
    before = JobBook(folder.files.read())
    folder.write("g.toml", "[group.g]\ninterval = 120\n")
    after = JobBook(folder.look().jobs or ())
    assert [job.name for job in Changes.between(before, after).changed] == ["a"]
    assert after.get("b") is before.get("b")
    # Without the group its file keeps what it had, until there is one again.
    folder.write("g.toml", "[group.other]\n")
    news = folder.look()
    assert news.jobs is None
    assert "no job file has [group.g]" in str(news.faults[0])
    folder.write("g.toml", "[group.g]\ninterval = 240\n")
    assert folder.names()["a"] == 240.0


def test_a_job_moves_between_files_in_either_order(folder: Folder) -> None:
    folder.write("a.toml", site("a") + site("moves"))
    folder.write("b.toml", site("b"))
    folder.files.read()
    folder.write("b.toml", site("b") + site("moves", "interval = 60"))
    assert "'moves' is already used in" in str(folder.look().faults[0])
    folder.write("a.toml", site("a"))
    assert folder.names() == {"a": None, "b": None, "moves": 60.0}
    folder.write("a.toml", site("a") + site("moves"))
    folder.write("b.toml", site("b"))
    assert folder.names()["moves"] is None


def test_removed_files_end_their_jobs_and_a_folder_that_is_away_does_not(folder: Folder, tmp_path: Path) -> None:
    folder.write("a.toml", site("a"))
    folder.write("b.toml", site("b"))
    folder.files.read()
    away = tmp_path.with_name("away")
    tmp_path.rename(away)
    assert "cannot be read" in str(folder.files.look().faults[0])
    assert folder.files.look() == News(None, ())
    away.rename(tmp_path)
    (tmp_path / "a.toml").unlink()
    assert folder.names() == {"b": None}


def test_a_named_file_that_is_gone_keeps_its_jobs(folder: Folder) -> None:
    folder.write("a.toml", site("a"))
    files = JobFiles([folder.path / "a.toml"])
    files.read()
    (folder.path / "a.toml").unlink()
    assert files.look() == News(None, ())
    news = files.look()
    assert news.jobs is None
    assert "cannot be read" in str(news.faults[0])
    assert files.look() == files.look() == News(None, ())


def test_a_job_that_the_crawl_cannot_do_is_refused_with_its_place(folder: Folder) -> None:
    folder.write("a.toml", site("a"))
    folder.files.read()
    folder.write("a.toml", site("a", 'sinks = ["x"]'))
    assert folder.files.look() == News(None, ())
    (fault,) = folder.files.look(lambda job: ("sinks", "no such sink") if job.sinks else None).faults
    assert str(fault) == f"{folder.path}/a.toml:4: site[0].sinks: no such sink"


def test_a_book_still_knows_what_is_paused_or_gone() -> None:
    jobs = [Job(name=name, list_pages=(f"http://{name}.test/",)) for name in "abc"]
    before = JobBook(jobs)
    after = before.succeeded_by(jobs[:2], {"b"})
    assert [job.name for job in after] == ["a"]
    assert [after.follows(name) for name in "abc"] == [True, False, False]
    assert [after.get(name) for name in "abc"] == jobs
    changes = Changes.between(before, after)
    assert changes.ended == ("b", "c")
    assert str(changes) == "not followed: b, c"
    back = Changes.between(after, after.succeeded_by(jobs, set()))
    assert [job.name for job in back.begun] == ["b", "c"]
    assert not back.changed
