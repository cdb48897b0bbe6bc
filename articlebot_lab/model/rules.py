"""What Redis does in the model: the scripts of the frontier, each one pure function from state to state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

# Of a page, one letter each.
UNSEEN, QUEUED, LEASED, DONE, QUARANTINED = ".qlax"
# Of a key, which is a host or a parent.
FREE, BUSY, RESTS = "fbr"


class Server(NamedTuple):
    """What Redis has stored.

    Attributes:
        pages: a letter for each.
        keys: a letter for each host and parent.
        leases: for each worker, its pages and whether their keys are still taken.
        heard: for each worker, the number of its last word.
    """

    pages: str
    keys: str
    leases: tuple[tuple[tuple[int, bool], ...], ...]
    heard: tuple[int, ...]

    def put(self, page: int, letter: str) -> Server:
        """With this letter for a page."""
        return self._replace(pages=_put(self.pages, page, letter))

    def mark(self, keys: Iterable[int], letter: str) -> Server:
        """With this letter for some keys."""
        marked = self.keys
        for key in keys:
            marked = _put(marked, key, letter)
        return self._replace(keys=marked)

    def lease(self, worker: int, page: int, is_open: bool | None) -> Server:
        """With a lease of a page, or without it where ``is_open`` is None."""
        held = dict(self.leases[worker])
        held.pop(page, None)
        if is_open is not None:
            held[page] = is_open
        changed = tuple(sorted(held.items()))
        return self._replace(leases=(*self.leases[:worker], changed, *self.leases[worker + 1 :]))

    def hear(self, worker: int, number: int) -> Server:
        """With this number of a worker's last word."""
        return self._replace(heard=(*self.heard[:worker], number, *self.heard[worker + 1 :]))


class Rules:
    """The scripts.

    Args:
        keys_of: the keys of each page, its host first.
        faults: what is done wrong, by the names in ``FAULTS``.
    """

    def __init__(self, keys_of: Sequence[Sequence[int]], faults: Collection[str] = ()) -> None:
        self.keys_of, self._faults = keys_of, frozenset(faults)

    def may_take(self, server: Server, page: int) -> bool:
        """Whether a page may be leased: none of its keys is taken. It begins when they have rested."""
        return server.pages[page] == QUEUED and all(server.keys[key] != BUSY for key in self._taken(page))

    def take(self, server: Server, worker: int, page: int) -> Server:
        """``take.lua``: a page is leased."""
        server = server.put(page, LEASED).lease(worker, page, True)
        return server.mark(self._taken(page), BUSY)

    def _taken(self, page: int) -> Sequence[int]:
        if "a host is not taken" in self._faults:
            return self.keys_of[page][1:]
        return self.keys_of[page][:1] if "a parent is not taken" in self._faults else self.keys_of[page]

    def tell(
        self, server: Server, worker: int, number: int, words: Iterable[tuple[str, int]], end: str = QUEUED
    ) -> Server:
        """``settle.lua``: what became of leases, as pairs of operation and page.

        Args:
            number: of the word; one that was heard already, or a later one, is passed over.
            end: what becomes of a page that comes back: queued, or quarantined after too many failures.
        """
        if "words have no number" not in self._faults:
            if number <= server.heard[worker]:
                return server
            server = server.hear(worker, number)
        for operation, page in words:
            server = self._settle(server, worker, operation, page, end)
        return server

    def _settle(self, server: Server, worker: int, operation: str, page: int, end: str) -> Server:
        is_open = dict(server.leases[worker]).get(page)
        if is_open is None:
            strange = operation == "ack" and "a lease is not checked" in self._faults and server.pages[page] == LEASED
            return server.put(page, DONE) if strange else server
        if is_open:
            server = self._loosen(server, page)
        if operation == "release":
            return server.lease(worker, page, False)
        return server.lease(worker, page, None).put(page, DONE if operation == "ack" else end)

    def _loosen(self, server: Server, page: int) -> Server:
        return server.mark(self.keys_of[page], FREE if "a host does not rest" in self._faults else RESTS)

    def bury(self, server: Server, worker: int, ends: Collection[int] = ()) -> Server:
        """``reap.lua``: the leases of a dead worker come back; the pages ``ends`` go into quarantine."""
        for page, is_open in server.leases[worker]:
            if is_open and "the dead keep their hosts" not in self._faults:
                server = self._loosen(server, page)
            server = server.lease(worker, page, None)
            if "the dead keep their pages" not in self._faults:
                server = server.put(page, QUARANTINED if page in ends else QUEUED)
        return server.hear(worker, 0)

    def compare(
        self, server: Server, worker: int, held: Sequence[int], wanted: Sequence[int], heard: int,
        *, inside: Collection[int] = (),
    ) -> Server:  # fmt: skip
        """``reconcile.lua``: the leases of a worker are those that it holds, as far as they are to be had.

        Args:
            held: what it has in hand, or has not told the end of.
            wanted: those that it takes anew where they were taken from it: the ones in hand.
            heard: number of the worker's last word that was answered; what is said under it, or before, is passed over.
            inside: those that have not left their slot.
        """
        if "a comparison forgets what was said" not in self._faults:
            server = server.hear(worker, max(server.heard[worker], heard))
        for page, is_open in server.leases[worker]:
            if page not in held or (page in inside and not is_open):
                server = self._loosen(server, page) if is_open else server
                server = server.lease(worker, page, None).put(page, QUEUED)
        mine = dict(server.leases[worker])
        for page in wanted:
            is_free = all(server.keys[key] != BUSY for key in self.keys_of[page])
            if page not in mine and server.pages[page] == QUEUED and is_free:
                server = server.put(page, LEASED).lease(worker, page, True).mark(self.keys_of[page], BUSY)
        return server

    def admit(self, server: Server, page: int) -> Server:
        """``admit.lua``: a page is seen, and queued where that is new."""
        if server.pages[page] != UNSEEN:
            return server
        return server.put(page, LEASED if "links are marked and not queued" in self._faults else QUEUED)

    def broken(self, server: Server) -> str:
        """What is not as it must be, else an empty text."""
        holders = [page for held in server.leases for page, _ in held]
        leased = [page for page, letter in enumerate(server.pages) if letter == LEASED]
        if sorted(holders) != leased:
            return f"pages {leased} count as leased, pages {sorted(holders)} are"
        taken = sorted(key for held in server.leases for page, is_open in held if is_open for key in self.keys_of[page])
        busy = [key for key, letter in enumerate(server.keys) if letter == BUSY]
        return "" if taken == busy else f"keys {busy} count as taken, keys {taken} are"


def _put(text: str, place: int, letter: str) -> str:
    return text[:place] + letter + text[place + 1 :]
