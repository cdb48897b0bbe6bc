"""An article's body as clean, safe HTML: paragraphs, headings, lists, tables, quotes, code, links and images."""

from __future__ import annotations

import html
from collections.abc import Sequence

from lxml import etree

from articlebot.items import Image
from articlebot.page.blocks import Block, Node
from articlebot.page.page import Page

_STRUCTURE = {"ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "td", "th", "blockquote", "pre"}
_LEAVES = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6"}
_MARKS = {tag: tag for tag in ("strong", "em", "code", "sub", "sup", "q", "mark")} | {
    "b": "strong", "i": "em", "kbd": "code", "samp": "code",
}  # fmt: skip
_LAYOUT_CHARS = 600  # a table cell with more text than this lays out the page and is no datum


def of_blocks(page: Page, blocks: Sequence[Block], images: Sequence[tuple[int, Image]]) -> str:
    """Clean HTML of these blocks, with each image behind as many of them as its place says.

    It may be shown as it is: every text and address is escaped, and no other tags or attributes are written than those
    named here.
    """
    writer = _Writer(page)
    waiting = [*reversed(images)]
    for position, block in enumerate(blocks):
        while waiting and waiting[-1][0] <= position:
            writer.image(waiting.pop()[1])
        writer.block(block)
    for _, image in reversed(waiting):
        writer.image(image)
    writer.close_to(0)
    return "".join(writer.out)


class _Writer:
    """Writes blocks; opens and closes the lists, tables and quotes around them as they change."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.out: list[str] = []
        self.open: list[Node] = []
        self.known: dict[Node, list[Node]] = {}

    def image(self, image: Image) -> None:
        self.close_to(0)
        below = f"<figcaption>{html.escape(image.caption)}</figcaption>" if image.caption else ""
        url, alt = html.escape(image.url, quote=True), html.escape(image.alt, quote=True)
        self.out.append(f'<figure><img src="{url}" alt="{alt}">{below}</figure>\n')

    def block(self, block: Block) -> None:
        chain = _structure(block.node, self.known)
        same = 0
        while same < len(chain) and same < len(self.open) and chain[same] is self.open[same]:
            same += 1
        self.close_to(same)
        for node in chain[same:]:
            spans = "".join(
                f' {key}="{value}"' for key in ("colspan", "rowspan") if (value := node.element.get(key, "")).isdigit()
            )
            self.out.append(f"<{node.tag}{spans}>")
            self.open.append(node)
        inner = _inline(self.page, block)
        tag = _LEAVES.get(block.node.tag)
        if tag is None and chain and chain[-1] is block.node and block.node.tag != "blockquote":
            self.out.append(inner + ("<br>" if block.breaks else ""))
        else:
            tag = tag or "p"
            self.out.append(f"<{tag}>{inner}</{tag}>\n")

    def close_to(self, depth: int) -> None:
        while len(self.open) > depth:
            self.out.append(f"</{self.open.pop().tag}>\n")


def _structure(node: Node, known: dict[Node, list[Node]]) -> list[Node]:
    """The lists, tables and quotes around a block, outermost first; tables that lay out the page left out.

    Args:
        known: those of nodes asked for before: most blocks stand side by side.
    """
    path: list[Node] = []
    above: Node | None = node
    while above is not None and above not in known:
        path.append(above)
        above = above.parent
    chain = known[above] if above is not None else []
    for one in reversed(path):
        if one.tag in _STRUCTURE and one.parent is not None:
            lays_out = one.tag in {"td", "th", "li"} and one.chars > _LAYOUT_CHARS and one.blocks > 3
            chain = [] if lays_out else [*chain, one]
        known[one] = chain
    return chain


def _inline(page: Page, block: Block) -> str:
    first = block.pieces[0]
    if len(block.pieces) == 1 and first[1] is None and not first[2]:  # as most are
        return html.escape(block.text, quote=False)
    keep = block.node.tag == "pre"
    parts: list[str] = []
    link: etree._Element | None = None
    for raw, anchor, mark in block.pieces:
        text = raw if keep else " ".join(raw.split())
        if not text:
            parts.append(" " if raw else "")
            continue
        if not keep:
            text = (" " if raw[0].isspace() else "") + text + (" " if raw[-1].isspace() else "")
        if anchor is not link:
            parts.append("</a>" if link is not None else "")
            href = page.resolve(anchor.get("href") or "") if anchor is not None else ""
            link = anchor if href.startswith(("http://", "https://")) else None
            parts.append(f'<a href="{html.escape(href, quote=True)}">' if link is not None else "")
        tag = _MARKS.get(mark)
        body = html.escape(text, quote=False)
        parts.append(f"<{tag}>{body}</{tag}>" if tag else body)
    parts.append("</a>" if link is not None else "")
    return "".join(parts).strip("\n" if keep else None)
