"""A TOML document that knows the line of each of its keys, so that errors can name it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.records.quoting import quote
from harness.tournament.errors import ConfigError

KeyPath = tuple[str | int, ...]
"""The path to a value of a document: ("tournament", "sets"), ("variant", 0, "options", "start")."""

TomlData = Mapping[str, object]
"""A table as `tomllib` parses it."""

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_KEY = re.compile(rf"^\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=(.*)$")
_PART = re.compile(_NAME)
_TOKEN = re.compile(r"""\"{3}|'{3}|"(?:\\.|[^"\\])*"|'[^']*'|#|[\[{]|[\]}]""")


@dataclass(frozen=True)
class TomlDocument:
    """A parsed document.

    `label` names it in messages. `lines` maps paths to line numbers from 1; it is empty if there is no file, as for
    a match from the command line.
    """

    label: str
    data: TomlData
    lines: Mapping[KeyPath, int]

    def location(self, path: KeyPath) -> str:
        """Return `autumn.toml, line 4, key 'sets'`: the nearest line known for `path`."""
        keys = [part for part in path if isinstance(part, str)]
        key = f", key {keys[-1]!r}" if keys else ""
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return f"{self.label}, line {line}{key}"
        return f"{self.label}{key}"

    def error(self, path: KeyPath, message: str) -> ConfigError:
        """Return the error to raise for the value at `path`."""
        return ConfigError(f"{self.location(path)}: {message}")


def read_toml(path: Path) -> TomlDocument:
    """Read a TOML file. Raises ConfigError, with the line if the text is not valid TOML."""
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
    return TomlDocument(str(path), data, key_lines(text))


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table header and key of a valid TOML text.

    Keys inside an inline table or array are not listed: an error in one names the line of the key that holds it.
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


def toml_text(value: object) -> str:
    """Return a string, number, boolean, sequence or mapping as TOML, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(map(toml_text, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {toml_text(one)}' for key, one in value.items())} }}"
    return str(value)


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]


def _header_path(bracket: str, parts: list[str], counts: dict[KeyPath, int]) -> KeyPath:
    """Return the path of a table header. `counts` holds the last index of each array of tables, and is updated."""
    path: KeyPath = ()
    for depth, part in enumerate(parts, start=1):
        path = (*path, part)
        if depth == len(parts) and bracket == "[[":
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


class _ValueScan:
    """A scanner that follows one value over several lines; `open` says whether the next line belongs to it."""

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
