"""Changes the members of an exported archive, as somebody who recomputes every digest would."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

Members = dict[str, bytes]
"""The files of an archive by name, in its order."""

Change = Callable[[Members], Members]


def members_of(path: Path) -> Members:
    """Return the files of an archive."""
    with tarfile.open(path) as tar:
        found = {}
        for member in tar:
            file = tar.extractfile(member)
            assert file is not None, f"{member.name} is not a regular file"
            found[member.name] = file.read()
        return found


def packed(path: Path, members: Members) -> Path:
    """Write an archive of these files; return its path."""
    with gzip.GzipFile(path, "wb", mtime=0) as file, tarfile.open(fileobj=file, mode="w") as tar:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def sealed(text: str) -> bytes:
    """Return a string with a digest that fits, if it has one."""
    body, integrity, _ = text.partition("[integrity]\n")
    return (
        f'{body}{integrity}sha256 = "{hashlib.sha256(body.encode()).hexdigest()}"\n'.encode()
        if integrity
        else body.encode()
    )


def edited(name: str, pattern: str, text: str, *, count: int = 1, seal: bool = True) -> Change:
    """Return a function that replaces `pattern` by `text` in the first file whose name and content match, and its
    digest."""

    def change(members: Members) -> Members:
        for found, data in members.items():
            after, times = re.subn(pattern, text, data.decode(), count=count, flags=re.MULTILINE)
            if re.search(name, found) and times:
                return {**members, found: sealed(after) if seal else after.encode()}
        raise AssertionError(f"no {name} has {pattern}")

    return change


def without(name: str) -> Change:
    """Return a function that removes all files whose name matches."""

    def change(members: Members) -> Members:
        left = {found: data for found, data in members.items() if not re.search(name, found)}
        assert left != members, f"there is no {name}"
        return left

    return change


def both(*changes: Change) -> Change:
    """Return a function that makes several changes, one after another."""

    def change(members: Members) -> Members:
        for one in changes:
            members = one(members)
        return members

    return change
