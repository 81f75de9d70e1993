"""buf's STANDARD and COMMENTS rules, checked here because buf itself cannot be installed (PROTOCOL.md rule 9).

Each check returns the places that break it, so that a failure names them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

PASCAL = re.compile(r"^[A-Z][A-Za-z0-9]*$")
SNAKE = re.compile(r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")
UPPER_SNAKE = re.compile(r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$")
# Field numbers in FileDescriptorProto and below it; the paths of comments consist of them.
FILE_MESSAGE, FILE_ENUM, FILE_SERVICE = 4, 5, 6
MESSAGE_FIELD, MESSAGE_NESTED, MESSAGE_ENUM, MESSAGE_ONEOF = 2, 3, 4, 8
ENUM_VALUE, SERVICE_METHOD = 2, 2

Path = tuple[int, ...]


def messages(file: FileDescriptorProto) -> Iterator[tuple[str, Path, DescriptorProto]]:
    """Yield every message of a file with its name and the path of its comment."""

    def below(name: str, path: Path, message: DescriptorProto) -> Iterator[tuple[str, Path, DescriptorProto]]:
        yield name, path, message
        for index, nested in enumerate(message.nested_type):
            yield from below(f"{name}.{nested.name}", (*path, MESSAGE_NESTED, index), nested)

    for index, message in enumerate(file.message_type):
        yield from below(message.name, (FILE_MESSAGE, index), message)


def enums(file: FileDescriptorProto) -> Iterator[tuple[Path, EnumDescriptorProto]]:
    """Yield every enum of a file with the path of its comment."""
    for index, enum in enumerate(file.enum_type):
        yield (FILE_ENUM, index), enum
    for _, path, message in messages(file):
        for index, enum in enumerate(message.enum_type):
            yield (*path, MESSAGE_ENUM, index), enum


def synthetic_oneofs(message: DescriptorProto) -> set[int]:
    """Return the indices of the oneofs that represent `optional` and are not written in the file."""
    return {field.oneof_index for field in message.field if field.proto3_optional}


def undocumented(file: FileDescriptorProto) -> list[str]:
    """Return the names of all elements without a comment before them."""
    said = {tuple(place.path) for place in file.source_code_info.location if place.leading_comments.strip()}
    named: list[tuple[str, Path]] = []
    for name, path, message in messages(file):
        named.append((name, path))
        named += [(f"{name}.{field.name}", (*path, MESSAGE_FIELD, i)) for i, field in enumerate(message.field)]
        unwritten = synthetic_oneofs(message)
        named += [
            (f"{name}.{oneof.name}", (*path, MESSAGE_ONEOF, i))
            for i, oneof in enumerate(message.oneof_decl)
            if i not in unwritten
        ]
    for path, enum in enums(file):
        named.append((enum.name, path))
        named += [(f"{enum.name}.{value.name}", (*path, ENUM_VALUE, i)) for i, value in enumerate(enum.value)]
    for index, service in enumerate(file.service):
        path = (FILE_SERVICE, index)
        named.append((service.name, path))
        named += [(f"{service.name}.{rpc.name}", (*path, SERVICE_METHOD, i)) for i, rpc in enumerate(service.method)]
    return [name for name, path in named if path not in said]


def prefix_of(enum_name: str) -> str:
    """Return the prefix of an enum's values: ActionKind -> ACTION_KIND_."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", enum_name).upper() + "_"


def test_everything_is_commented(contract: FileDescriptorSet) -> None:
    """COMMENT_ENUM, _ENUM_VALUE, _FIELD, _MESSAGE, _ONEOF, _RPC, _SERVICE."""
    bare = [f"{file.name}: {name}" for file in contract.file for name in undocumented(file)]
    assert not bare, f"write a comment before: {bare}"


def test_files_lie_where_their_package_says(contract: FileDescriptorSet) -> None:
    """PACKAGE_DIRECTORY_MATCH, PACKAGE_VERSION_SUFFIX, SYNTAX_SPECIFIED, FILE_LOWER_SNAKE_CASE, PACKAGE_SAME_*."""
    for file in contract.file:
        assert file.syntax == "proto3", file.name
        assert file.package == "bowerbird.seat.v1", file.name
        folder, _, name = file.name.rpartition("/")
        assert folder == file.package.replace(".", "/"), file.name
        assert SNAKE.match(name.removesuffix(".proto")), file.name
        assert not file.public_dependency, f"{file.name}: no public imports"
    assert len({(file.options.go_package, file.options.java_package) for file in contract.file}) == 1


def test_every_import_is_used(contract: FileDescriptorSet) -> None:
    """IMPORT_USED."""
    home = {f".{file.package}.{name}": file.name for file in contract.file for name, _, _ in messages(file)}
    home |= {f".{file.package}.{enum.name}": file.name for file in contract.file for _, enum in enums(file)}
    for file in contract.file:
        used = {home[field.type_name] for _, _, message in messages(file) for field in message.field if field.type_name}
        assert set(file.dependency) <= used, f"{file.name} imports what it does not use: {set(file.dependency) - used}"


def test_names_have_the_right_case(contract: FileDescriptorSet) -> None:
    """MESSAGE_, ENUM_, SERVICE_, RPC_PASCAL_CASE, FIELD_, ONEOF_LOWER_SNAKE_CASE, ENUM_VALUE_UPPER_SNAKE_CASE."""
    wrong: list[str] = []
    for file in contract.file:
        for name, _, message in messages(file):
            wrong += [name] if not PASCAL.match(message.name) else []
            wrong += [f"{name}.{field.name}" for field in message.field if not SNAKE.match(field.name)]
            unwritten = synthetic_oneofs(message)
            wrong += [
                f"{name}.{oneof.name}"
                for i, oneof in enumerate(message.oneof_decl)
                if i not in unwritten and not SNAKE.match(oneof.name)
            ]
        for _, enum in enums(file):
            wrong += [enum.name] if not PASCAL.match(enum.name) else []
            wrong += [value.name for value in enum.value if not UPPER_SNAKE.match(value.name)]
        for service in file.service:
            wrong += [service.name] if not PASCAL.match(service.name) else []
            wrong += [rpc.name for rpc in service.method if not PASCAL.match(rpc.name)]
    assert not wrong


def test_every_enum_begins_with_unspecified(contract: FileDescriptorSet) -> None:
    """PROTOCOL.md rule 2; ENUM_FIRST_VALUE_ZERO, ENUM_ZERO_VALUE_SUFFIX, ENUM_VALUE_PREFIX, ENUM_NO_ALLOW_ALIAS."""
    for file in contract.file:
        for _, enum in enums(file):
            prefix = prefix_of(enum.name)
            assert (enum.value[0].name, enum.value[0].number) == (f"{prefix}UNSPECIFIED", 0)
            assert [value.name for value in enum.value if not value.name.startswith(prefix)] == []
            assert not enum.options.allow_alias, enum.name


def test_services_and_calls_are_named_by_rule(contract: FileDescriptorSet) -> None:
    """SERVICE_SUFFIX, RPC_REQUEST_STANDARD_NAME, RPC_RESPONSE_STANDARD_NAME, RPC_REQUEST_RESPONSE_UNIQUE."""
    taken: list[str] = []
    for file in contract.file:
        for service in file.service:
            assert service.name.endswith("Service")
            for rpc in service.method:
                assert rpc.input_type == f".{file.package}.{rpc.name}Request"
                assert rpc.output_type == f".{file.package}.{rpc.name}Response"
                taken += [rpc.input_type, rpc.output_type]
    assert len(taken) == len(set(taken)) == 4


def test_action_index_has_presence(contract: FileDescriptorSet) -> None:
    """PROTOCOL.md rule 2: an unset 0 must never mean "the first"."""
    found = {f"{name}.{f.name}": f for file in contract.file for name, _, m in messages(file) for f in m.field}
    assert found["Decision.action_index"].proto3_optional
    assert found["Decision.action"].proto3_optional


@pytest.mark.parametrize(
    "name", ["seat", "actor", "maker", "leader", "lone_defender", "upcard_holder", "highest_bidder"]
)
def test_a_seat_that_may_be_nobody_has_presence(contract: FileDescriptorSet, name: str) -> None:
    """Seat 0 exists, so an unset seat must differ from it."""
    maybe_nobody = {"PublicView", "Action", "Memory"}
    fields = [
        field
        for file in contract.file
        for message_name, _, message in messages(file)
        for field in message.field
        if message_name in maybe_nobody and field.name == name
    ]
    assert fields
    assert all(field.proto3_optional for field in fields)


def test_whole_numbers_fit_every_language(contract: FileDescriptorSet) -> None:
    """No 64-bit integers: JavaScript has none, and JSON writes them as strings."""
    wide = {
        FieldDescriptorProto.TYPE_INT64,
        FieldDescriptorProto.TYPE_UINT64,
        FieldDescriptorProto.TYPE_SINT64,
        FieldDescriptorProto.TYPE_FIXED64,
        FieldDescriptorProto.TYPE_SFIXED64,
    }
    found = [f"{n}.{f.name}" for file in contract.file for n, _, m in messages(file) for f in m.field if f.type in wide]
    assert not found
