"""Redis is away: the overview says so and shows the rest, other pages say what cannot be read."""

from __future__ import annotations

import re
import threading
from pathlib import Path

from scrapy.settings import Settings

from articlebot.config import Config
from articlebot.console.serve import prepare
from articlebot.console.sources import Sources
from articlebot.runtime import Runtime
from tests.console.conftest import Client


def test_without_redis_the_archive_is_still_shown(tmp_path: Path) -> None:
    settings = Settings({"ARTICLEBOT_DATA_DIR": str(tmp_path), "REDIS_URL": f"unix://{tmp_path}/nobody.sock"})
    server, listener, link = prepare(Sources(Runtime(Config.from_settings(settings))), 0)
    found = re.fullmatch(r"http://([\d.]+):(\d+)/\?token=(\S+)", link)
    assert found is not None
    with listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        client = Client(found[1], int(found[2]), found[3]).log_in()
        overview, jobs, articles = client.get("/"), client.get("/jobs"), client.get("/articles")
        server.should_exit = True
        thread.join(20)
    assert (overview.status, jobs.status, articles.status) == (200, 503, 200)
    assert "Redis is away" in overview.text
    assert "A store cannot be read for now." in jobs.text
