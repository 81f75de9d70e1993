"""Foreign text is shown, stored and hashed through `bowerbird.harness.records.quoting`; this finds places that do not.

faults.md rows 40 and 51.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from bowerbird.harness.records.quoting import storable, utf8
from tests.support.syntax import trees

SINKS = {
    "harness/cli/shared/output.py",
    "harness/cli/display/progress.py",  # rich draws the bar; `write` shows each line first
    "harness/cli/display/stepper.py",  # colours around text that is shown already
    "harness/cli/main.py",  # the version and the help
    "harness/cli/commands/docs.py",  # our own pages, to a pager
    "harness/cli/commands/export.py",  # a record that goes to a file through stdout stays as it is
    "harness/sdk/log.py",  # a bot's own process
    "harness/sdk/connection.py",
    "harness/extras/envs/render.py",  # the process of its user, whom `render` shows the table
    "harness/extras/envs/opponents.py",  # a number to the program above it
    "harness/extras/mcp/agent_bot/agent.py",  # a bot's own process
    "harness/extras/play/ordered_run.py",  # JSON to the program above it
    "harness/referee/network/broker_main.py",  # into a log: a host of a tournament file, and the system's words
    "harness/extras/play/terminal.py",  # `_write`, of text that is shown already
}
"""The files that may write to stdout or stderr."""

FOREIGN = {"stderr", "stdout", "last_line", "how_ended", "session_secret", "bot_version", "bot_name", "author"}
"""Names of attributes and variables that hold words of a bot, a file or an archive."""

SHOWING = {"shown", "printable", "printable_indented", "one_line", "quote", "repr", "len", "esc"}
"""Functions whose result is harmless, or holds none of the words."""


def printing(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that print without `output.echo`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name) and function.id == "print":
            yield node.lineno
        elif isinstance(function, ast.Attribute):
            owner = ast.unparse(function.value)
            if (owner == "click" and function.attr in ("echo", "secho", "echo_via_pager")) or (
                owner in ("sys.stdout", "sys.stderr") and function.attr in ("write", "writelines")
            ):
                yield node.lineno


def unshown(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and source of each foreign value in an f-string that is neither shown nor written with `!r`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.conversion != ord("r"):
            yield from ((node.lineno, ast.unparse(node.value)) for _ in [0] if any(_bare(node.value)))


def _bare(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call):
        function = node.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if name in SHOWING:
            return
    if isinstance(node, ast.Attribute) and (
        node.attr in FOREIGN or (node.attr == "message" and "fault" in ast.unparse(node.value))
    ):
        yield node.attr
    elif isinstance(node, ast.Name) and node.id in FOREIGN:
        yield node.id
    elif not isinstance(node, ast.Compare):
        test = node.test if isinstance(node, ast.IfExp) else None
        for child in ast.iter_child_nodes(node):
            if child is not test:
                yield from _bare(child)


HASHING = {"sha256", "blake2b", "update", "compare_digest"}
"""Functions that take the bytes of a string, to hash or to compare it."""


def bare_bytes(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that hash or compare `text.encode()`, which fails for a name that is not UTF-8."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            for inner in (part for given in node.args for part in ast.walk(given)) if name in HASHING else ():
                if isinstance(inner, ast.Call) and not inner.args and ast.unparse(inner.func).endswith(".encode"):
                    yield inner.lineno


def test_only_the_sinks_print() -> None:
    found = [
        f"{file}:{line}"
        for file, tree in trees("harness", "print", "click", "sys.std")
        if file not in SINKS
        for line in printing(tree)
    ]
    assert not found, f"print with bowerbird.harness.cli.shared.output.echo, note or print_lines: {found}"


def test_foreign_text_in_sentences_is_shown() -> None:
    found = [
        f"{file}:{line}: {value}" for file, tree in trees("harness", *FOREIGN, "fault") for line, value in unshown(tree)
    ]
    assert not found, f"show it with bowerbird.harness.records.quoting.shown, or write it with !r: {found}"


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("f'{fault.stderr}'", True),
        ("f'{last_line or 1}'", True),
        ("f'{request.bot_fault.message}'", True),
        ("f'{x.stderr.strip()}'", True),
        ("f'{shown(x.stderr)}'", False),
        ("f'{x.author!r}'", False),
        ("f'{1 if x.stderr else 2}'", False),
    ],
)
def test_lint_finds_what_is_not_shown(source: str, is_found: bool) -> None:
    assert bool(list(unshown(ast.parse(source)))) is is_found


def test_foreign_text_is_hashed_through_one_function() -> None:
    found = [f"{file}:{line}" for file, tree in trees("harness", ".encode") for line in bare_bytes(tree)]
    assert not found, f"hash and compare text with bowerbird.harness.records.quoting.utf8: {found}"


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("hashlib.sha256(name.encode())", True),
        ("digest.update(f'{name}'.encode())", True),
        ("hmac.compare_digest(a, b.encode())", True),
        ("digest.update(utf8(name))", False),
        ("seed.encode('utf-8', 'surrogatepass')", False),
    ],
)
def test_lint_finds_what_is_hashed_bare(source: str, is_found: bool) -> None:
    assert bool(list(bare_bytes(ast.parse(source)))) is is_found


def test_different_foreign_texts_have_different_bytes() -> None:
    texts = ["\udcff", "\ufffd", "\udcfe", "ÿ", "\ud800", "a"]
    assert len({utf8(text) for text in texts}) == len(texts)
    assert [utf8(text) for text in ("a", "ÿ")] == [b"a", "ÿ".encode()]


def test_stored_text_is_utf8_and_stays_as_it_is() -> None:
    assert storable("a\udcff\ud800b") == "a\ufffd\ufffdb"
    assert storable("größer \ufffd") == "größer \ufffd"
