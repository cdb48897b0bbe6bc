"""Where an element stands: its path, and whether it is in a part that leads about the site, or in a headline."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from articlebot.page.tags import step

# Elements above a link that name its place, and above the page's head.
_MAX_STEPS, _BANNER_DEPTH = 12, 2
_AWAY = frozenset("nav footer".split())
_ROLES = frozenset("navigation menu menubar contentinfo banner".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5".split())
_MENU = re.compile(
    r"\b(?:nav|navbar|navigation|menu|submenu|breadcrumbs?|crumbs?|footer|foot|copyright|pagination|pager|paging|"
    r"page-?numbers?|"
    r"share|social|login|toolbar|tag-?cloud|tags|friend-?links?|friendlink|sitemap|skip|cookie|lang)\b",
    re.I,
)
_SPLIT = re.compile(r"[_\s]+|(?<=[a-z])(?=[A-Z])")


class Step(NamedTuple):
    """What is asked of an element above a link: its name, whether it is a menu, whether it is a heading."""

    name: str
    menu: bool
    heading: bool


def place_of(element: Any, steps: dict[Any, Step]) -> tuple[str, bool, bool]:
    """(path, inside a menu, inside a heading) of an element's parent; steps are kept, as links share most."""
    above: list[Step] = []
    node = element.getparent()
    while node is not None and len(above) < _MAX_STEPS:
        one = steps.get(node)
        if one is None:
            if not isinstance(node.tag, str) or node.tag in ("body", "html"):
                break
            one = steps[node] = Step(step(node), _is_menu(node), node.tag in _HEADINGS)
        above.append(one)
        node = node.getparent()
    path = "/".join([one.name for one in reversed(above)])
    return path, any(one.menu for one in above), any(one.heading for one in above)


def _is_menu(node: Any) -> bool:
    if node.tag in _AWAY or _is_banner(node) or node.get("role") in _ROLES:
        return True
    if node.tag in ("main", "article") or node.tag == "li":
        return False
    names = f"{node.get('id') or ''} {node.get('class') or ''}"[:300]
    if "foot" in names and next(node.iterancestors("article", "section", "li"), None) is not None:
        names = names.replace("footer", "").replace("foot", "")  # the lower part of a card, which may have its title
    return _names_menu(names)


def _is_banner(node: Any) -> bool:
    """Whether an element is the page's head, which entries have too: https://www.w3.org/TR/html-aam-1.0/ (header)."""
    above = [one.tag for one in islice(node.iterancestors(), _BANNER_DEPTH)] if node.tag == "header" else []
    return "body" in above and above[0] not in ("main", "article", "section")


@lru_cache(maxsize=16384)
def _names_menu(names: str) -> bool:
    return len(names) > 1 and _MENU.search(_SPLIT.sub(" ", names).replace("-", " ")) is not None
