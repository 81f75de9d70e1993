"""The generated parts of the pages in docs/: tables of seat.proto, recorded games, and a shuffle step by step.

`python -m tests.support.docs.pages` regenerates them. They are between `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from bowerbird.engine import rules_of, stream
from bowerbird.harness.extras.compliance.transcripts.transcript_file import BOT, Message, Transcript, read
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.game_record import Conditions, SeatRecord, TimeControl
from bowerbird.harness.records.values.run import GameId, commitment_of, run_fingerprint
from bowerbird.harness.referee.game.clock import NS_PER_MS
from bowerbird.harness.referee.game.table import Table
from bowerbird.harness.referee.spec import InstanceKey, SeatSpec, TableSpec
from bowerbird.seat.v1 import seat_pb2
from tests.support.docs.parts import write_parts
from tests.support.paths import DOCS, ROOT

NOTATION = DOCS / "reference" / "notation.md"
PROTOCOL = DOCS / "reference" / "protocol.md"
RULES = DOCS / "reference" / "rules.md"
CLIENT = DOCS / "how-to" / "write-a-client.md"
GAME = DOCS / "transcripts" / "euchre.jsonl"
CONTRACT = ROOT / "proto" / "bowerbird" / "seat" / "v1" / "seat.proto"


# Reading a page.


def section(page: Path, title: str) -> str:
    """Return the text of a section, up to the next heading of its level or above."""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"{page} has no section {title!r}"
    return found.group(2)


def rows(text: str) -> list[list[str]]:
    """Return the rows of all markdown tables in a string, without their titles."""
    found: list[list[str]] = []
    is_body = False
    for line in text.splitlines():
        if not line.startswith("|"):
            is_body = False
        elif set(line) <= set("|- "):
            is_body = True
        elif is_body:
            found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def plain(cell: str) -> str:
    """Return the text of a cell without backquotes."""
    return cell.replace("`", "")


WIDTH = 78
"""Columns of a generated line."""

LONG = 12
"""From this many bytes on, a string gets lines of its own."""


# The tables of seat.proto.


def _comment(begin: str, skip: int) -> list[str]:
    """Return the lines of a table of seat.proto, from `skip` lines after that with `begin` up to a blank one."""
    lines = [line.removeprefix("//").rstrip() for line in CONTRACT.read_text(encoding="utf-8").splitlines()]
    first = next(number for number, line in enumerate(lines) if line.strip().startswith(begin))
    last = lines.index("", first)
    return lines[first + skip : last]


def retry_table() -> list[tuple[str, str]]:
    """Return the rows of "When the connection breaks": what happened, and what to do."""
    lines = _comment("what happened", 0)
    column = lines[0].index("what to do")
    rows: list[tuple[str, str]] = []
    for line in lines[1:]:
        left, right = line[:column].strip(), line[column:].strip()
        if left:
            rows.append((left, right))
        else:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {right}")
    return rows


def bad_messages() -> list[tuple[str, str, str, str]]:
    """Return the rows of "Bad messages": the message, what the referee does, what the bot is told, what is lost."""
    rows = []
    for line in _comment("message from the bot", 2):
        message, referee, told, lost = re.split(r" {2,}", line.strip())
        rows.append((message, referee, told, lost))
    return rows


def retry_text() -> str:
    """Return the retry table for a page: each case on a line, what to do indented below it."""
    lines = ["```text"]
    for what, then in retry_table():
        lines += [what, *textwrap.wrap(then, WIDTH, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join([*lines, "```"])


def bad_messages_text() -> str:
    """Return the table of bad messages for a page: one for each frequent reaction of the referee, one for the rest.

    Each has the same columns, without that of the referee where it is the title.
    """
    rows = bad_messages()
    by_referee: dict[str, list[tuple[str, ...]]] = {}
    for message, referee, told, lost in rows:
        by_referee.setdefault(referee, []).append((message, told, lost))
    parts = []
    rest: list[tuple[str, ...]] = []
    for referee, found in by_referee.items():
        if len(found) > 1:
            parts.append(f"**The referee: {referee}**\n\n{_markdown(('message', 'bot is told', 'lost'), found)}")
        else:
            rest += [(message, referee, told, lost) for message, told, lost in found]
    parts.append(f"**Others**\n\n{_markdown(('message', 'referee', 'bot is told', 'lost'), rest)}")
    return "\n\n".join(parts)


def _markdown(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    cells = [titles, tuple("-" * width for width in widths), *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    )


# A recorded game.


def game() -> Transcript:
    """Return the recorded game of the pages."""
    return read(GAME.read_bytes())


def first(kind: str) -> Message:
    """Return the first message of this kind in the recorded game."""
    return next(message for _, message in game().messages() if message.kind == kind)


def annotated(message: Message) -> str:
    """Return the bytes of a message, one field on a line with its name and value. Together they are the message."""
    root = seat_pb2.PlayRequest if message.sender == BOT else seat_pb2.PlayResponse
    lines = list(_fields(message.data, root.DESCRIPTOR, 0))
    width = max(len(left) for left, _, _ in lines) + 2
    text = ["```text"]
    for left, right, more in lines:
        column = len(left) + 2 if more else width
        text += [f"{left.ljust(column)}{right}", *(f"{left[: len(left) - len(left.lstrip())]}   {row}" for row in more)]
    return "\n".join([*text, "```"])


def _fields(data: bytes, descriptor: Descriptor, depth: int) -> Iterator[tuple[str, str, list[str]]]:
    """Yield for each field its bytes in hex, what they say, and further lines of bytes if they are many.

    Of a field that is a message these are tag and length alone; its own fields follow.
    """
    indent = "  " * depth
    at = 0
    while at < len(data):
        begin = at
        tag, at = _varint(data, at)
        field = descriptor.fields_by_number[tag >> 3]
        if tag & 7 == 0:
            value, at = _varint(data, at)
            yield indent + data[begin:at].hex(" "), f"{field.name} = {_number(field, value)}", []
            continue
        assert tag & 7 == 2, "v1 has varints, strings, bytes and messages"
        length, at = _varint(data, at)
        held = data[at : at + length]
        head = data[begin:at].hex(" ")
        at += length
        if field.message_type is not None:
            yield indent + head, f"{field.name}, {length} bytes:", []
            yield from _fields(held, field.message_type, depth + 1)
        elif field.type == FieldDescriptor.TYPE_STRING:
            text = f"{field.name} = {json.dumps(held.decode())}"
            if length <= LONG:
                yield f"{indent}{head} {held.hex()}".rstrip(), text, []
            else:
                yield indent + head, text, textwrap.wrap(held.hex(), WIDTH - 10)
        elif field.type == FieldDescriptor.TYPE_BYTES:
            yield indent + head, f"{field.name}, {length} bytes", textwrap.wrap(held.hex(), WIDTH - 10)
        else:
            yield f"{indent}{head} {held.hex(' ')}", f"{field.name} = {_packed(field, held)}", []


def _packed(field: FieldDescriptor, held: bytes) -> str:
    numbers, at = [], 0
    while at < len(held):
        value, at = _varint(held, at)
        numbers.append(_number(field, value))
    return f"[{', '.join(numbers)}]"


def _number(field: FieldDescriptor, value: int) -> str:
    if field.type == FieldDescriptor.TYPE_BOOL:
        return "true" if value else "false"
    if field.type == FieldDescriptor.TYPE_SINT32:
        return str((value >> 1) ^ -(value & 1))
    if field.enum_type is not None:
        return f"{value}, {field.enum_type.values_by_number[value].name}"
    return str(value)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the varint at `at`, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


# The notation's examples.

EXAMPLE_SEED = bytes(range(32))
EXAMPLE_ENTRY = "two-handed-0"
EXAMPLE_OPTIONS = {"deck": 24, "max_hands": 2}
EXAMPLE_PACK = rules_of("two-handed").rules(EXAMPLE_OPTIONS).pack.codes
EXAMPLE_FIELDS = ("pack", EXAMPLE_ENTRY, 0, 0, 0)


def shuffle_text() -> str:
    """Return a shuffle step by step: key, message and digest of block 0, words, places, and the pack."""
    fields = [str(field).encode() for field in EXAMPLE_FIELDS]
    message = b"".join([b"bowerbird/1", *(len(field).to_bytes(4, "big") + field for field in fields), bytes(8)])
    digest = hmac.digest(EXAMPLE_SEED, message, "sha256")
    words, places = stream(EXAMPLE_SEED, *EXAMPLE_FIELDS), stream(EXAMPLE_SEED, *EXAMPLE_FIELDS)
    drawn = [words.word() for _ in EXAMPLE_PACK[1:]]
    chosen = [places.uniform(n) for n in range(len(EXAMPLE_PACK), 1, -1)]
    shuffled = stream(EXAMPLE_SEED, *EXAMPLE_FIELDS).shuffled(EXAMPLE_PACK)
    dealer = stream(EXAMPLE_SEED, "dealer", EXAMPLE_ENTRY, 0)
    said = {
        "seed": EXAMPLE_SEED.hex(),
        "fields": " ".join(json.dumps(field) for field in EXAMPLE_FIELDS),
        "message of block 0": message.hex(),
        "block 0": digest.hex(),
        "words": " ".join(map(str, drawn)),
        "uniform(24), uniform(23), …, uniform(2)": " ".join(map(str, chosen)),
        "canonical order": " ".join(EXAMPLE_PACK),
        "shuffled": " ".join(shuffled),
        f'fields "dealer" "{EXAMPLE_ENTRY}" 0, uniform(2)': str(dealer.uniform(2)),
    }
    lines = ["```text"]
    for title, value in said.items():
        lines += [f"{title}:", *textwrap.wrap(value, WIDTH, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join([*lines, "```"])


def record_text() -> str:
    """Return the record of a short game that the referee's own table plays; seat 0 is too slow once."""
    commitment = commitment_of(EXAMPLE_SEED)
    lineup = "ada+bob"
    spec = TableSpec(
        game_id=str(GameId(run_fingerprint("example", commitment), EXAMPLE_ENTRY, lineup, 0, 0)),
        variant="two-handed",
        options=EXAMPLE_OPTIONS,
        entry=EXAMPLE_ENTRY,
        set_number=0,
        rotation=0,
        seed=EXAMPLE_SEED,
        commitment=commitment,
        seats=tuple(SeatSpec(bot, InstanceKey(bot, 0)) for bot in lineup.split("+")),
    )
    bots = [SeatRecord(bot, "1.0", f"sha256:{hashlib.sha256(bot.encode()).hexdigest()}") for bot in lineup.split("+")]
    table = Table(spec, Conditions("substitute", "sandbox", "seat", TimeControl()), bots)
    table.start()
    while table.due is not None:
        due = table.due
        is_slow = (len(table.hands), due.seat, due.number) == (0, 0, 3)
        table.answer(len(due.legal) - 1, 6031 * NS_PER_MS if is_slow else (3 + due.number % 4) * NS_PER_MS)
    assert table.record is not None  # nothing is due any more
    return f"```toml\n{canonical(table.record)}```"


# The pages.

PARTS = {
    NOTATION: {"shuffle": shuffle_text, "record": record_text},
    PROTOCOL: {"retry": retry_text, "bad-messages": bad_messages_text},
    CLIENT: {
        "decision": lambda: annotated(first("decision_requests")),
        "answer": lambda: annotated(first("decisions")),
    },
}
"""The generated parts of each page, by name."""


def main() -> None:
    """Regenerate all generated parts."""
    write_parts(PARTS)


if __name__ == "__main__":
    main()
