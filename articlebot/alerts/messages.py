"""What a message says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from articlebot.alerts.store import Alert, Due
from articlebot.archive import Results


@dataclass(frozen=True, slots=True)
class _Words:
    """What an alert is about, its two events, and what is said of each; the alert's data fill in the braces."""

    about: str
    begun: str
    over: str
    says: str
    ends: str


_WORDS: dict[str, _Words] = {
    "freshness": _Words(
        "job", "breached", "recovered",
        "job {about}: 95% of its articles came within {p95_s} s, wanted {objective_s} s",
        "job {about}: 95% of its articles come within {objective_s} s again",
    ),
    "drift": _Words(
        "site", "doubted", "recovered",
        "the wrapper of {about} no longer fits its pages: general rules read them until it is learned anew; "
        "scrapy wrappers {about}",
        "the pages of {about} are read by a wrapper that fits again",
    ),
    "walls": _Words("job", "begun", "over", "job {about}: {text}", "job {about} shows its pages again"),
    "ailing": _Words("job", "begun", "over", "job {about}: {text}", "job {about} is well again"),
    "dead_letters": _Words(
        "sink", "begun", "over", "sink {about} has {dead} dead letters ({error}): scrapy outbox show",
        "sink {about} has no dead letters any more",
    ),
    "quiet": _Words(
        "job", "begun", "over",
        "job {about}: no new article for {silent_h} h, the longest silence of the last 28 days was {longest_h} h",
        "job {about} publishes again",
    ),
    "quarantine": _Words(
        "requests", "begun", "over", "{requests} requests in quarantine: scrapy frontier quarantine",
        "fewer than {about} requests in quarantine",
    ),
    "breaker": _Words(
        "host", "begun", "over", "host {about} does not answer and is left alone but for probes", "host {about} answers"
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it is sent: its id (the same when it is sent again), a line, a sentence or two, and the payload
    ``{"type", "timestamp", "data"}``."""

    id: str
    subject: str
    text: str
    payload: dict[str, Any]


# Of an objective that was missed while more articles came than of late.
_TOO_FEW = "job {about}: its articles came later than the {objective_s} s wanted, and too few have come since to tell"


def text_of(alert: Alert, event: str = "begun") -> str:
    """What is said of an alert, on one line."""
    words, data = _WORDS[alert.kind], alert.data
    says = words.says if event == "begun" else words.ends
    if alert.kind == "freshness" and event == "begun" and (data["p95_s"] or 0.0) <= data["objective_s"]:
        says = _TOO_FEW
    shown = {name: _shown(value) for name, value in data.items() if value is not None}
    return _line(says.format_map(_Given(shown, about=alert.about)))


def message_of(due: Due, crawl: str, now: float) -> Message:
    """The message of an event; the name of the crawl is part of its id."""
    alert, words = due.alert, _WORDS[due.alert.kind]
    event = words.begun if due.event == "begun" else words.over
    text = text_of(alert, due.event)
    data = {words.about: alert.about, **alert.data, "since": alert.since}
    if alert.kind != "freshness":
        data["text"] = text
    payload = {"type": f"{alert.kind}.{event}", "timestamp": int(now), "data": data}
    subject = f"articlebot: {alert.kind.replace('_', ' ')} {event}: {alert.about}"
    return Message(f"{crawl}-{alert.kind}-{alert.about}-{due.turn}", subject, text, payload)


_OF_AN_ARTICLE = ("url", "page_key", "title", "site", "published_at", "version", "change", "lead_image")
# Titles in the line of a message.
_TITLES = 3


def found_message(name: str, results: Results, upto: int, crawl: str, now: float) -> Message:
    """The message that a saved search has found articles, in versions up to that with the id ``upto``."""
    rows = [one.article for one in results.found]
    articles = [{field: row[field] for field in _OF_AN_ARTICLE} for row in rows]
    number = f"{results.total:,}{' and more' if results.more else ''}"
    titles = "; ".join(_line(f"{row['title'] or row['url']} ({row['site']})") for row in rows[:_TITLES])
    text = f"saved search {name}: {number} new or changed: {titles}{' …' if results.total > _TITLES else ''}"
    data = {"search": name, "total": results.total, "more": results.more, "articles": articles, "text": text}
    payload = {"type": "search.found", "timestamp": int(now), "data": data}
    return Message(f"{crawl}-search-{name}-{upto}", f"articlebot: {name}: {number} new or changed", text, payload)


def _line(text: str) -> str:
    """Text that any environment variable can hold, on one line."""
    return " ".join(text.replace("\0", "").encode("utf-8", "replace").decode().split())


def _shown(value: Any) -> Any:
    if isinstance(value, float) and abs(value) < 10:
        return f"{value:.3g}"
    return f"{value:,.0f}" if isinstance(value, int | float) else value


class _Given(dict[str, Any]):
    """Values for a text; what is missing is shown as a dash."""

    def __missing__(self, name: str) -> str:
        return "-"
