"""The texts of a script in quotes: compilers write each as a template, ``fetch(`/api/list`)``, as it is as short."""

from __future__ import annotations

import re

# What holds no code ends here: quoted texts, and expressions, which stand where a value begins. Then what is counted.
_PART = re.compile(
    r""""(?:[^"\\\n]++|\\.)*+"?|'(?:[^'\\\n]++|\\.)*+'?|//|/\*|"""
    r"(?:(?<=[=(,:;!&|?{\[>+])|(?<=return))/(?:[^/\\\[\n]++|\\.|\[(?:[^\]\\\n]++|\\.)*+\]?)++/?|[`{}]",
    re.S,
)
_TEMPLATE = re.compile(r"(?:[^`\\$]++|\\.?|\$(?!\{))*+(\$\{|`|\Z)", re.S)
_ENDS = {"//": "\n", "/*": "*/"}
_UNQUOTED = frozenset('"\\\n')


def quoted(script: str) -> str:
    """The script with the templates in quotes that nothing is put into; those with a quote or two lines stay."""
    if "`" not in script:
        return script
    made, kept, at = list[str](), 0, 0
    open_holes: list[int] = []  # of the templates around a place, the braces that are open in the hole
    while match := _PART.search(script, at):
        at, part = match.end(), match[0]
        if part in _ENDS:
            at = script.find(_ENDS[part], at) + 1 or len(script)
        elif part == "{" and open_holes:
            open_holes[-1] += 1
        elif part == "}" and open_holes and open_holes[-1]:
            open_holes[-1] -= 1
        elif part == "`" or (part == "}" and open_holes):
            template = _TEMPLATE.match(script, at)
            assert template is not None
            if part == "}":
                open_holes.pop()
            if template[1] == "${":
                open_holes.append(0)
            elif part == "`" and template[1] and _UNQUOTED.isdisjoint(text := script[at : template.start(1)]):
                made += [script[kept : match.start()], '"', text, '"']
                kept = template.end()
            at = template.end()
    return "".join([*made, script[kept:]])
