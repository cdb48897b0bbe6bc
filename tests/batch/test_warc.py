from __future__ import annotations

from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from articlebot.archive.warc import WarcFiles

DAY = 1_784_548_800.0  # 2026-07-20T12:00:00Z


def write(path: Path, *, gzip: bool = True) -> None:
    """A file as crawlers write it: request and response, other kinds of content, a failure, a resource."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=gzip)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "any"}))
        for name, status, kind, body in (
            ("a", "200 OK", "text/html; charset=gbk", "桥".encode("gbk")),
            ("missing", "404 Not Found", "text/html", b"no"),
            ("picture", "200 OK", "image/png", b"\x89PNG"),
            ("x", "200 OK", "application/xhtml+xml", b"<html/>"),
        ):
            headers = StatusAndHeaders(status, [("Content-Type", kind)], protocol="HTTP/1.1")
            url = f"https://news.example.com/{name}"
            asked = StatusAndHeaders("GET / HTTP/1.1", [("Host", "news.example.com")], is_http_request=True)
            writer.write_record(writer.create_warc_record(url, "request", http_headers=asked))
            date = {"WARC-Date": "2026-07-20T12:00:00Z"}
            writer.write_record(
                writer.create_warc_record(
                    url,
                    "response",
                    payload=BytesIO(body),
                    length=len(body),
                    http_headers=headers,
                    warc_headers_dict=date,
                )
            )
        writer.write_record(
            writer.create_warc_record(
                "https://news.example.com/r",
                "resource",
                payload=BytesIO(b"<p>r"),
                length=4,
                warc_content_type="text/html",
            )
        )


def test_the_html_pages_of_any_crawler(tmp_path: Path) -> None:
    for gzip in (True, False):
        write(tmp_path / "a.warc", gzip=gzip)
        bad: list[str] = []
        files = WarcFiles([tmp_path / "a.warc"], bad.append)
        found = [(page.url[-2:], page.body, page.content_type) for page in files]
        assert found == [
            ("/a", "桥".encode("gbk"), "text/html; charset=gbk"),
            ("/x", b"<html/>", "application/xhtml+xml"),
            ("/r", b"<p>r", "text/html"),
        ]
        assert next(iter(WarcFiles([tmp_path / "a.warc"], bad.append))).fetched_at == DAY
        assert bad == []
        assert files.share() == 1.0


def test_a_damaged_file_is_named_and_the_next_is_read(tmp_path: Path) -> None:
    write(tmp_path / "a.warc.gz")
    write(tmp_path / "b.warc.gz")
    whole = (tmp_path / "a.warc.gz").read_bytes()
    (tmp_path / "a.warc.gz").write_bytes(whole[: len(whole) // 2] + b"nonsense" * 50)
    bad: list[str] = []
    found = list(WarcFiles([tmp_path / "a.warc.gz", tmp_path / "b.warc.gz"], bad.append))
    assert [page.url[-2:] for page in found][-3:] == ["/a", "/x", "/r"]
    assert len(bad) == 1
    assert "a.warc.gz: damaged after byte" in bad[0]
