"""What buf cannot check: which fields must tell 0 from nothing, and which types suit every language (rule 2)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorSet


def messages(contract: FileDescriptorSet) -> Iterator[tuple[str, DescriptorProto]]:
    """Yield every message with its full name, nested ones too."""

    def below(name: str, message: DescriptorProto) -> Iterator[tuple[str, DescriptorProto]]:
        yield name, message
        for nested in message.nested_type:
            yield from below(f"{name}.{nested.name}", nested)

    for file in contract.file:
        for message in file.message_type:
            yield from below(message.name, message)


def fields(contract: FileDescriptorSet) -> dict[str, FieldDescriptorProto]:
    """Return every field by the names of its message and of itself."""
    return {f"{name}.{field.name}": field for name, message in messages(contract) for field in message.field}


def test_a_choice_is_an_index_or_a_token_and_an_unset_index_is_not_the_first(contract: FileDescriptorSet) -> None:
    decision = dict(messages(contract))["Decision"]
    [choice] = [number for number, oneof in enumerate(decision.oneof_decl) if oneof.name == "choice"]
    chosen = [field.name for field in decision.field if field.HasField("oneof_index") and field.oneof_index == choice]
    assert chosen == ["action_index", "action"]


@pytest.mark.parametrize(
    "name",
    [
        *(f"PublicView.{name}" for name in ("actor", "maker", "leader", "lone_defender")),
        *("PublicView.upcard_holder", "PublicView.highest_bidder", "Memory.seat"),
        *("Action.seat", "Action.number", "Action.suit", "Action.how"),
    ],
)
def test_what_may_be_nothing_has_presence(contract: FileDescriptorSet, name: str) -> None:
    """Seat 0 and the number 0 exist, so an unset field must differ from them."""
    assert fields(contract)[name].proto3_optional


@pytest.mark.parametrize("name", ["TableOpened.seat", "Fault.seat", "Event.seat", "PlayedCard.seat", "Trick.winner"])
def test_what_is_always_there_has_none(contract: FileDescriptorSet, name: str) -> None:
    assert not fields(contract)[name].proto3_optional


def test_every_enum_has_something_beside_unspecified(contract: FileDescriptorSet) -> None:
    for file in contract.file:
        for enum in file.enum_type:
            assert [value.name for value in enum.value if value.number == 0] == [enum.value[0].name]
            assert len(enum.value) > 1, enum.name


def test_whole_numbers_fit_every_language(contract: FileDescriptorSet) -> None:
    """No 64-bit integers: JavaScript has none, and JSON writes them as strings."""
    wide = {
        FieldDescriptorProto.TYPE_INT64,
        FieldDescriptorProto.TYPE_UINT64,
        FieldDescriptorProto.TYPE_SINT64,
        FieldDescriptorProto.TYPE_FIXED64,
        FieldDescriptorProto.TYPE_SFIXED64,
    }
    assert not [name for name, field in fields(contract).items() if field.type in wide]


def test_enums_belong_to_files_and_not_to_messages(contract: FileDescriptorSet) -> None:
    """Some languages give a nested enum a name that nobody can guess."""
    assert not [name for name, message in messages(contract) if message.enum_type]


def test_the_files_agree_on_where_generated_code_goes(contract: FileDescriptorSet) -> None:
    for package in {file.package for file in contract.file}:
        options = {file.options.SerializeToString() for file in contract.file if file.package == package}
        assert len(options) == 1, f"each file of {package} has the same options"
