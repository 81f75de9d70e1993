"""Where a value came from: a TOML file whose keys can be found again by line, or the command line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.tournament.errors import ConfigError

KeyPath = tuple[str | int, ...]
"""A place in a TOML document: ("tournament", "sets"), ("variant", 0, "options", "start")."""

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_KEY = re.compile(rf"^\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=(.*)$")
_PART = re.compile(_NAME)
_TOKEN = re.compile(r"""\"{3}|'{3}|"(?:\\.|[^"\\])*"|'[^']*'|#|[\[{]|[\]}]""")


@dataclass(frozen=True)
class Source:
    """A document and the line of each of its keys. `label` is how messages call it; `lines` is empty off a file."""

    label: str
    data: Mapping[str, object]
    lines: Mapping[KeyPath, int]

    def where(self, path: KeyPath) -> str:
        """`autumn.toml, line 4, key 'sets'`: the nearest place that the document has for this path."""
        keys = [part for part in path if isinstance(part, str)]
        key = f", key {keys[-1]!r}" if keys else ""
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return f"{self.label}, line {line}{key}"
        return f"{self.label}{key}"

    def error(self, path: KeyPath, message: str) -> ConfigError:
        """The error to raise for the value at `path`."""
        return ConfigError(f"{self.where(path)}: {message}")


def read_source(path: Path) -> Source:
    """Read a TOML file. Raises ConfigError with the line where it cannot be read as one."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: this is a folder, a TOML file is needed") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}), TOML must be") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    return Source(str(path), data, key_lines(text))


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line, from 1, of every table header and key of a valid TOML text.

    Keys inside an inline table or array are not listed: their place is that of the key which holds them.
    """
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    prefix: KeyPath = ()
    scan = _ValueScan()
    for number, line in enumerate(text.split("\n"), start=1):
        if scan.open:
            scan.feed(line)
            continue
        if header := _HEADER.match(line):
            prefix = _header_path(header[1], _parts(header[2]), counts)
            lines.setdefault(prefix, number)
        elif key := _KEY.match(line):
            path = prefix
            for part in _parts(key[1]):
                path = (*path, part)
                lines.setdefault(path, number)
            scan.feed(key[2])
    return lines


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]


def _header_path(bracket: str, parts: list[str], counts: dict[KeyPath, int]) -> KeyPath:
    """The path that a header opens; an array of tables counts up and its index is part of the path."""
    path: KeyPath = ()
    for depth, part in enumerate(parts, start=1):
        path = (*path, part)
        if depth == len(parts) and bracket == "[[":
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


class _ValueScan:
    """Follows one value over its lines, to know whether the next line still belongs to it."""

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""

    @property
    def open(self) -> bool:
        return bool(self._depth or self._quote)

    def feed(self, text: str) -> None:
        position = 0
        while position < len(text):
            if self._quote:
                end = text.find(self._quote, position)
                if end < 0:
                    return
                position = end + 3
                self._quote = ""
                continue
            token = _TOKEN.search(text, position)
            if token is None or token[0] == "#":
                return
            position = token.end()
            if token[0] in ('"""', "'''"):
                self._quote = token[0]
            elif token[0] in "[{":
                self._depth += 1
            elif token[0] in "]}":
                self._depth -= 1
