"""An archive that was deleted, or replaced by an older copy, is told from the one that the crawl has filled."""

from __future__ import annotations

import shutil
from pathlib import Path

from redis.asyncio import Redis

from articlebot.archive import Archive
from articlebot.runtime.known_archive import KnownArchive
from tests.archive.conftest import make_article


async def test_a_deleted_or_older_archive_is_noticed_until_all_is_visited_again(tmp_path: Path, redis_url: str) -> None:
    path, copy = tmp_path / "archive.db", tmp_path / "copy.db"

    async with Redis.from_url(redis_url) as client:

        async def look(*, note: bool = False, add: str = "") -> str:
            with Archive(f"sqlite:///{path}") as archive:
                if add:
                    archive.publish([make_article(add, f"a text of {add}")], 1.0)
                return await KnownArchive(client, "test", lambda: archive).look(note=note)

        assert await look() == ""
        assert await look(note=True) == ""
        shutil.copy(path, copy)
        assert await look(note=True, add="a") == ""
        assert await look() == ""
        newest = path.read_bytes()
        shutil.copy(copy, path)
        for _ in range(2):  # noting does not make it right
            assert "an older copy, without the last 1 versions" in await look(note=True)
        path.unlink()
        said = await look(note=True, add="b")
        assert "another one than the crawl has filled" in said
        assert "scrapy frontier purge --all --yes" in said
        path.unlink()
        path.write_bytes(newest)
        assert await look() == ""
        path.unlink()
        with Archive(f"sqlite:///{path}") as archive:
            await KnownArchive(client, "test", lambda: archive).forget()
        assert await look(note=True) == ""
