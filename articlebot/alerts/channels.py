"""Ways to tell people: a signed POST, and a command of theirs, such as one that sends mail."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
from contextlib import suppress

from articlebot.alerts.messages import Message
from articlebot.publishing.endpoint import Endpoint
from articlebot.publishing.sinks.webhook import post_signed, signing_key

# Together with the 20 s of an endpoint less than the minute after which another worker tries.
_COMMAND_S = 30.0
_MOST_SAID = 200


class Webhook:
    """Posts the message's payload, with a secret signed as the webhook sink signs versions; raises as ``Endpoint``."""

    name = "ARTICLEBOT_ALERTS_URL"

    def __init__(self, url: str, secret: str | None) -> None:
        self._endpoint = Endpoint(url)
        self._key = None if secret is None else signing_key(secret)

    def send(self, message: Message) -> None:
        """Posts it."""
        at = int(message.payload["timestamp"])
        status, answer = post_signed(self._endpoint, self._key, message.id, at, message.payload)
        if not 200 <= status < 300:
            raise OSError(f"{status} {answer[:_MOST_SAID].decode(errors='replace')}".strip())

    def cut(self) -> None:
        """Lets what waits for its answer fail, and all that comes after it; for another thread."""
        self._endpoint.cut()

    def close(self) -> None:
        """Closes the connection."""
        self._endpoint.close()


class Command:
    """Runs a command without a shell: the payload on its standard input, subject and text in ``ALERT_SUBJECT`` and
    ``ALERT_TEXT``, and in the place of ``{subject}`` and ``{text}`` among its arguments, quoted as in a shell."""

    name = "ARTICLEBOT_ALERTS_COMMAND"

    def __init__(self, command: str) -> None:
        self._parts = shlex.split(command)
        self._running: subprocess.Popen[bytes] | None = None
        self._is_cut = False

    def send(self, message: Message) -> None:
        """Runs it to its end, 30 s at most; exit code 0 says that the message was taken."""
        given = {"{subject}": message.subject, "{text}": message.text}
        parts = [re.sub(r"\{subject}|\{text}", lambda match: given[match[0]], part) for part in self._parts]
        environment = {**os.environ, "ALERT_SUBJECT": message.subject, "ALERT_TEXT": message.text}
        body = json.dumps(message.payload, ensure_ascii=False).encode()
        if self._is_cut:
            raise OSError("the crawl ends")
        with subprocess.Popen(  # noqa: S603 - the operator's own command, without a shell
            parts, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment,
            start_new_session=True,
        ) as self._running:  # fmt: skip
            try:
                _, errors = self._running.communicate(body, timeout=_COMMAND_S)
            except subprocess.TimeoutExpired:
                self._kill()
                raise OSError(f"it did not end within {_COMMAND_S:.0f} s") from None
            code = self._running.returncode
        if code:
            said = " ".join(errors[-_MOST_SAID:].decode(errors="replace").split())
            raise OSError(f"exit code {code} {said}".strip())

    def cut(self) -> None:
        """Ends the command where it runs, with all that it has started, and runs it no more; for another thread."""
        self._is_cut = True
        self._kill()

    def _kill(self) -> None:
        if self._running is not None and self._running.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._running.pid, signal.SIGKILL)

    def close(self) -> None:
        """Nothing is kept open."""


Channel = Webhook | Command
"""``send`` raises OSError where the message was not taken, and may block for half a minute."""
