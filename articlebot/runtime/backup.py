"""One file of everything that a crawl knows: its keys in Redis, its archive, its data folder."""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, BinaryIO

from redis.exceptions import ResponseError

from articlebot import files
from articlebot.address import parse
from articlebot.connect import literal
from articlebot.errors import ConfigError, StateError
from articlebot.frontier.inspect import workers
from articlebot.publishing.specs import rules_of
from articlebot.runtime.runtime import Runtime

VERSION = 1
_MANIFEST, _KEYS, _ARCHIVE, _FOLDER = "manifest.json", "redis.bin", "archive.db", "data"
_HEAD = struct.Struct(">IqQ")
_BATCH = 200
# Who may do what is no state of the crawl: a token that was revoked stays so.
_TOKENS = b":console:tokens"
_NOT_STATE = frozenset({"redis", "locks", "logs", "running", "newsroom", "crawl.log"})
# A key's value is read whole; beyond this a file is damaged, and no key of a crawl.
_LONGEST_KEY, _LARGEST_VALUE = 1 << 20, 1 << 33


async def back_up(runtime: Runtime, path: Path) -> dict[str, Any]:
    """Writes a file that ``restore`` takes; may be done while the crawl runs.

    Redis is read first and the archive last: what was fetched between is fetched once more after a restore, and the
    archive, which knows it, takes it once.

    Returns:
        The manifest: version, time, numbers of keys and files, and what is left out, with a reason each.

    Raises:
        ConfigError: there is nothing to back up.
        StoreUnavailable: a store is away. redis.RedisError: likewise.
        OSError: the file cannot be written.
    """
    manifest: dict[str, Any] = {
        "version": VERSION, "at": runtime.now(), "prefix": runtime.config.general.key_prefix, "left_out": {},
    }  # fmt: skip
    folder = runtime.config.general.data_dir
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=path.parent) as made,
        files.draft_of(path) as draft,
        tarfile.open(draft, "w:gz", compresslevel=1) as tar,
    ):
        keys, copy = Path(made) / _KEYS, Path(made) / _ARCHIVE
        if parse(runtime.clients.url).kind == "cluster":
            manifest["left_out"]["redis"] = "a Redis Cluster is backed up by its own means"
        else:
            with keys.open("wb") as out:
                manifest["keys"] = await _write_keys(runtime, out)
            tar.add(keys, _KEYS)
        manifest["files"], own = 0, {draft.name, Path(made).name}  # which may lie in the data folder
        for file in _files(folder):
            if own.isdisjoint(file.parts):
                with suppress(FileNotFoundError):  # a crawl that runs may have replaced it
                    tar.add(file, f"{_FOLDER}/{file.relative_to(folder)}", recursive=False)
                    manifest["files"] += 1
        if (source := _sqlite(runtime)) is None:
            manifest["left_out"]["archive"] = "it is no SQLite file: pg_dump it at the same time"
        elif source.exists():
            with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(copy)) as other:
                one.backup(other, pages=1000)
            tar.add(copy, _ARCHIVE)
            manifest["archive"] = True
        if not any(manifest.get(part) for part in ("keys", "files", "archive", "left_out")):
            raise ConfigError(f"{folder} and its Redis hold no crawl: ARTICLEBOT_DATA_DIR and REDIS_URL name another")
        told = Path(made) / _MANIFEST
        told.write_text(json.dumps(manifest), encoding="utf-8")
        tar.add(told, _MANIFEST)
    return manifest


async def restore(runtime: Runtime, path: Path, *, replace: bool) -> dict[str, Any]:
    """Puts back what ``back_up`` wrote; returns its manifest.

    Args:
        replace: what is there now is removed; without it only an empty crawl is restored into.

    Raises:
        ConfigError: the file is no backup, or is of other kinds of stores, or something is there, or a worker works.
        StateError: Redis is older than the one that the keys come from.
        StoreUnavailable: a store is away. redis.RedisError: likewise.
    """
    manifest = _manifest(path)
    folder, target, client = runtime.config.general.data_dir, _sqlite(runtime), runtime.clients.of()
    _refuse_others(runtime, manifest, target)
    await _refuse_at_work(runtime)
    # What the backup has not is left as it is.
    known = await _keys(runtime) if "keys" in manifest else []
    there = [file for file in _files(folder) if not file.samefile(path)]  # the backup may lie in the data folder
    # An archive that stays as it is takes what it has delivered for delivered.
    sinks = rules_of(runtime.config.publishing.sinks).values() if "archive" in manifest["left_out"] else ()
    stay = {file for file in there if any(sink.wrote(folder, file) for sink in sinks)}
    if not replace and (known or there or (target is not None and target.exists())):
        raise ConfigError(f"{folder} or its Redis holds a crawl already: --replace removes it first")
    for start in range(0, len(known), _BATCH):
        await client.unlink(*known[start : start + _BATCH])
    for file in there:
        if file not in stay:
            file.unlink()
    with tarfile.open(path, "r:gz") as tar:
        for member in tar:
            source = tar.extractfile(member)
            if source is None:
                continue
            if member.name == _KEYS:
                await _read_keys(client, source)
            elif member.name == _ARCHIVE and target is not None:
                _put_archive(source, target)
            elif member.name.startswith(f"{_FOLDER}/"):
                member.name = member.name.removeprefix(f"{_FOLDER}/")
                if folder / member.name in stay:
                    continue
                try:
                    tar.extract(member, folder, filter="data")
                except tarfile.FilterError as error:  # a name that leads elsewhere
                    raise ConfigError(f"{path} was changed: {error}") from None
    return manifest


def _refuse_others(runtime: Runtime, manifest: dict[str, Any], target: Path | None) -> None:
    """Refuses a backup of stores that this crawl does not have."""
    if manifest["prefix"] != runtime.config.general.key_prefix:
        raise ConfigError(f"it is of the key prefix {manifest['prefix']!r}: set ARTICLEBOT_KEY_PREFIX to it")
    if "keys" in manifest and parse(runtime.clients.url).kind == "cluster":
        raise ConfigError("it holds the keys of one Redis, which cannot be put into a Redis Cluster")
    if "archive" in manifest and target is None:
        raise ConfigError("it holds an archive in SQLite, and ARTICLEBOT_DATABASE_URL names another database")


def _put_archive(source: Any, target: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        target.with_name(target.name + ending).unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as out:
        shutil.copyfileobj(source, out)


def _files(folder: Path) -> Iterator[Path]:
    """What the data folder holds beside Redis' own files, the archive, locks, logs and what running workers count."""
    for path in sorted(folder.rglob("*")):
        first = path.relative_to(folder).parts[0]
        if path.is_file() and not path.is_symlink() and first not in _NOT_STATE and not first.startswith("archive.db"):
            yield path


def _manifest(path: Path) -> dict[str, Any]:
    try:
        with tarfile.open(path, "r:gz") as tar:
            file = tar.extractfile(_MANIFEST)
            found = json.loads(file.read()) if file is not None else None
    except (tarfile.TarError, OSError, EOFError, KeyError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise ConfigError(f"{path}: there is no such file") from None
        raise ConfigError(f"{path} is no backup of a crawl, or is damaged: {error}") from None
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise ConfigError(f"{path} was written by another version, which can restore it")
    return found


async def _refuse_at_work(runtime: Runtime) -> None:
    for name in await runtime.frontier.spiders():
        for one in await workers(runtime.frontier.of(name)):
            if (left := runtime.config.frontier.lease_s - one.heard_s) >= 0:
                hint = f"end all workers first; one that was killed counts for {left:.0f} s more"
                raise ConfigError(f"worker {one.name} is at work: {hint}")


async def _write_keys(runtime: Runtime, out: BinaryIO) -> int:
    number, every = 0, await _keys(runtime)
    for start in range(0, len(every), _BATCH):
        keys = every[start : start + _BATCH]
        pipeline: Any = runtime.clients.of().pipeline(transaction=False)
        for key in keys:
            pipeline.pttl(key)
            pipeline.dump(key)
        replies = await pipeline.execute()
        for key, left, value in zip(keys, replies[::2], replies[1::2], strict=True):
            if value is not None:  # it ended meanwhile
                out.write(_HEAD.pack(len(key), max(0, left), len(value)))
                out.write(key)
                out.write(value)
                number += 1
    return number


async def _keys(runtime: Runtime) -> list[bytes]:
    """The keys of the crawl: those of its prefix, and of the parts that have a hash slot of their own."""
    prefix = runtime.config.general.key_prefix
    plain = literal(prefix)
    match = f"{plain[:-1]}[:}}]*" if prefix.startswith("{") and prefix.endswith("}") else f"{plain}:*"
    found = runtime.clients.of().scan_iter(match=match, count=1000)
    return [key async for key in found if not key.endswith(_TOKENS)]


async def _read_keys(client: Any, source: Any) -> None:
    pipeline, waiting = client.pipeline(transaction=False), 0
    for key, left, value in _records(source):
        pipeline.restore(key, left, value, replace=True)
        waiting += 1
        if waiting >= _BATCH:
            await _run(pipeline)
            waiting = 0
    await _run(pipeline)


async def _run(pipeline: Any) -> None:
    try:
        await pipeline.execute()
    except ResponseError as error:
        if "DUMP payload" in str(error):
            raise StateError(
                "this Redis is older than the one that the backup is of: restore into a newer one"
            ) from None
        raise


def _records(source: Any) -> Iterator[tuple[bytes, int, bytes]]:
    while head := source.read(_HEAD.size):
        try:
            length, left, size = _HEAD.unpack(head)
        except struct.error:
            raise ConfigError("the backup's keys are damaged") from None
        if length > _LONGEST_KEY or size > _LARGEST_VALUE:
            raise ConfigError("the backup's keys are damaged")
        yield source.read(length), left, source.read(size)


def _sqlite(runtime: Runtime) -> Path | None:
    """The archive's file; None where it is in another database."""
    kind, _, name = runtime.database_url.partition(":///")
    return Path(name) if kind == "sqlite" else None
