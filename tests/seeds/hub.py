"""A site with a feed and its hub, as a process of their own: ``python -m tests.seeds.hub LEASE`` prints the port.

``GET /publish?n=3&how=signed`` puts a third story into the feed and has the hub push it: ``signed``, ``forged``,
``thin`` (signed, without entries), ``big`` (signed, three megabytes), ``none`` (not at all). ``GET /status`` says what
was asked and answered.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

LOCK = threading.Lock()
STATE = {"stories": 1, "fetched": 0, "asked": [], "verified": [], "delivered": [], "lease": 60.0}
SUBSCRIBERS: dict[str, dict[str, str]] = {}


def feed(base: str, stories: int) -> bytes:
    entry = "<entry><title>Story {0} of the day</title><id>{0}</id><link href='{1}/2026/story-{0}.html'/></entry>"
    items = "".join(entry.format(n, base) for n in range(stories))
    return (
        f"<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><link rel='hub' href='{base}/hub'/>"
        f"<link rel='self' href='{base}/feed.xml'/>{items}</feed>"
    ).encode()


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        return

    def answer(self, status, body=b"", kind="text/html"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def do_GET(self):
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/feed.xml":
            STATE["fetched"] += 1
            self.answer(200, feed(self.base, STATE["stories"]), "application/atom+xml")
        elif parts.path.startswith("/2026/"):
            words = f"The page {parts.path} tells at length what happened in the town that day. " * 12
            page = f"<html><head><title>{parts.path}</title></head><body><h1>Story</h1><p>{words}</p></body></html>"
            self.answer(200, page.encode())
        elif parts.path == "/publish":
            STATE["stories"] = int(query["n"])
            self.answer(200, json.dumps(push(self.base, query["how"])).encode())
        elif parts.path == "/status":
            self.answer(200, json.dumps(STATE).encode())
        else:
            self.answer(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        with LOCK:
            STATE["asked"].append(form["hub.callback"])
            SUBSCRIBERS[form["hub.callback"]] = form
        self.answer(202)
        threading.Thread(target=verify, args=(form,), daemon=True).start()


def verify(form):
    wrong = ask(form["hub.callback"], form["hub.topic"] + "x")
    right = ask(form["hub.callback"], form["hub.topic"])
    with LOCK:
        STATE["verified"].append([wrong, right])


def ask(callback, topic):
    question = {
        "hub.mode": "subscribe",
        "hub.topic": topic,
        "hub.challenge": "abc",
        "hub.lease_seconds": STATE["lease"],
    }
    try:
        with urllib.request.urlopen(f"{callback}?{urlencode(question)}", timeout=300) as response:
            return [response.status, response.read().decode()]
    except urllib.error.HTTPError as error:
        return [error.code, ""]


def push(base, how):
    body = feed(base, STATE["stories"])
    body = {"thin": feed(base, 0), "big": body + b" " * 3_000_000}.get(how, body)
    statuses = []
    for callback, form in list(SUBSCRIBERS.items()) if how != "none" else []:
        secret = "wrong" if how == "forged" else form["hub.secret"]
        signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        request = urllib.request.Request(
            callback, body, {"Content-Type": "application/atom+xml", "X-Hub-Signature": f"sha256={signature}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=300) as response:
                statuses.append(response.status)
        except urllib.error.HTTPError as error:
            statuses.append(error.code)
        except OSError:
            statuses.append(0)
    STATE["delivered"] += statuses
    return statuses


if __name__ == "__main__":
    STATE["lease"] = float(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
