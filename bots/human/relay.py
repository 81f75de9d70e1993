"""The connection between the bot and the program that shows the game: JSON lines over a Unix socket.

The bot connects to the socket in HUMAN_SOCKET and sends the secret in HUMAN_SECRET. Then it sends, with `kind`:

- `table`: id, seat, variant, options, and the clock of the table.
- `decision`: its number as `id`, and `request`, the referee's DecisionRequest in base64. It waits for an answer with
  the same `id`: `action`, the token of a legal action, or `resign` true.
- `closed`: ranks, scores, games, ended, and `faults` as [seat, kind, detail].
"""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Mapping

from bowerbird.sdk import Decision, Table, TableEnd

SOCKET = "HUMAN_SOCKET"
SECRET = "HUMAN_SECRET"
"""The environment variables that the run sets."""

CONNECT_S = 10.0


class NobodyThereError(Exception):
    """There is no program that shows the game, or it has gone. The text is a sentence for people."""


class Relay:
    """A connection to the program that shows the game. Use it in one thread."""

    def __init__(self, path: str, secret: str) -> None:
        """Connect to the socket at `path` and send the secret. Raises NobodyThereError."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(CONNECT_S)
        try:
            self._socket.connect(path)
        except OSError as error:
            raise NobodyThereError(f"no program shows the game at {path}: {error.strerror}") from None
        self._socket.settimeout(None)  # a person may think for as long as the clock of the table allows
        self._lines = self._socket.makefile("r", encoding="utf-8")
        self._send("hello", secret=secret)

    def table(self, table: Table) -> None:
        """Report a new table."""
        self._send(
            "table",
            id=table.id,
            seat=table.seat,
            variant=table.variant,
            options=dict(table.options),
            per_decision_ms=table.per_decision_ms,
            bank_ms=table.bank_ms,
            increment_ms=table.increment_ms,
            on_fault=table.on_fault,
        )

    def ask(self, decision: Decision) -> str | None:
        """Return the token that the person chose, or None to resign. Raises NobodyThereError if nobody answers."""
        request = base64.b64encode(decision.request.SerializeToString()).decode()
        self._send("decision", id=decision.id, request=request)
        while line := self._read():
            answer = json.loads(line)
            if answer.get("id") == decision.id:
                return None if answer.get("resign") else str(answer["action"])
        raise NobodyThereError("the program that shows the game has gone")

    def closed(self, end: TableEnd) -> None:
        """Report the end of the game."""
        faults = [[fault.seat, fault.kind, fault.detail] for fault in end.faults]
        self._send("closed", ranks=end.ranks, scores=end.scores, games=end.games, ended=end.ended, faults=faults)

    def _read(self) -> str:
        try:
            return self._lines.readline()
        except OSError:
            return ""

    def _send(self, kind: str, **fields: object) -> None:
        message: Mapping[str, object] = {"kind": kind, **fields}
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            raise NobodyThereError("the program that shows the game has gone") from None
