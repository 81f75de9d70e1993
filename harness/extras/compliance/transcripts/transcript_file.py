"""The file format of transcripts: JSON lines (docs/how-to/write-a-client.md, "The transcript").

The first line is the head. Each further line is a message or a note:

    {"format": "bowerbird-transcript/1", "bot": "random", "version": "1.0", "variant": "euchre", "seat": 0, ...}
    {"ms": 312, "from": "bot", "bytes": "0a2d0a2b...", "message": {"hello": {"token": "...", ...}}}
    {"ms": 918, "note": "the process ended: exit status 0"}

`bytes` is the message as it was on the stream, in hex. `message` is the same message in protobuf's JSON form, with the
names of the .proto files and without unset fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from bowerbird.harness.records.text.bounded_json import load_json
from bowerbird.seat.v1 import seat_pb2

FORMAT = "bowerbird-transcript/1"

BOT, REFEREE = "bot", "referee"
"""Who sent a message."""

MAX_FILE = 8 << 20
"""The maximum size of a file, in bytes. Transcripts of short games have a few hundred kilobytes."""

SHOWN = 60
"""How many characters of a wrong value an error shows."""


class TranscriptError(Exception):
    """A file is not a transcript. The text is a sentence with the line number."""

    def __init__(self, line: int, reason: str) -> None:
        """Build the sentence. `line` counts from 1."""
        self.line = line
        super().__init__(f"line {line}: {reason}")


@dataclass(frozen=True, slots=True)
class Head:
    """The bot, its seat, and the game. `hands` is the maximum number of hands, and `seed` is a string."""

    bot: str
    version: str
    variant: str
    seat: int
    hands: int
    seed: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message, sent `ms` milliseconds after the start of the process. `sender` is BOT or REFEREE."""

    ms: int
    sender: str
    data: bytes

    @property
    def request(self) -> seat_pb2.PlayRequest:
        """The message of the bot."""
        return seat_pb2.PlayRequest.FromString(self.data)

    @property
    def response(self) -> seat_pb2.PlayResponse:
        """The message of the referee."""
        return seat_pb2.PlayResponse.FromString(self.data)

    @property
    def parsed(self) -> seat_pb2.PlayRequest | seat_pb2.PlayResponse:
        """The parsed message of either sender."""
        return self.request if self.sender == BOT else self.response

    @property
    def kind(self) -> str:
        """The member of its oneof that is set, such as "hello"; "" for one that this version does not know."""
        return self.parsed.WhichOneof("message") or ""


@dataclass(frozen=True, slots=True)
class Note:
    """Another event, in words."""

    ms: int
    text: str


Entry = Message | Note


@dataclass(frozen=True, slots=True)
class Transcript:
    """A recorded stream. `entries` are in order of time. The first one is line 2 of the file."""

    head: Head
    entries: tuple[Entry, ...]

    def messages(self) -> Iterator[tuple[int, Message]]:
        """Yield each message with its line in the file."""
        for line, entry in enumerate(self.entries, 2):
            if isinstance(entry, Message):
                yield line, entry


def message_text(message: seat_pb2.PlayRequest | seat_pb2.PlayResponse) -> dict[str, Any]:
    """Return a message in protobuf's JSON form, with the names of the .proto files."""
    text: dict[str, Any] = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return text


def write(transcript: Transcript) -> str:
    """Return the text of the file. It is ASCII, with the bot's texts escaped."""
    return "".join(f"{json.dumps(line)}\n" for line in _lines(transcript))


def _lines(transcript: Transcript) -> Iterator[dict[str, Any]]:
    yield {"format": FORMAT, **asdict(transcript.head)}
    for entry in transcript.entries:
        if isinstance(entry, Note):
            yield {"ms": entry.ms, "note": entry.text}
        else:
            yield {
                "ms": entry.ms,
                "from": entry.sender,
                "bytes": entry.data.hex(),
                "message": message_text(entry.parsed),
            }


def read(data: bytes) -> Transcript:
    """Read the text of a file. Raises TranscriptError unless it is a transcript of this format.

    Bytes and text of each message must agree. The bot's first message must be its Hello, and the referee's its Welcome.
    """
    rows = data.split(b"\n")
    if rows[-1] == b"":
        rows.pop()
    else:
        raise TranscriptError(len(rows), "the last line is cut off: it does not end with a newline")
    if not rows:
        raise TranscriptError(1, "the file is empty")
    head = _head(_object(rows[0], 1))
    transcript = Transcript(head, tuple(_entry(_object(row, line), line) for line, row in enumerate(rows[1:], 2)))
    _check_order(transcript, len(rows))
    return transcript


def _object(row: bytes, line: int) -> dict[str, Any]:
    try:
        value = load_json(row.decode())
    except UnicodeDecodeError:
        raise TranscriptError(line, "the line is not UTF-8") from None
    except ValueError:
        raise TranscriptError(line, "the line is not JSON") from None
    if not isinstance(value, dict):
        raise TranscriptError(line, "the line is not a JSON object")
    return value


def _head(table: Mapping[str, Any]) -> Head:
    if table.get("format") != FORMAT:
        raise TranscriptError(1, f"got the format {_shown(table.get('format'))}; must be {FORMAT!r}")
    types: dict[str, type[str] | type[int]] = {
        field.name: int if field.type == "int" else str for field in fields(Head)
    }
    _check_keys(table, ("format", *types), 1)
    for name, wanted in types.items():
        if type(table[name]) is not wanted:
            raise TranscriptError(1, f"{name!r} must be a {'number' if wanted is int else 'string'}")
    return Head(**{name: table[name] for name in types})


def _entry(table: Mapping[str, Any], line: int) -> Entry:
    ms = table.get("ms")
    if type(ms) is not int or ms < 0:
        raise TranscriptError(line, "'ms' must be a whole number of milliseconds, 0 or more")
    if "note" in table:
        _check_keys(table, ("ms", "note"), line)
        if not isinstance(table["note"], str):
            raise TranscriptError(line, "'note' must be a string")
        return Note(ms, table["note"])
    _check_keys(table, ("ms", "from", "bytes", "message"), line)
    if table["from"] not in (BOT, REFEREE):
        raise TranscriptError(line, f"key 'from': got {_shown(table['from'])}; must be {BOT!r} or {REFEREE!r}")
    try:
        data = bytes.fromhex(table["bytes"])
    except (TypeError, ValueError):
        raise TranscriptError(line, "'bytes' must be a string of hex digits") from None
    message = Message(ms, table["from"], data)
    _check_text(message, table["message"], line)
    return message


def _check_keys(table: Mapping[str, Any], wanted: Iterable[str], line: int) -> None:
    missing = [key for key in wanted if key not in table]
    if missing:
        raise TranscriptError(line, f"{missing[0]!r} is missing")
    unknown = [key for key in table if key not in wanted]
    if unknown:
        raise TranscriptError(line, f"{_shown(unknown[0])} is not a key of this line; they are {', '.join(wanted)}")


def _check_text(message: Message, text: object, line: int) -> None:
    """Raise TranscriptError unless `text` is the JSON form of the message. Fields of later versions are left out."""
    kind = "PlayRequest" if message.sender == BOT else "PlayResponse"
    try:
        parsed = message.parsed
    except DecodeError:
        raise TranscriptError(line, f"'bytes' is not a {kind}") from None
    parsed.DiscardUnknownFields()
    if not isinstance(text, dict):
        raise TranscriptError(line, "'message' must be a JSON object")
    try:
        json.dumps(text, ensure_ascii=False).encode()  # protobuf raises SystemError for half a surrogate pair
        told = json_format.ParseDict(text, type(parsed)(), ignore_unknown_fields=True)
    except (json_format.ParseError, ValueError, TypeError, RecursionError):
        raise TranscriptError(line, f"'message' is not a {kind} in protobuf's JSON form") from None
    if told != parsed:
        raise TranscriptError(line, "'bytes' and 'message' do not agree")


def _check_order(transcript: Transcript, lines: int) -> None:
    for sender, kind in ((BOT, "hello"), (REFEREE, "welcome")):
        found = next(((line, one) for line, one in transcript.messages() if one.sender == sender), None)
        if found is None or found[1].kind != kind:
            line = lines if found is None else found[0]
            raise TranscriptError(line, f"the first message of the {sender} must be its {kind.capitalize()}")


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
