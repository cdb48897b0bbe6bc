"""Where the feed exports of a crawl go."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from articlebot.actions.crawl import check
from articlebot.spiders.article import ArticleSpider


def test_an_output_that_cannot_be_written_is_refused_before_anything_starts(tmp_path: Path) -> None:
    def begin(output: str) -> None:
        settings = Settings({"FEEDS": {output: {"format": "jsonlines"}}, "ARTICLEBOT_DATA_DIR": str(tmp_path)})
        check(ArticleSpider, settings, {"url": "https://news.example/"})

    (tmp_path / "file").write_text("kept")
    with pytest.raises(UsageError, match=r"/file: File exists\Z"):
        begin(str(tmp_path / "file" / "x.jsonl"))
    with pytest.raises(UsageError, match=r": Is a directory\Z"):
        begin(tmp_path.as_uri())
    begin(str(tmp_path / "file"))
    begin(str(tmp_path / "new" / "x.jsonl"))
    begin("stdout:")
    assert (tmp_path / "file").read_text() == "kept"
    assert not (tmp_path / "new" / "x.jsonl").exists()
