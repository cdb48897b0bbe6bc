"""One job file: its tables, checked for themselves, and the jobs that they make with the groups of all files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from articlebot.config import meant
from articlebot.errors import JobFileError
from articlebot.jobs.hours import Window
from articlebot.jobs.lines import Lines
from articlebot.jobs.model import Job, Selectors, name_at

_AT_LINE = re.compile(r"(?:(?<!\s)\s+)?\(at line (\d+), column \d+\)")
_TABLES = {"defaults", "group", "site"}
_GROUP_NAME = re.compile(r"[\w-]{1,64}")
_NOT_SHARED = {"name", "group"}
_INNER: Mapping[str, type[BaseModel]] = {"selectors": Selectors, "windows": Window}
# What pydantic says in Python's words.
_SAID = {"tuple_type": "expected a list", "model_type": "expected a table", "dict_type": "expected a table"}
# What a pattern wants, in words.
_FORMS = {"name": "expected letters, digits, - . _", "language": 'expected a code of ISO 639-1, such as "en" or "zh"'}

Group = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Document:
    """A job file that is TOML with the right tables.

    Attributes:
        path: of the file.
        defaults: ``[defaults]``, for its own sites.
        groups: its ``[group.NAME]`` tables, for the sites of all files.
        sites: its ``[[site]]`` tables.
        lines: where they stand.
    """

    path: Path
    defaults: Group
    groups: Mapping[str, Group]
    sites: tuple[dict[str, Any], ...]
    lines: Lines

    @classmethod
    def read(cls, path: Path) -> Document:
        """What a file says.

        Raises:
            JobFileError: it cannot be read, or a table is wrong whatever the other files say.
        """
        return cls.of(path, _read(path))

    @classmethod
    def of(cls, path: Path, text: str) -> Document:
        """What a file would say with this text; raises as ``read``."""
        data, lines = toml_of(path, text), Lines(text)
        for key in data.keys() - _TABLES:
            expected = "unknown key; expected [defaults], [group.NAME] or [[site]]"
            raise JobFileError(str(path), lines.find((key,)), key, expected)
        defaults, groups, blocks = data.get("defaults", {}), data.get("group", {}), data.get("site", [])
        if not isinstance(blocks, list) or not (blocks or groups) or not all(isinstance(one, dict) for one in blocks):
            raise JobFileError(str(path), lines.find(("site",)), "site", "expected one [[site]] block or more")
        document = cls(path, defaults, groups, tuple(blocks), lines)
        document._check_shared(("defaults",), defaults, {"name"})
        if not isinstance(groups, dict):
            raise JobFileError(str(path), lines.find(("group",)), "group", "expected tables: [group.NAME]")
        for name, group in groups.items():
            document._check_group(name, group)
        return document

    @property
    def used(self) -> frozenset[str]:
        """Names of the groups that its sites name."""
        named = {site.get("group", self.defaults.get("group")) for site in self.sites}
        return frozenset(name for name in named if isinstance(name, str))

    def jobs(self, groups: Mapping[str, Group]) -> list[Job]:
        """Its jobs.

        Args:
            groups: of all files, by name.

        Raises:
            JobFileError: a site is wrong; the first fault.
        """
        return [self._job(index, site, groups) for index, site in enumerate(self.sites)]

    def line_of(self, index: int, key: str) -> int | None:
        """The line on which a site's key stands, or the site where it has the key from elsewhere."""
        return self.lines.find(("site", index, key)) or self.lines.find(("site", index))

    def _job(self, index: int, site: dict[str, Any], groups: Mapping[str, Group]) -> Job:
        of = site.get("group", self.defaults.get("group"))
        if isinstance(of, str) and of not in groups:
            near = get_close_matches(of, groups, 1)
            known = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(groups)) or 'none'}"
            line = self.lines.find(("site", index, "group")) or self.lines.find(("defaults", "group"))
            raise JobFileError(str(self.path), line, f"site[{index}].group", f"no job file has [group.{of}]; {known}")
        group = groups[of] if isinstance(of, str) else {}
        stated = {**self.defaults, **group, **site}
        if (name := name_of(site)) is not None:
            stated["name"] = name
        try:
            return Job.model_validate(stated)
        except ValidationError as error:
            raise self._explain(index, site, error) from None
        except RecursionError:
            line = self.lines.find(("site", index))
            raise JobFileError(str(self.path), line, f"site[{index}]", "an expression is nested too deeply") from None

    def _check_shared(self, place: tuple[str, ...], table: Any, refused: set[str]) -> None:
        key = ".".join(place)
        if not isinstance(table, dict):
            raise JobFileError(str(self.path), self.lines.find(place), key, f"expected a table: [{key}]")
        for name in table:
            if name not in Job.model_fields or name in refused:
                line = self.lines.find((*place, name))
                raise JobFileError(
                    str(self.path), line, f"{key}.{name}", _unknown(name, Job.model_fields.keys() - refused)
                )

    def _check_group(self, name: str, group: Any) -> None:
        """Checks a group's values here and not in each of its sites: the fault is named where it stands."""
        place = ("group", name)
        if not _GROUP_NAME.fullmatch(name):
            expected = "expected a name of up to 64 letters, digits, - and _"
            raise JobFileError(str(self.path), self.lines.find(place), f"group.{name}", expected)
        self._check_shared(place, group, _NOT_SHARED)
        try:
            Job.model_validate({"name": "x", "list_pages": ["http://x.example/"], **group})
        except ValidationError as error:
            # What does not fit together may do so with a site's own keys.
            for one in error.errors():
                if loc := _plain(one["loc"]):
                    key = ".".join([*place, *map(str, loc)])
                    line = self.lines.deepest((*place, *loc))
                    raise JobFileError(str(self.path), line, key, _expected(one)) from None

    def _explain(self, index: int, site: dict[str, Any], error: ValidationError) -> JobFileError:
        first = error.errors()[0]
        loc = _plain(first["loc"])
        key = str(loc[0]) if loc else ""
        place = f"site[{index}]"
        if first["type"] == "missing":
            line = self.lines.find(("site", index))
        elif key in site or not key:
            line = self.lines.deepest(("site", index, *loc))
        else:
            line = self.lines.find(("defaults", key))
            place = place if line is None else "defaults"
            line = line or self.lines.find(("site", index))
        dotted = ".".join([place, *(str(part) for part in loc)])
        return JobFileError(str(self.path), line, dotted, _expected(first))


def toml_of(path: Path, text: str) -> dict[str, Any]:
    """The tables of a text.

    Raises:
        JobFileError: it is no TOML, or has tables too deep or numbers too long to be read.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        match = _AT_LINE.search(str(error))
        what = _AT_LINE.sub("", str(error))
        raise JobFileError(str(path), int(match[1]) if match else None, None, f"not TOML: {what}") from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise JobFileError(str(path), None, None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise JobFileError(str(path), None, None, f"expected UTF-8: {error.reason}") from None


def name_of(site: Mapping[str, Any]) -> Any:
    """The name of a ``[[site]]`` table: the one that it states, else its site's host; None where it has neither."""
    if "name" in site or not isinstance(address := site.get("site"), str):
        return site.get("name")
    with suppress(ValueError):
        return name_at(address if "://" in address else f"https://{address}")
    return None


def _unknown(name: str, known: Collection[str]) -> str:
    hint = meant(name, known) or f"expected one of {', '.join(sorted(known))}"
    return f"unknown key; {hint}"


def _plain(loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    return tuple(part for part in loc if not (isinstance(part, str) and "[" in part))


def _expected(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        first, *inner = map(str, _plain(error["loc"]))
        model = _INNER[first] if inner and first in _INNER else Job
        return _unknown(inner[-1] if inner else first, model.model_fields)
    expected = _SAID.get(error["type"], str(error["msg"]).removeprefix("Value error, "))
    if error["type"] == "string_pattern_mismatch":
        expected = _FORMS.get(str(error["loc"][0]), expected)
    if error["type"] != "missing" and error["loc"]:
        expected += f" (got {error['input']!r})"
    return expected
