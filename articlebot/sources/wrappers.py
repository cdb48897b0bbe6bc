"""Functions of a script that fetch the address that they are handed behind one of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

# What fetches an address that it is handed behind one of its own: fetch(API + path), fetch(`${API}/v1${path}`).
_HANDED_ON = re.compile(
    r"(?:(?:\bfetch|\.get|\baxios|\brequest|\bnew URL)\(|\b(?:let|const|var)\s{1,9}[\w$]{1,40}\s{0,9}=)\s{0,9}"
    r"(?:[\w$.!]{1,40}+\s{0,9}\?\s{0,9})?"
    r"(?P<made>`[\w./:${}-]{1,120}?\$\{(?P<inner>[A-Za-z_$][\w$]{0,40})\}(?:`|(?=\??\$\{[^{}]{1,80}[?}]))|"
    r"(?:(?:[\w$.]{1,60}|[\"'][\w./:-]{0,80}[\"'])\s{0,9}\+\s{0,9}){1,4}(?P<last>[A-Za-z_$][\w$]{0,40}))(?:\s{0,9}[,);:]|(?<=\})\??\$)"
)
# async function api(path), api = path =>, get: async (path) =>, get(path) {
_TAKES = (
    r"(?:(?P<assigned>[A-Za-z_$][\w$]{{0,40}})\s{{0,9}}[:=]\s{{0,9}}(?:async\s{{0,9}})?(?:function\s{{0,9}})?\(?|"
    r"(?P<named>[A-Za-z_$][\w$]{{0,40}})\((?=[^()]{{1,120}}\)\s{{0,9}}(?::[^{{}}()]{{1,60}})?\{{))\s{{0,9}}{parameter}\s{{0,9}}[,)=]"
)
# Handed to a function: api("/posts?page=" + n).
GIVEN = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]{0,40})\(\s{0,9}\Z")
_MOST, _ABOVE = 40, 300


def handed_on(script: str) -> Iterator[tuple[str, str]]:
    """The names of such functions, with what they put before an address as the script puts it together."""
    for match in islice(_HANDED_ON.finditer(script), _MOST):
        parameter = match["inner"] or match["last"]
        above = script[max(0, match.start() - _ABOVE) : match.start()]
        own = match["made"].replace(f"${{{parameter}}}", "") if match["inner"] else match["made"].rpartition("+")[0]
        taken = _takes(parameter, above)
        if not taken and "+" in own:  # what is asked for stands behind it: API + path + query
            own, _, parameter = own.rpartition("+")
            taken = _takes(parameter.strip(), above)
        yield from ((one["assigned"] or one["named"], own.rstrip()) for one in taken)


def _takes(parameter: str, above: str) -> list[re.Match[str]]:
    """The last function in a text that takes a parameter of that name first."""
    return [*re.finditer(_TAKES.format(parameter=re.escape(parameter)), above)][-1:]
