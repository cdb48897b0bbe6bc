"""What pipelines have to know of an item beside what is published of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from articlebot.archive import Kept
from articlebot.items import Article, Withdrawal
from articlebot.recrawl import Observation, PageRecord, Validators

_NO_VALIDATORS = Validators()


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside(Kept):
    """What is archived of an item but not published, and the visit that brought it.

    Attributes:
        record: the page as it was before this visit; None for the items of foreign spiders.
        seen: what the recrawl is told once the version is archived.
        validators: what the answer offers for the next conditional request.
        already: the archive has had this version.
        reread: headline and text of the same page as another extractor reads it, named as ``Article.extractor`` does;
            it returns None where that one cannot be had or does not fit any more. None: the page is not at hand.
    """

    record: PageRecord | None = None
    seen: Observation | None = None
    validators: Validators = _NO_VALIDATORS
    already: bool = False
    reread: Callable[[str], tuple[str, str] | None] | None = None

    @property
    def previous_hash(self) -> int:
        """Content hash that the visit before saw, 0 where there was none."""
        return self.record.state.content_hash if self.record is not None else 0

    @property
    def previous_fingerprint(self) -> int:
        """Fingerprint that the visit before saw, 0 where there was none."""
        return self.record.state.fingerprint if self.record is not None else 0


_NOTHING = Beside()


class BesideItems:
    """A ``Beside`` for each item that lives; it goes with the item."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Article | Withdrawal, Beside] = WeakKeyDictionary()

    def of(self, item: Article | Withdrawal) -> Beside:
        """What belongs to an item; an empty one where nobody has said anything."""
        return self._kept.get(item, _NOTHING)

    def note(self, item: Article | Withdrawal, **fields: Any) -> None:
        """Sets fields of what belongs to an item."""
        self._kept[item] = replace(self.of(item), **fields)
