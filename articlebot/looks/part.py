"""The part of a site that an address with a folder asks for: what lies below it, where its articles do."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

from articlebot.urls import canonical_or_none, is_front, same_site

# Articles of a page from which on the folder is told, and their share of all that it names.
_LEAST, _SHARE = 3, 0.5
_ENDING = re.compile(r"\.\w{2,5}\Z")
# What the front page of a folder is called: /wiki/Main_Page, /en/home.html.
_FRONT = re.compile(
    r"(?:main[_-]?page|home(?:[_-]?page)?|start(?:seite|page)?|hauptseite|accueil|portada|inicio|index|default|welcome)\Z",
    re.I,
)


def part_of(home: str, named: Collection[str]) -> str:
    """The folder below which articles lie as the address does, with a slash at both ends.

    Args:
        home: the address, canonical.
        named: the articles that its page names.

    Returns:
        "/" for a whole site, "" where the articles lie elsewhere: then the page is a list of its own.
    """
    above, _, name = _ENDING.sub("", urlsplit(home).path.rstrip("/")).rpartition("/")
    folders = [f"{above}/"] if _FRONT.match(name) else [f"{above}/{name}/"]
    if is_front(home) or folders == ["/"]:
        return "/"
    below = sum(urlsplit(one).path.startswith(folders[0]) for one in named)
    return folders[0] if below >= max(_LEAST, _SHARE * len(named)) else ""


def own(urls: Iterable[str], home: str, part: str) -> frozenset[str]:
    """Those of some addresses, canonical, that are of the home page's site and of the part of it that is wanted."""
    addresses = filter(None, map(canonical_or_none, urls))
    return frozenset(one for one in addresses if same_site(one, home) and urlsplit(one).path.startswith(part))
