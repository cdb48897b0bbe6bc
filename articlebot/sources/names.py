"""What the names in a script stand for: what the script assigns to them, and what the page has in its attributes.

A bundle of a megabyte puts thousands of addresses together: text and page are gone through once, not for each name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice

from articlebot.page.js_values import records
from articlebot.sources.attributes import Attributes, Reading, attribute, reading_at, reading_in, readings_in
from articlebot.sources.counters import begun_in, counted_in
from articlebot.sources.data import menu_of
from articlebot.sources.plain_scripts import given, written
from articlebot.sources.wrappers import handed_on

_DIGITS_OF_TIME = 10  # of epoch seconds, at least
_NUMBER = re.compile(
    r"(?:(?<![\w.$])|(?<=(?:this|self)\.))([A-Za-z_$][\w$]*+)[\"']?\s{0,9}[:=]\s{0,9}(\d{1,13})(?![\w.])"
)
_TEXT = re.compile(
    r"(?:(?<![\w.$])|(?<=window\.)|(?<=this\.))([A-Za-z_$][\w$]*+)[\"']?\s{0,9}[:=]\s{0,9}[\"']([\w./:\\-]{0,80}|/[\w./:\\?=&%-]{1,200})[\"']"
)
# What has another name elsewhere: api = window.API_BASE.
_ALIAS = re.compile(
    r"(?<![\w.$])([A-Za-z_$][\w$]*+)\s{0,9}=\s{0,9}(?:[\w$]{1,40}\.){1,3}([A-Za-z_$][\w$]{2,40}+)(?![\w$.(\[])"
)
# function load(page) { …, load = async (page) => …, and load(0).
_FUNCTION = re.compile(
    r"(?:\bfunction\s{1,9}(?P<named>[A-Za-z_$][\w$]{0,40})|(?<![\w.$])(?P<assigned>[A-Za-z_$][\w$]{0,40})\s{0,9}[:=]\s{0,9}(?:async\s{1,9})?"
    r"(?:function)?)\s{0,9}\(\s{0,9}(?P<parameter>[A-Za-z_$][\w$]{0,40})\s{0,9}[,)=]"
)
# class Api { constructor(base) { …, and new Api("/v2").
_CLASS = re.compile(
    r"\bclass\s{1,9}(?P<named>[A-Za-z_$][\w$]{0,40})[^{}]{0,60}\{\s{0,40}constructor\(\s{0,9}(?P<parameter>[A-Za-z_$][\w$]{0,40})"
)
_CALL = re.compile(r"(?<![\w.$])([A-Za-z_$][\w$]{0,40})\(\s{0,9}(?:(\d{1,4})|[\"']([\w./:-]{1,80})[\"'])\s{0,9}[,)]")
# What is put together of texts and other names: list = HOST + "/" + VERSION + "/list", `${API}/list`.
_SUM = re.compile(
    r"(?<![\w.$])([A-Za-z_$][\w$]*+)[\"']?\s{0,9}[:=]\s{0,9}((?:[\w$.]{1,60}|[\"'][\w./:-]{0,80}[\"'])"
    r"(?:\s{0,9}\+\s{0,9}(?:[\w$.]{1,60}|[\"'][\w./:-]{0,80}[\"'])){1,8}+|`[\w./:${}-]{1,120}`)"
)
# What an API's client is made with: axios.create({baseURL: at}), ky.create({prefixUrl: env.API || "/api"}).
_BASE = re.compile(
    r"\b(?:base(?:URL|Url)|prefixUrl)[\"']?\s{0,9}[:=]\s{0,9}(?:[^,;\"'`{}]{0,60}\|\|\s{0,9})?"
    r"(?:[\"'`](?P<text>[\w./:-]{1,80})[\"'`]|(?P<name>[A-Za-z_$][\w$.]{0,60}))"
)
_TERM = re.compile(r"[\"']([\w./:-]{0,80})[\"']|\$\{([\w$.]{1,60})\}|([\w./:-]{1,80}(?=[`$]))|([\w$.]{1,60})")
# export{n as B}
AS, _EXPORTED = re.compile(r"([\w$]{1,40}+)(?:\sas\s([\w$]{1,40}))?"), re.compile(r"\bexport\s{0,4}\{([^{}]{1,2000})\}")
_MOST_TERMS, _MOST_INSIDE, _LONGEST_SUM, _MOST_BASES = 12, 4, 500, 40
# What a function takes where it is given nothing: ({page:e=0}={})=>…
_DEFAULT = re.compile(r"[{,]\s{0,4}(\w{1,30})\s{0,4}:\s{0,4}[A-Za-z_$][\w$]?\s{0,4}=\s{0,4}(\d{1,6})(?=\s{0,4}[,}])")
_LIST = re.compile(
    r"(?<![\w.$])([A-Za-z_$][\w$]*+)\s{0,9}[:=]\s{0,9}\[((?:[\"'][\w./:-]{1,80}[\"'],?\s{0,9}){1,400}+)\]"
)
# What goes through a list: DAYS.forEach(show), days.map(d => …), for (const day of DAYS).
_EACH = re.compile(
    r"(?<![\w.$])(?P<list>[A-Za-z_$][\w$]{0,40})\.(?:forEach|map)\(\s{0,9}(?:async\s{1,9})?(?:function\s{0,9})?\(?\s{0,9}(?P<each>[A-Za-z_$][\w$]{0,40})|"
    r"\b(?P<one>[A-Za-z_$][\w$]{0,40})\s{1,9}of\s{1,9}(?P<all>[A-Za-z_$][\w$]{0,40})\s{0,9}\)"
)
OF_SECTION = re.compile(r"cat|chan|sec|col(?:umn)?|tab|topic|class|(?:\A|[a-z_])[ctf]id\Z", re.I)
_OF_TAB = re.compile(rf"{OF_SECTION.pattern}|year|month|date|period|issue|menu|nav", re.I)
_CURSOR = re.compile(r"(?:next|end)_?(?:page)?_?(?:cursor|token|key|id)", re.I)
# Where entries say what they are called, for those who ask for what comes behind one.
_CURSORS = ("data-cursor", "data-next-cursor", "data-last-id", "data-last", "data-id", "data-post-id")


class Names:
    """The names of one script on a page.

    Args:
        text: of the script.
        attributes: of the page.
        menu: what an answer of the site calls its sections, each by field.
        beside: the page's own scripts together, which may assign what this one uses.
    """

    def __init__(
        self, text: str, attributes: Attributes, menu: Sequence[Mapping[str, str]] = (), beside: Names | None = None
    ) -> None:  # fmt: skip
        self._attributes, self._menu, self._beside = attributes, menu, beside
        self.text = attributes.filled(written(text, attributes.url))
        self._made: dict[str, Sequence[str]] = {}

    def sections(self, name: str) -> Sequence[str]:
        """What sections are called, by the field that a name ends in, else by the first that they have."""
        menu = self._menu or (self._own_menu if OF_SECTION.search(name) else ())
        fields = [field for field in (menu[0] if menu else ()) if name.lower().endswith(field)]
        return [one[fields[0]] if fields and fields[0] in one else next(iter(one.values())) for one in menu]

    def listed(self, field: str) -> Sequence[str]:
        """What each of the sections that the script lists has in a field of just that name."""
        return [one[field.lower()] for one in self._menu or self._own_menu if field.lower() in one]

    def tabs(self, name: str, key: str) -> Sequence[str]:
        """What each of the tabs is called by from which a script takes a section: ``cid = $(this).data("cid")``.

        Args:
            key: as what it asks for that.
        """
        reading = self._readings.get(name) or reading_at(self.text, name)
        if (
            reading is None
            or not reading.pressed
            or not any(map(_OF_TAB.search, (name, key, reading.attribute, reading.of)))
        ):
            return ()
        return self._attributes.every(reading.attribute, reading.of)

    @cached_property
    def _own_menu(self) -> Sequence[Mapping[str, str]]:
        """What the script itself calls sections: ``tabs = [{id: 101, name: "Home"}, …]``."""
        return next((menu for found in records(self.text) if (menu := menu_of(found))), ())

    def number(self, name: str) -> int | None:
        """The number that is assigned to a name first."""
        found = self._numbers.get(name, self._handed.get(name))
        return self._beside.number(name) if found is None and self._beside else found

    def texts(self, name: str) -> Sequence[str]:
        """The text that is assigned to a name, or to what that stands for, or the texts of a list."""
        return self._assigned(name) or (self._assigned(self._aliases[name]) if name in self._aliases else ())

    def _assigned(self, name: str) -> Sequence[str]:
        found = self._texts.get(name) or self._lists.get(self._each.get(name, name)) or self._summed(name, 0)
        found = found or self._told.get(name, ())
        if not found and name == "baseURL":
            found = self._client_base
        return self._beside.texts(name) if not found and self._beside else found

    def is_shared(self, name: str) -> bool:
        """Whether a compiler has given a name of one or two letters to several things, so that it tells nothing."""
        return self._given[name] > 1

    def is_handed(self, name: str) -> bool:
        """Whether a name is that of a function's parameter, with which it is asked for first: ``load(1)``."""
        return name in self._handed and name not in self._numbers

    def is_begun(self, name: str) -> bool:
        """Whether a script begins with nothing under a name that it is not said to read from the page: let last = 0."""
        return name not in self._readings and name in self._begun

    @cached_property
    def _begun(self) -> frozenset[str]:
        return begun_in(self.text, self._functions)

    @cached_property
    def counters(self) -> frozenset[str]:
        """The names that are counted up, as the number of a page is."""
        return counted_in(self.text)

    @cached_property
    def defaults(self) -> dict[str, int]:
        """The numbers that functions take in place of what they are not given, by its name in lower case."""
        return {match[1].lower(): int(match[2]) for match in reversed(list(_DEFAULT.finditer(self.text)))}

    @cached_property
    def _given(self) -> Counter[str]:
        return given(self.text)

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return {match[1]: match[2] for match in reversed(list(_ALIAS.finditer(self.text)))}

    def _summed(self, name: str, inside: int) -> Sequence[str]:
        """What a name is put together of, nothing where a part of that is not known, or is told by the name itself."""
        if name not in self._made:
            self._made[name] = ()
            self._made[name] = self._put_together(self._sums.get(name, ""), inside)
        return self._made[name]

    def _put_together(self, said: str, inside: int) -> Sequence[str]:
        made = ""
        for quoted, hole, plain, other in _TERM.findall(said)[:_MOST_TERMS]:
            part = quoted or (plain if said.startswith("`") else "")
            if called := (hole or ("" if part else plain or other)).rpartition(".")[2]:
                known = self._texts.get(called) or (self._summed(called, inside + 1) if inside < _MOST_INSIDE else ())
                if not known:
                    return ()
                part = known[0]
            made += part
        return (made,) if 0 < len(made) <= _LONGEST_SUM else ()

    def exported(self, name: str) -> Sequence[str]:
        """The texts of what other modules know by a name."""
        pairs = (pair for names in _EXPORTED.findall(self.text) for pair in AS.findall(names))
        return self.texts(next((own for own, known in pairs if known == name), name))

    @cached_property
    def _client_base(self) -> Sequence[str]:
        """What the client of an API puts before each address, by a name of its own or behind "or else"."""
        for base in islice(_BASE.finditer(self.text), _MOST_BASES):
            name = (base["name"] or "").rpartition(".")[2]
            itself = "baseURL" in (name, self._aliases.get(name))
            if found := (base["text"],) if base["text"] else () if itself or not name else self.texts(name):
                return found
        return ()

    @cached_property
    def cursor(self) -> str:
        """What the page's data say to ask for next: {"nextCursor": "b2Zm"}."""
        named = (texts[0] for name, texts in self._texts.items() if _CURSOR.fullmatch(name) and texts[0])
        found = next(named, "") or next(iter(self._texts.get("cursor", ())), "")
        return self._beside.cursor if not found and self._beside else found

    def stated(self, name: str) -> str:
        """What the page has in the attribute of that name."""
        return self._attributes.value(attribute(name)) if len(name) > 1 else ""

    def reads(self, name: str) -> bool:
        """Whether a name stands for what the script reads from the page."""
        return name in self._readings

    def read(self, expression: str, name: str, *, last: bool) -> str:
        """What a script reads from the page for an expression or its name, "" where it reads nothing.

        Args:
            last: from the last element that has it: an address asks for what comes behind that.
        """
        reading = reading_in(expression) or self._readings.get(name)
        if reading and (value := self._attributes.value(reading.attribute, last=last, of=reading.of)):
            return value
        for attribute_name in _CURSORS if last else ():
            if value := self._attributes.value(attribute_name, last=last):
                return value
        return reading.usual if reading else ""

    @cached_property
    def _numbers(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for name, digits in reversed(_NUMBER.findall(self.text)):
            # Of entries' times the earliest counts: a list goes on behind it.
            behind = found.get(name, 0) if len(digits) >= _DIGITS_OF_TIME else 0
            found[name] = min(int(digits), behind) if behind >= 10 ** (_DIGITS_OF_TIME - 1) else int(digits)
        return found

    @cached_property
    def _handed(self) -> dict[str, int]:
        """The number with which a function is called, by the name of its first parameter: ``load(0)``."""
        calls = {match[1]: int(match[2]) for match in reversed(self._calls) if match[2]}
        return {parameter: calls[function] for function, parameter in self._functions.items() if function in calls}

    @cached_property
    def _told(self) -> dict[str, Sequence[str]]:
        """The words with which a function is called, by the name of its first parameter: ``load("town", 1)``."""
        calls = defaultdict[str, dict[str, None]](dict)
        for match in self._calls:
            if match[3]:
                calls[match[1]][match[3]] = None
        return {name: tuple(calls[function]) for function, name in self._functions.items() if function in calls}

    @cached_property
    def _calls(self) -> list[re.Match[str]]:
        return list(_CALL.finditer(self.text))

    @cached_property
    def _functions(self) -> dict[str, str]:
        """The first parameters of functions."""
        found = {match["named"] or match["assigned"]: match["parameter"] for match in _FUNCTION.finditer(self.text)}
        return found | {match["named"]: match["parameter"] for match in _CLASS.finditer(self.text)}

    @cached_property
    def wrappers(self) -> dict[str, str]:
        """What functions of the script put before the address that they are handed, by their names."""
        made = ((name, self._put_together(own, 0)) for name, own in handed_on(self.text))
        return {name: bases[0] for name, bases in reversed([*made]) if bases}

    @cached_property
    def _each(self) -> dict[str, str]:
        """The lists that the script goes through, by the name that it has for one of them."""
        found = ((match["each"] or match["one"], match["list"] or match["all"]) for match in _EACH.finditer(self.text))
        return {self._functions.get(name, name): listed for name, listed in found if listed in self._lists}

    @cached_property
    def _texts(self) -> dict[str, Sequence[str]]:
        return {match[1]: (match[2].replace("\\/", "/"),) for match in reversed(list(_TEXT.finditer(self.text)))}

    @cached_property
    def _lists(self) -> dict[str, Sequence[str]]:
        return {match[1]: re.findall(r"[\w./:-]+", match[2]) for match in reversed(list(_LIST.finditer(self.text)))}

    @cached_property
    def _sums(self) -> dict[str, str]:
        return {match[1]: match[2] for match in reversed(list(_SUM.finditer(self.text)))}

    @cached_property
    def _readings(self) -> dict[str, Reading]:
        return readings_in(self.text, self._functions)
