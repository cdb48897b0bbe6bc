"""Looking for the elements of a page that a learned key names."""

from __future__ import annotations

from typing import Any

from articlebot.extraction.wrapper.paths import STRANGE, key_of, outermost, split_step
from articlebot.extraction.wrapper.samples import Namer
from articlebot.page.page import Page


class Key:
    """The key of an element, prepared to be looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        steps = text.split("/")
        named = [number for number, step in enumerate(steps) if split_step(step)[1]]
        self._named = max(1, len(named))
        last = named[-1] if named else 0
        self._anchor, self._below = steps[last], steps[last + 1 :]
        tag, names = split_step(self._anchor)
        self._tag = tag.rstrip(STRANGE)
        # Naming each element of a page would take longer than its walk; 0 stands for any digits.
        literal = max((name for name in names if "0" not in name), key=len, default="")
        self._attribute, self._part = "id" if literal[:1] == "#" else "class", literal[1:]

    def found(self, page: Page, namer: Namer) -> list[Any]:
        """The outermost elements of a page that the key names."""
        part, attribute = self._part, self._attribute
        among: list[Any] = page.by_tag[self._tag]
        if part:
            among = [element for element in among if part in (element.get(attribute) or "")]
        among = [element for element in among if namer(element) == self._anchor]
        for step in self._below:
            among = [child for element in among for child in element if namer(child) == step]
        matches = [element for element in among if key_of(element, namer, named=self._named) == self.text]
        if len(matches) < 2:
            return matches
        among = page.by_tag[matches[0].tag] if self._below else []
        chosen = set(matches)
        return outermost([element for element in among if element in chosen] or matches)
