"""The pages of every call, message, field and enum of the two protocols, from the .proto comments.

They are docs/reference/protocol-messages.md for bots and watch-messages.md for spectators.
`python -m tests.support.docs.protocol_messages` regenerates them.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)

from tests.support.docs.wrap import wrapped
from tests.support.paths import DOCS, ROOT

_INTRODUCTION = """\
# Protocol messages

Every call, message, field and enum of the protocol between bot and referee.
[protocol.md](protocol.md) explains how they are used,
[write-a-client.md](../how-to/write-a-client.md) leads through a client without
a library. This page is made from the comments of the .proto files, which are
the contract; `bowerbird docs seat.proto` prints one of them. The package is
`bowerbird.seat.v1`.

A field without a value is not sent. `repeated` is a list, `optional` a field
that may be absent, which differs from 0. Of the fields that are "one of" the
same group exactly one is set.
"""

_WATCH_INTRODUCTION = """\
# Watch messages

Every call, message, field and enum of the protocol of spectators.
[watch.md](../how-to/watch.md) explains how they are used. This page is made
from the comments of the .proto file, which is the contract;
`bowerbird docs watch.proto` prints it. The package is `bowerbird.watch.v1`.

A field without a value is not sent. `repeated` is a list, `optional` a field
that may be absent, which differs from 0. Of the fields that are "one of" the
same group exactly one is set.
"""


@dataclass(frozen=True, slots=True)
class MessagesPage:
    """A generated page: the folder and the .proto files of a protocol, from the calls to what they carry."""

    path: Path
    folder: str
    files: tuple[str, ...]
    introduction: str


SEAT = MessagesPage(
    DOCS / "reference" / "protocol-messages.md",
    "bowerbird/seat/v1",
    ("seat.proto", "table.proto", "view.proto", "action.proto"),
    _INTRODUCTION,
)
WATCH = MessagesPage(
    DOCS / "reference" / "watch-messages.md", "bowerbird/watch/v1", ("watch.proto",), _WATCH_INTRODUCTION
)
PAGES = (SEAT, WATCH)

Path_ = tuple[int, ...]
"""Where something is in a file: the numbers of fields and indices, as in SourceCodeInfo."""

_ITEM = re.compile(r' {2,}("\w+") {2,}(.+)', re.MULTILINE)
"""An item of a list in a comment: a word in quotes, and what it means."""

_SERVICE, _MESSAGE, _ENUM = 6, 4, 5
_METHOD = _FIELD = _VALUE = 2
_ONEOF = 8
_SCALARS = {
    value: name.removeprefix("TYPE_").lower()
    for name, value in FieldDescriptorProto.Type.items()
    if name not in ("TYPE_MESSAGE", "TYPE_ENUM", "TYPE_GROUP")
}


def page_text(page: MessagesPage = SEAT) -> str:
    """Return a page as it must be."""
    files = _files(page)
    parts = [page.introduction, _contents(files)]
    for file in files:
        comments = _comments(file)
        name = file.name.rpartition("/")[2]
        parts.append(f"## {name}\n\n{_prose(_title_comment(ROOT / 'proto' / file.name))}")
        parts += [_service(one, (_SERVICE, at), comments) for at, one in enumerate(file.service)]
        parts += [_message(one, (_MESSAGE, at), comments) for at, one in enumerate(file.message_type)]
        parts += [_enum(one, (_ENUM, at), comments) for at, one in enumerate(file.enum_type)]
    return "\n".join(parts)


@cache
def _files(page: MessagesPage) -> tuple[FileDescriptorProto, ...]:
    """Return the descriptors of the .proto files of a page with their comments."""
    found = FileDescriptorSet()
    with TemporaryDirectory() as folder:
        target = Path(folder) / "set.binpb"
        _generator().descriptors(target, "--include_source_info")
        found.ParseFromString(target.read_bytes())
    by_name = {file.name: file for file in found.file}
    return tuple(by_name[f"{page.folder}/{name}"] for name in page.files)


def _generator() -> ModuleType:
    """Return proto/generate.py, which is not part of a package."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "proto" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _comments(file: FileDescriptorProto) -> Mapping[Path_, str]:
    return {tuple(one.path): one.leading_comments for one in file.source_code_info.location if one.leading_comments}


def _title_comment(path: Path) -> str:
    """Return the first sentence of the comment at the beginning of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    text = " ".join(line.removeprefix("//").strip() for line in lines[: lines.index("")] if line.startswith("//"))
    found = re.match(r".+?\.(?=\s|$)", text)
    assert found is not None, f"{path} begins with no sentence"
    return found[0]


def _contents(files: Sequence[FileDescriptorProto]) -> str:
    """Return the list of everything on the page, by file."""
    rows = []
    for file in files:
        names = [one.name for group in (file.service, file.message_type, file.enum_type) for one in group]
        links = ", ".join(f"[{name}](#{name.lower()})" for name in names)
        name = file.name.rpartition("/")[2]
        rows.append(wrapped(f"- [{name}](#{name.replace('.', '')}): {links}"))
    return "".join(rows)


def _service(service: ServiceDescriptorProto, path: Path_, comments: Mapping[Path_, str]) -> str:
    rows = []
    for at, method in enumerate(service.method):
        request = _streamed(method.input_type, method.client_streaming)
        response = _streamed(method.output_type, method.server_streaming)
        rows.append((f"`{method.name}`", request, response, _cell(comments.get((*path, _METHOD, at), ""))))
    return _section(service.name, comments.get(path, ""), ("call", "request", "response", "meaning"), rows)


def _streamed(type_name: str, is_stream: bool) -> str:
    return f"{'stream of ' if is_stream else ''}{_linked(type_name)}"


def _message(message: DescriptorProto, path: Path_, comments: Mapping[Path_, str]) -> str:
    rows = []
    for at, field in enumerate(message.field):
        group = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else ""
        is_group = group and not field.proto3_optional
        said = f"{_type(field, message)}{f', one of `{group}`' if is_group else ''}"
        rows.append((f"`{field.name}`", str(field.number), said, _cell(comments.get((*path, _FIELD, at), ""))))
    groups = [
        f"`{group.name}`: {_cell(comments[(*path, _ONEOF, at)])}"
        for at, group in enumerate(message.oneof_decl)
        if (*path, _ONEOF, at) in comments
    ]
    return _section(
        message.name, comments.get(path, ""), ("field", "number", "type", "meaning"), rows, "".join(map(_prose, groups))
    )


def _type(field: FieldDescriptorProto, message: DescriptorProto) -> str:
    entry = next((one for one in message.nested_type if field.type_name.endswith(f".{one.name}")), None)
    if entry is not None and entry.options.map_entry:
        key, value = entry.field
        return f"map of {_type(key, entry)} to {_type(value, entry)}"
    name = _linked(field.type_name) if field.type_name else f"`{_SCALARS[field.type]}`"
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {name}"
    return f"optional {name}" if field.proto3_optional else name


def _enum(enum: EnumDescriptorProto, path: Path_, comments: Mapping[Path_, str]) -> str:
    rows = [
        (f"`{value.name}`", str(value.number), _cell(comments.get((*path, _VALUE, at), "")))
        for at, value in enumerate(enum.value)
    ]
    return _section(enum.name, comments.get(path, ""), ("value", "number", "meaning"), rows)


def _section(
    name: str, comment: str, titles: Sequence[str], rows: Sequence[Sequence[str]], after_comment: str = ""
) -> str:
    table = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles), *(f"| {' | '.join(row)} |" for row in rows)]
    shown = "\n" + "\n".join(table) + "\n" if rows else "\nIt has no fields.\n"
    return f"### {name}\n\n{_prose(comment)}{after_comment and chr(10) + after_comment}{shown}"


def _linked(type_name: str) -> str:
    name = type_name.rpartition(".")[2]
    return f"[{name}](#{name.lower()})"


def _cell(comment: str) -> str:
    """Return a comment as one line of a table. The items of a list in it become sentences."""
    said = ""
    for line in comment.splitlines():
        item = _ITEM.fullmatch(line)
        begins = item is not None or (said and line.startswith(" ") and not line.startswith("  "))
        if begins and _ITEM.search(comment) and not said.endswith((".", ":")):
            said += "."
        said += f" {f'{item[1]}: {item[2]}' if item else line.strip()}"
    return _escaped(said)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").strip()


def _prose(comment: str) -> str:
    return wrapped(_escaped(" ".join(comment.split())))


def main() -> None:
    """Regenerate the pages."""
    for page in PAGES:
        page.path.write_text(page_text(page), encoding="utf-8")


if __name__ == "__main__":
    main()
