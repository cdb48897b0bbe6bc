"""What spiders say of what they are started with and cannot follow."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest
from scrapy.settings import Settings

from articlebot.spiders.arguments import tell_unused
from articlebot.spiders.article import ArticleSpider


def test_an_egg_behind_an_installed_articlebot_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    egg, other = tmp_path / "1.egg", tmp_path / "other.egg"
    for path, inside in ((egg, "articlebot"), (other, "something")):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(f"{inside}/__init__.py", "")
    monkeypatch.setattr(sys, "path", [*sys.path, str(other)])
    tell_unused(ArticleSpider, Settings())
    assert not caplog.messages
    monkeypatch.setattr(sys, "path", [*sys.path, str(egg)])
    tell_unused(ArticleSpider, Settings())
    assert [f"{egg} has no effect" in said for said in caplog.messages] == [True]
