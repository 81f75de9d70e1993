"""A bot with one defect, named by its argument. Each defect breaks one sentence of `bowerbird check-bot`.

Defects that break several sentences, or a decision, belong to the hostile bot (tests/faults).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))  # a bot is started as a file, from any folder
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from bowerbird.seat.v1 import seat_pb2, table_pb2
from tests.support.bots.hostile_stream import GrpcStream, PlainStream, Stream, answer, answers, wait_for_ever
from tests.support.bots.plain_call import BrokenError

MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"
MOST = 20
NOISE = "noise " * 40_000
"""More than a pipe holds."""

FIRST_UNKNOWN = 90
"""Enum values from here on are not in v1."""

PAUSE_S = 0.25
"""How long to wait before the next attempt to resume (seat.proto, "When the connection breaks")."""

RESUMES = {
    "resumes",
    "keeps-its-first-secret",
    "ready-once",
    "ready-always",
    "gives-up-soon",
    "hurries",
    "dials-on",
    "shrugs-after-a-break",
    "keeps-its-token",
    "one-chance",
    "plain-text",
}
"""Modes that come back when their stream breaks."""


def holds_unknown_fields(message: Message) -> bool:
    if len(UnknownFieldSet(message)):
        return True
    for field, value in message.ListFields():
        if field.message_type is not None:
            held = value if isinstance(value, Iterable) else (value,)
            if any(map(holds_unknown_fields, held)):
                return True
    return False


def breaks_at(message: seat_pb2.PlayResponse) -> bool:
    """Return whether the bot dies at this message."""
    kind = message.WhichOneof("message")
    match MODE:
        case "dies-when-broken-off":
            return kind == "table_closed" and message.table_closed.ended == table_pb2.GAME_ENDING_ABANDONED
        case "dies-at-an-error":
            return kind == "error"
        case "dies-at-an-unknown-message":
            return kind is None
        case "dies-at-an-unknown-field":
            return kind is not None and holds_unknown_fields(message)
        case "dies-at-an-unknown-value":
            return message.table_opened.fault_policy >= FIRST_UNKNOWN
        case "dies-at-an-unknown-ending":
            return message.table_closed.ended >= FIRST_UNKNOWN
        case "dies-in-railroad":
            return message.table_opened.variant == "railroad"
    return False


class Bot:
    """A session. `stream` is the current one, `played` whether a decision came on it."""

    stream: Stream

    def __init__(self) -> None:
        self._table = ""
        self._strange = False
        self._was_strange = False
        self._welcomes = 0
        self._streams = 0
        self._shown: set[str] = set()
        self.played = False
        self.secret = ""
        self.said_goodbye = False
        self.error: seat_pb2.Error | None = None
        """The fatal Error that ended the current stream."""

    def begin(self) -> None:
        """Begin a stream, the first one or another."""
        self._streams += 1
        self.played = False
        self.error = None
        trust = os.environ.get("BOWERBIRD_CA")
        if trust is None:
            self.stream = PlainStream()
        else:
            self.stream = GrpcStream(trust=trust if MODE != "plain-text" else None)
        self.stream.hello(
            token="" if self.secret and MODE != "keeps-its-token" else None,
            resume=MODE in RESUMES or MODE == "pretends-to-resume",
            secret=self.secret,
            features=("events_only",) if MODE == "events-only" else (),
        )

    def hear(self, message: seat_pb2.PlayResponse) -> None:
        if breaks_at(message):
            sys.stderr.write(f"cannot bear this: {message.WhichOneof('message')}\n")
            os._exit(3)
        follows_strange, self._was_strange = self._was_strange, message.WhichOneof("message") is None
        self._strange |= self._was_strange
        match message.WhichOneof("message"):
            case "welcome":
                self._take_welcome(message.welcome)
            case "table_opened":
                self._table = message.table_opened.table_id
            case "decision_requests":
                self._decide(list(message.decision_requests.requests), follows_strange)
            case "hand_ended":
                self._shown.discard(message.hand_ended.table_id)
            case "ping" if MODE != "mute":
                self.stream.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=message.ping.ping_id)))
            case "error" if message.error.fatal:
                self.error = message.error
            case "goodbye":
                self.said_goodbye = True

    def _take_welcome(self, welcome: seat_pb2.Welcome) -> None:
        if MODE == "events-only" and list(welcome.features) != ["events_only"]:
            sys.exit("not granted: events_only")
        self._welcomes += 1
        if self._welcomes == 1 or MODE != "keeps-its-first-secret":
            self.secret = welcome.session_secret
        awaits_ready = welcome.awaits_ready
        if MODE == "ready-once":
            awaits_ready = self._welcomes == 1
        if awaits_ready or MODE == "ready-always":
            self.stream.ready()

    def returns(self) -> bool:
        """Return whether the bot dials again after the end of a stream."""
        if MODE not in RESUMES or self.said_goodbye:
            return False
        if not self.secret:
            return "BOWERBIRD_CA" in os.environ and MODE != "one-chance"
        if self.error is not None and not self.error.retryable:
            return MODE == "dials-on"
        is_in_vain = self._streams > 1 and not self.played and self.error is None
        return not (MODE == "gives-up-soon" and is_in_vain)

    def pause(self) -> None:
        """Wait before the next stream."""
        asked_ms = self.error.retry_after_ms if self.error is not None and MODE != "hurries" else 0
        time.sleep(max(PAUSE_S, asked_ms / 1000))

    def _decide(self, requests: Sequence[seat_pb2.DecisionRequest], follows_strange: bool) -> None:
        self.played = True
        if MODE == "events-only":
            self._check_views(requests)
        if MODE in ("noisy", "dies-of-its-output"):
            print(NOISE, flush=True)
        if MODE == "dies-of-its-output" and self._strange and not follows_strange:
            # The first decision after the check with unknown messages (15) belongs to the check of its output.
            raise OSError("my log is full")
        if MODE == "dawdles":
            time.sleep(0.25)
        if MODE == "chokes" and len(requests) > MOST:
            raise ValueError(f"{len(requests)} decisions at once")
        if MODE == "one-answer":
            requests = requests[:1]
        if MODE == "one-table":
            requests = [request for request in requests if request.table_id == self._table]
        self.stream.say(answers(*map(answer, requests)))

    def _check_views(self, requests: Sequence[seat_pb2.DecisionRequest]) -> None:
        """Exit if not exactly the first decision of a hand has a public view."""
        for request in requests:
            if request.view.HasField("public_view") == (request.table_id in self._shown):
                sys.exit(f"a public view is missing, or one too many: {request.table_id} {request.decision_id}")
            self._shown.add(request.table_id)


def stays(bot: Bot, cut: bool) -> bool:
    """Return whether the process keeps running after its stream has ended."""
    match MODE:
        case "stays-after-goodbye":
            return bot.said_goodbye
        case "stays-at-the-end":
            return not (bot.said_goodbye or bot.error is not None or cut)
        case "stays-when-cut":
            return cut and bot.error is None
        case "any-version":
            return bot.error is not None and bot.error.code == seat_pb2.ERROR_CODE_VERSION
    return False


def exit_code(bot: Bot) -> int:
    if bot.said_goodbye:
        return 4 if MODE == "fails-after-goodbye" else 0
    if bot.error is not None:
        return 0 if MODE in ("shrugs", "shrugs-after-a-break") else 1
    return 0


def main() -> None:
    protocols = os.environ["BOWERBIRD_PROTOCOLS"]
    if "1" not in protocols.split(",") and MODE != "any-version":
        sys.exit(f"the referee speaks {protocols}, this bot 1")
    if MODE == "exact-version" and protocols != "1":
        sys.exit(f"{protocols} is not 1")
    if MODE == "unix-only" and not os.environ["BOWERBIRD_ADDRESS"].startswith("unix:"):
        sys.exit("not a socket")
    bot = Bot()
    while True:
        bot.begin()
        cut = False
        try:
            for message in bot.stream.messages():
                bot.hear(message)
        except BrokenError:
            cut = True
        if not bot.returns():
            break
        bot.pause()
    if stays(bot, cut):
        wait_for_ever()
    if MODE == "leaves-a-child":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    bot.stream.half_close()
    sys.exit(exit_code(bot))


if __name__ == "__main__":
    main()
