"""Whether a page is the one that a link named, or something else that stands there for a while."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from articlebot.page.text import tokens, units
from articlebot.visiting.answer import Answer

# Units of a text that no section has, as ``extraction.kinds`` has it.
_HEADLINE = 22
_WORD = re.compile(r"[^\W\d_]{2,}")
# Of the words of a headline those that are on its page: others are worded anew.
_LEAST_SHARE = 0.5
# Beyond it a block is a link, which may be the one that led here.
_MOST_LINKED = 0.6


def is_other(page: Answer) -> bool:
    """Whether a page shows nothing, or next to nothing of what its link or its address says that it is about.

    So do an error, a notice, a shell and a list that a server shows at the address of an article for a while. Where
    link and address say nothing, it is as at the visit before.
    """
    blocks, said = page.fetched.page.blocks, _said(page)
    if not blocks or not said:
        return not blocks or page.record.state.failures > 0
    own = (block.text for block in blocks if block.link_share <= _MOST_LINKED)
    shown = {word for text in (page.fetched.page.title, *own) for word in _words(text)}
    return len(said & shown) < _LEAST_SHARE * len(said)


def _said(page: Answer) -> set[str]:
    """The words of the headline that led to the page, else of one in its address; none where neither is one.

    An address in another script than the page's, or one of a number, says nothing.
    """
    slug = " ".join(_WORD.findall(unquote(urlsplit(page.record.url).path.rstrip("/").rpartition("/")[2])))
    headlines = (page.visit.title, page.visit.anchor, slug)
    return next((_words(one) for one in headlines if units(one) >= _HEADLINE), set())


def _words(text: str) -> set[str]:
    return set(tokens(text.lower()))
