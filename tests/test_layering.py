"""The arrows between the packages (ARCHITECTURE.md, The house), and how long a file may be."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

ARROWS: dict[str, frozenset[str]] = {
    "engine": frozenset(),
    "harness.v1": frozenset(),
    "harness.wire": frozenset({"engine", "harness.v1"}),
    "harness.sdk": frozenset({"engine", "harness.v1", "harness.wire"}),
    "harness.records": frozenset({"engine"}),
    "harness.ratings": frozenset({"engine", "harness.records"}),
    "harness.report": frozenset({"engine", "harness.records", "harness.ratings"}),
    "harness.referee": frozenset({"engine", "harness.records", "harness.v1", "harness.wire"}),
    "harness.tournament": frozenset({"engine", "harness", "harness.ratings", "harness.records", "harness.referee"}),
    "harness.compliance": frozenset({"engine", "harness.records", "harness.referee", "harness.v1", "harness.wire"}),
    "harness.cli": frozenset(
        {
            "engine",
            "harness",
            "harness.ratings",
            "harness.records",
            "harness.compliance",
            "harness.report",
            "harness.tournament",
        }
    ),
    "harness": frozenset(),
    "bots": frozenset({"engine", "harness.sdk"}),
}
"""What each package may import of this project, besides itself. Data goes the other way."""

LIBRARIES: dict[str, frozenset[str]] = {
    "engine": frozenset(),
    "harness.v1": frozenset({"google", "grpc"}),
    "harness.wire": frozenset({"google", "grpc"}),
    "harness.sdk": frozenset({"google", "grpc"}),
    "harness.records": frozenset({"sqlite_utils"}),
    "harness.ratings": frozenset({"numpy", "scipy"}),
    "harness.report": frozenset({"jinja2", "markupsafe"}),
    "harness.referee": frozenset({"cryptography", "google", "grpc", "trio"}),
    "harness.tournament": frozenset({"trio"}),
    "harness.compliance": frozenset({"google", "grpc", "trio"}),
    "harness.cli": frozenset({"click", "rich"}),
    "harness": frozenset(),
    "bots": frozenset({"numpy"}),
}
"""What each package may import that others wrote, besides the standard library."""

PURE_RECORDS = frozenset({"incident", "record", "result", "run", "story"})
"""What the referee may know of the records: their values. How they are stored is none of its business."""

RULES_ABOUT_VARIANTS = "engine/variants/"
VARIANT_NAMES = frozenset({"variant", "variant_name"})
LONGEST = 400
LONGER: dict[str, str] = {}
"""Files that may be longer than LONGEST lines, each with its reason."""


def _sources(folder: str) -> list[Path]:
    return [
        path
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "node_modules" not in path.parts and not path.stem.endswith(("_pb2", "_pb2_grpc"))
    ]


def _package_of(module: str) -> str:
    """The package of the tables above that holds a module: the first two parts in harness, else the first."""
    parts = module.split(".")
    if parts[0] == "harness" and len(parts) > 1 and f"harness.{parts[1]}" in ARROWS:
        return f"harness.{parts[1]}"
    return parts[0]


def _module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, anywhere in it and for whatever purpose, with the line."""
    module = _module_of(path).split(".")
    package = module if path.stem == "__init__" else module[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")] if node.level else None
            start = ".".join(part for part in base if part) if base is not None else str(node.module)
            if start in ("harness", "engine", "bots"):
                yield from ((node.lineno, _submodule(start, name.name)) for name in node.names)
            else:
                yield node.lineno, start


def _submodule(package: str, name: str) -> str:
    """`from harness import records` imports harness.records; `from engine import Game` imports engine."""
    place = ROOT / package / name
    return f"{package}.{name}" if place.is_dir() or place.with_suffix(".py").is_file() else package


def _is_ours(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] in {"engine", "harness", "bots", "tests"}


@pytest.mark.parametrize("package", sorted(ARROWS))
def test_package_imports_only_what_its_arrows_allow(package: str) -> None:
    wrong = []
    for path in _sources(package.replace(".", "/")):
        if _package_of(_module_of(path)) != package:
            continue
        for line, module in _imports(path):
            where = f"{path.relative_to(ROOT)}:{line} imports {module}"
            if _is_ours(module):
                target = _package_of(module)
                if target != package and target not in ARROWS[package]:
                    wrong.append(where)
            elif (top := module.split(".")[0]) not in sys.stdlib_module_names and top not in LIBRARIES[package]:
                wrong.append(where)
    assert not wrong, f"{package} may import {sorted(ARROWS[package] | LIBRARIES[package])}:\n" + "\n".join(wrong)


def test_referee_knows_records_only_as_values() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in _sources("harness/referee")
        for line, module in _imports(path)
        if module.startswith("harness.records.") and module.split(".")[2] not in PURE_RECORDS
    ]
    assert not wrong, f"of harness.records the referee may import {sorted(PURE_RECORDS)}:\n" + "\n".join(wrong)


def test_every_package_has_its_arrows() -> None:
    folders = {f"harness.{path.name}" for path in (ROOT / "harness").iterdir() if any(path.glob("*.py"))}
    assert folders <= set(ARROWS), f"give {sorted(folders - set(ARROWS))} a row in ARROWS and LIBRARIES"


def test_layering_sees_imports_inside_functions(tmp_path: Path) -> None:
    assert ("harness.cli.demo", "harness.records.store") in {
        (_module_of(path), module) for path in _sources("harness/cli") for _, module in _imports(path)
    }, "the walk over imports misses those inside functions"


def _asks_which_variant(node: ast.AST) -> bool:
    """Whether a condition compares something called variant with a literal name."""
    if not isinstance(node, ast.Compare) or not any(isinstance(op, (ast.Eq, ast.NotEq, ast.In)) for op in node.ops):
        return False
    sides = [node.left, *node.comparators]
    named = any(
        (isinstance(side, ast.Name) and side.id in VARIANT_NAMES)
        or (isinstance(side, ast.Attribute) and side.attr in VARIANT_NAMES)
        for side in sides
    )
    literal = any(isinstance(part, ast.Constant) and isinstance(part.value, str) for s in sides for part in ast.walk(s))
    return named and literal


def test_no_rule_asks_which_variant_is_played_outside_the_variants() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in ("engine", "harness")
        for path in _sources(folder)
        if not str(path.relative_to(ROOT)).startswith(RULES_ABOUT_VARIANTS)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _asks_which_variant(node) and isinstance(node, ast.Compare)
    ]
    assert not wrong, "what differs between variants belongs into their declarations:\n" + "\n".join(wrong)


def _tracked() -> list[Path]:
    """The Python files under version control; all of them where this is no checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    if listed.returncode == 0:
        return [ROOT / name for name in listed.stdout.split("\n") if name]
    return [path for folder in ("engine", "harness", "bots", "tests") for path in _sources(folder)]


def test_no_file_is_longer_than_one_thing_needs() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in _tracked()
        if path.exists() and not path.stem.endswith(("_pb2", "_pb2_grpc"))
    }
    long = {name: length for name, length in lengths.items() if length > LONGEST}
    assert set(long) <= set(LONGER), f"over {LONGEST} lines, take it apart: {long}"
    assert set(LONGER) <= set(long), f"no longer that long, take it off the list: {sorted(set(LONGER) - set(long))}"
