"""A TOML document with the line of each of its keys, for error messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import quote
from bowerbird.harness.records.text.bounded_file import read_bounded
from bowerbird.harness.records.text.bounded_toml import MAX_CHARACTERS, load_toml
from bowerbird.harness.tournament.errors import ConfigError

KeyPath = tuple[str | int, ...]
"""The path to a value of a document: ("tournament", "sets"), ("variant", 0, "options", "start")."""

TomlData = Mapping[str, object]
"""A table as `tomllib` parses it."""

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_LONGEST_HEADER = 1000
"""The longest line, in characters, that is tried as a header: matching time grows with the square of the length.
"""

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
        """Return a text such as `autumn.toml, line 4, key 'sets'`, with the nearest known line for `path`."""
        keys = [part for part in path if isinstance(part, str)]
        return f"{self._line(path)}{f', key {keys[-1]!r}' if keys else ''}"

    def _line(self, path: KeyPath) -> str:
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return f"{self.label}, line {line}"
        below = [line for known, line in self.lines.items() if path and known[: len(path)] == path]
        return f"{self.label}, line {min(below)}" if below else self.label

    def error(self, path: KeyPath, message: str, *, with_key: bool = True) -> ConfigError:
        """Return the error to raise for the value at `path`. `with_key` names the key before the message."""
        return ConfigError(f"{self.location(path) if with_key else self._line(path)}: {message}")


def read_toml(path: Path, explain: Callable[[str], tuple[int, str] | None] = lambda _text: None) -> TomlDocument:
    """Read a TOML file. Raises ConfigError, with the line if the text is not valid TOML.

    explain: returns a line and a message for an invalid text, if there is a better one than the parser's.
    """
    try:
        text = read_bounded(path, MAX_CHARACTERS, "TOML file").decode("utf-8")
    except StoreError as error:
        raise ConfigError(str(error)) from None
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: this is a folder; must be a TOML file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}); TOML must be") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    return parse_toml(text, str(path), explain)


def parse_toml(text: str, label: str, explain: Callable[[str], tuple[int, str] | None]) -> TomlDocument:
    """Return the document of a string. Raises ConfigError as `read_toml` does. `label` names the text in errors."""
    try:
        data = load_toml(text)
    except ValueError as error:
        if better := explain(text):
            raise ConfigError(f"{label}, line {better[0]}: {better[1]}") from None
        raise ConfigError(f"{label}: {error}") from None
    return TomlDocument(label, data, key_lines(text))


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line number, from 1, of every table header and key in valid TOML.

    Keys inside an inline table or array are not listed: an error in one reports the line of the enclosing key.
    """
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    prefix: KeyPath = ()
    scan = _ValueScan()
    for number, line in enumerate(text.split("\n"), start=1):
        if scan.open:
            scan.feed(line)
            continue
        if len(line) <= _LONGEST_HEADER and (header := _HEADER.match(line)):
            prefix = _header_path(header[1], _parts(header[2]), counts)
            lines.setdefault(prefix, number)
        elif key := _KEY.match(line):
            path = prefix
            for part in _parts(key[1]):
                path = (*path, part)
                lines.setdefault(path, number)
            scan.feed(key[2])
    return lines


def shown(value: object) -> str:
    """Return a value as quoted in errors: TOML on one line, shortened to 60 characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = quote(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


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
    """A scanner of one value over several lines; `open` is true while the value continues on the next line."""

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
