"""Archives of which one text was changed, with digests that fit."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bowerbird.harness.records.text.canonical import INTEGRITY, digest

Change = Callable[[str], str]
Files = Sequence[tuple[str, str]]
"""Names and texts."""


def changed(archive: Path, target: Path, name: str, change: Callable[[str], Files]) -> Path:
    """Return the archive with the file of this name replaced by those that `change` makes of its text."""
    with tarfile.open(archive) as old, tarfile.open(target, "w:gz") as new:
        for member in old:
            file = old.extractfile(member)
            assert file is not None
            text = file.read().decode()
            for place, other in change(text) if member.name == name else [(member.name, text)]:
                info = tarfile.TarInfo(place)
                info.size = len(other.encode())
                new.addfile(info, io.BytesIO(other.encode()))
    return target


def signed(text: str) -> str:
    """Return the text with its correct digest."""
    body = text[: text.rindex(INTEGRITY)]
    return f'{body}{INTEGRITY}sha256 = "{digest(body)}"\n'


def put(pattern: str, value: str) -> Change:
    def change(text: str) -> str:
        other = re.sub(pattern, lambda _: value, text, count=1, flags=re.MULTILINE)
        assert other != text
        return signed(other)

    return change
