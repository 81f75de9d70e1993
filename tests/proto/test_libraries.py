"""The contract uses nothing that libraries of different languages read differently (clients.md, Messages)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from bowerbird.engine import rules_of, variant_names
from bowerbird.harness.referee.connection.participant import NEW_WORDS, capabilities_of, required_features
from bowerbird.harness.wire.values import action_to_wire
from bowerbird.seat.v1 import action_pb2, seat_pb2, table_pb2, view_pb2
from bowerbird.watch.v1 import watch_pb2
from tests.support.paths import ROOT

SEAT: tuple[FileDescriptor, ...] = tuple(module.DESCRIPTOR for module in (action_pb2, seat_pb2, table_pb2, view_pb2))
MAPS = {"bowerbird.watch.v1.Table.options": "a spectator shows it; nothing hashes, signs or compares it"}
"""Every field that is a map, and why it may be one. Its bytes differ between libraries, "deterministic" or not."""

SIXTY_FOUR_BITS = {
    FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_SINT64,
    FieldDescriptor.TYPE_FIXED64, FieldDescriptor.TYPE_SFIXED64,
}  # fmt: skip

ANNOUNCED: Mapping[str, str] = {
    "bowerbird.seat.v1.ActionKind.ACTION_KIND_LONE = 22": "lone",
    "bowerbird.seat.v1.Suit.SUIT_LOW = 7": "low",
    "bowerbird.seat.v1.Stage.STAGE_MISDEAL = 21": "misdeal",
    "bowerbird.seat.v1.Stage.STAGE_GO_UNDER = 22": "show",  # it is asked just where cards may be shown
    "bowerbird.seat.v1.Stage.STAGE_SHOW = 23": "show",
    "bowerbird.seat.v1.ActionKind.ACTION_KIND_SHOW = 23": "show",
}
"""Enum values that were added after the released contract, and the feature that a bot announces to be sent one."""


def fields(message: Descriptor) -> Iterator[FieldDescriptor]:
    """Yield the fields of a message and of the messages that it declares."""
    yield from message.fields
    for nested in message.nested_types:
        yield from fields(nested)


def fields_of(*files: FileDescriptor) -> list[FieldDescriptor]:
    return [field for file in files for message in file.message_types_by_name.values() for field in fields(message)]


def is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def test_only_what_nobody_hashes_signs_or_compares_is_a_map() -> None:
    assert [field.full_name for field in fields_of(*SEAT, watch_pb2.DESCRIPTOR) if is_map(field)] == [*MAPS]


def _imports(path: Path) -> set[str]:
    """Return the last names that a module imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = (node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))
    return {alias.name.rpartition(".")[2] for node in nodes for alias in node.names}


def test_no_module_that_knows_a_map_makes_bytes_hashes_or_signatures() -> None:
    """Only gRPC writes the messages of the watch service; bytes that are hashed or signed come from text."""
    knowing = [
        path
        for folder in ("harness", "bots", "engine")
        for path in (ROOT / folder).rglob("*.py")
        if "watch_pb2" in path.read_text(encoding="utf-8") and "watch_pb2" in _imports(path)
    ]
    assert len(knowing) >= 3
    for path in knowing:
        text = path.read_text(encoding="utf-8")
        assert not _imports(path) & {"hashlib", "hmac", "sha256", "cryptography"}, path
        written = re.findall(r"(\w+)\([^()]*\)\.SerializeToString\(\)|SerializeToString", text)
        assert set(written) <= {"WatchTableRequest"}, f"{path} writes a message that may hold a map"
        assert "deterministic" not in text, path


def test_the_contract_has_no_number_that_a_double_cannot_hold() -> None:
    """JavaScript, and JSON readers everywhere, use doubles for all numbers; seeds are bytes."""
    wide = [field.full_name for field in fields_of(*SEAT, watch_pb2.DESCRIPTOR) if field.type in SIXTY_FOUR_BITS]
    assert not wide
    assert table_pb2.TableOpened.DESCRIPTOR.fields_by_name["seed"].type == FieldDescriptor.TYPE_BYTES


def test_the_contract_has_no_closed_enum_and_no_list_of_enums() -> None:
    """A library that drops an unknown number would shift the indices of a list."""
    for field in fields_of(*SEAT, watch_pb2.DESCRIPTOR):
        if field.enum_type is not None:
            assert not field.is_repeated, field.full_name
            assert not field.enum_type.is_closed, field.enum_type.full_name


def enums() -> list[EnumDescriptor]:
    return [enum for file in SEAT for enum in file.enum_types_by_name.values()]


@pytest.fixture(scope="module")
def released() -> set[str]:
    """Return the full names of all values of the released contract, with their numbers."""
    contract = FileDescriptorSet.FromString((ROOT / "proto" / "released.binpb").read_bytes())
    return {
        f"{file.package}.{enum.name}.{value.name} = {value.number}"
        for file in contract.file
        for enum in file.enum_type
        for value in enum.value
    }


def test_a_bot_is_sent_no_word_that_the_released_contract_lacks_unless_it_announced_it(released: set[str]) -> None:
    """A bot built with the released contract knows every word, or has asked for it by a feature."""
    assert len(released) > 100
    now = {f"{enum.full_name}.{value.name} = {value.number}" for enum in enums() for value in enum.values}
    assert {value for value in now - released if value not in ANNOUNCED} == set()


@pytest.mark.parametrize("variant", variant_names())
def test_the_actions_of_a_variant_are_words_of_the_released_contract(variant: str, released: set[str]) -> None:
    """Or for those that a bot has announced: without them it is not seated in this variant."""
    announced = required_features([(variant, {})])
    released = released | {value for value, feature in ANNOUNCED.items() if feature in announced}
    for action in rules_of(variant).rules({}).every_action():
        wire = action_to_wire(action)
        assert wire.token
        kind = action_pb2.ActionKind.Name(wire.kind)
        assert f"bowerbird.seat.v1.ActionKind.{kind} = {wire.kind}" in released
        if wire.HasField("suit"):
            assert f"bowerbird.seat.v1.Suit.{action_pb2.Suit.Name(wire.suit)} = {wire.suit}" in released
        if wire.HasField("how"):
            assert f"bowerbird.seat.v1.How.{action_pb2.How.Name(wire.how)} = {wire.how}" in released


def test_a_bot_that_announces_nothing_is_granted_nothing() -> None:
    granted = capabilities_of(seat_pb2.Capabilities(), 8)
    assert (granted.features, granted.wants_events, granted.wants_forced) == ((), False, False)
    assert (granted.tables, granted.batch) == (1, 1)
    assert capabilities_of(seat_pb2.Capabilities(features=["telepathy"]), 8).features == ()
    assert capabilities_of(seat_pb2.Capabilities(features=["low", "lone"]), 8).features == ("lone", "low")


def test_a_value_that_must_be_announced_is_a_word_that_the_referee_requires() -> None:
    assert set(ANNOUNCED.values()) == set(NEW_WORDS)
