"""v1 never loses, renumbers or retypes a field, compared with the last release (PROTOCOL.md rule 9).

After a release: `python proto/generate.py --release`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet

Shape = tuple[object, ...]


def members(contract: FileDescriptorSet) -> dict[str, Shape]:
    """Return everything that a client may rely on: number, type and cardinality by each member's full name."""
    return dict(_members(contract))


def _members(contract: FileDescriptorSet) -> Iterator[tuple[str, Shape]]:
    for file in contract.file:
        for message in file.message_type:
            yield from _fields(f"{file.package}.{message.name}", message)
        for enum in file.enum_type:
            yield f"{file.package}.{enum.name}", ("enum",)
            for value in enum.value:
                yield f"{file.package}.{enum.name}.{value.name}", (value.number,)
        for service in file.service:
            for rpc in service.method:
                streams = (rpc.client_streaming, rpc.server_streaming)
                yield f"{file.package}.{service.name}.{rpc.name}", (rpc.input_type, rpc.output_type, *streams)


def _fields(name: str, message: DescriptorProto) -> Iterator[tuple[str, Shape]]:
    yield name, ("message",)
    for field in message.field:
        oneof = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else ""
        yield f"{name}.{field.name}", (field.number, field.type, field.type_name, field.label, oneof)
    for nested in message.nested_type:
        yield from _fields(f"{name}.{nested.name}", nested)


def lost_or_changed(before: FileDescriptorSet, after: FileDescriptorSet) -> list[str]:
    """Return the members of `before` that `after` lacks or has in another shape."""
    now = members(after)
    return [name for name, shape in members(before).items() if now.get(name) != shape]


def test_nothing_released_is_lost_or_changed(released: FileDescriptorSet, contract: FileDescriptorSet) -> None:
    assert released.file
    broken = lost_or_changed(released, contract)
    assert not broken, f"clients rely on these: {broken}; add a new field beside the old one"


@pytest.mark.parametrize("change", ["lost", "renumbered", "retyped", "optional dropped", "enum value lost", "moved"])
def test_the_comparison_sees_a_break(contract: FileDescriptorSet, change: str) -> None:
    changed = FileDescriptorSet()
    changed.CopyFrom(contract)
    file = next(file for file in changed.file if file.name == "bowerbird/seat/v1/seat.proto")
    decision = next(message for message in file.message_type if message.name == "Decision")
    index = next(field for field in decision.field if field.name == "action_index")
    if change == "lost":
        decision.field.remove(index)
    elif change == "renumbered":
        index.number = 99
    elif change == "retyped":
        index.type = index.TYPE_STRING
    elif change == "optional dropped":
        index.ClearField("oneof_index")
    elif change == "enum value lost":
        del file.enum_type[0].value[1]
    else:
        file.package = "harness.v2"
    assert lost_or_changed(contract, changed)


def test_an_addition_breaks_nothing(contract: FileDescriptorSet) -> None:
    grown = FileDescriptorSet()
    grown.CopyFrom(contract)
    grown.file[0].message_type[0].field.add(name="later", number=500, type=9, label=1)
    assert not lost_or_changed(contract, grown)
