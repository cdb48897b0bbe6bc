"""Documents that are not HTML: a plain text and a small PDF of a story."""

from __future__ import annotations

import textwrap

_LINES_PER_PAGE = 48


def plain_text(title: str, paragraphs: tuple[str, ...]) -> bytes:
    """The story as UTF-8 text, wrapped."""
    return "\n\n".join([title, *(textwrap.fill(text, 90) for text in paragraphs)]).encode()


def pdf(title: str, paragraphs: tuple[str, ...]) -> bytes:
    """The story as PDF 1.4 with one built-in font; characters outside Latin-1 become question marks."""
    lines = [title, ""]
    for text in paragraphs:
        lines += [*textwrap.wrap(text, 90), ""]
    chunks = [lines[at : at + _LINES_PER_PAGE] for at in range(0, len(lines), _LINES_PER_PAGE)]
    pages = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(chunks)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{pages}] /Count {len(chunks)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, chunk in enumerate(chunks):
        stream = _content(chunk)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * index} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n".encode() + stream + b"\nendstream")
    return _file(objects)


def _content(lines: list[str]) -> bytes:
    shown = []
    for line in lines:
        escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        shown.append(f"({escaped}) Tj T*")
    return ("BT /F1 11 Tf 50 790 Td 15 TL\n" + "\n".join(shown) + "\nET").encode("latin-1", "replace")


def _file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)
