"""The syntax of the project's Python files, for tests of laws that all of the code obeys."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.support.paths import ROOT


def trees(folder: str, *words: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the path from the top, and the syntax, of each file that has one of the words: parsing all takes seconds.

    folder: from the top of the repository.
    words: names without which a file cannot have what the test looks for.
    """
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield str(path.relative_to(ROOT)), ast.parse(text)


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield every statement, those inside others too; `ast.walk` goes through their expressions as well."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, ())
            left += inner if isinstance(inner, list) else ()
