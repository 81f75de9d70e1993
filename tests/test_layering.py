"""The arrows between the packages (architecture.md, Layout)."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.syntax import statements, trees

CORE = frozenset(
    {
        "bowerbird.engine",
        "bowerbird.harness",
        "bowerbird.seat",
        "bowerbird.watch",
        *(
            f"bowerbird.harness.{name}"
            for name in [
                "cli",
                "features",
                "http2",
                "ratings",
                "records",
                "referee",
                "report",
                "tournament",
                "watch",
                "wire",
            ]
        ),
    }
)
"""What an optional part may import, and besides it the parts that its row names. Core imports no part."""

ARROWS: dict[str, frozenset[str]] = {
    "bowerbird.engine": frozenset(),
    "bowerbird": frozenset(
        {
            "bowerbird.engine",
            "bowerbird.harness.features",
            "bowerbird.harness.sdk",
            "bowerbird.harness.extras.envs",
            "bowerbird.harness.extras.watch",
            "bowerbird.harness.records",
            "bowerbird.harness.ratings",
            "bowerbird.harness.watch",
        }
    ),
    "bowerbird.seat": frozenset(),
    "bowerbird.watch": frozenset(),
    "bowerbird.harness.wire": frozenset({"bowerbird.engine", "bowerbird.seat"}),
    "bowerbird.harness.http2": frozenset(),
    "bowerbird.harness.features": frozenset({"bowerbird.engine"}),
    "bowerbird.harness.sdk": frozenset(
        {
            "bowerbird.engine",
            "bowerbird.harness",
            "bowerbird.seat",
            "bowerbird.harness.features",
            "bowerbird.harness.http2",
            "bowerbird.harness.wire",
        }
    ),
    "bowerbird.harness.records": frozenset({"bowerbird.engine", "bowerbird.harness"}),
    "bowerbird.harness.ratings": frozenset({"bowerbird.engine", "bowerbird.harness.records"}),
    "bowerbird.harness.report": frozenset(
        {"bowerbird.engine", "bowerbird.harness.records", "bowerbird.harness.ratings"}
    ),
    "bowerbird.harness.watch": frozenset({"bowerbird.engine", "bowerbird.harness.records"}),
    "bowerbird.harness.referee": frozenset(
        {
            "bowerbird.engine",
            "bowerbird.harness",
            "bowerbird.harness.http2",
            "bowerbird.harness.records",
            "bowerbird.seat",
            "bowerbird.harness.wire",
        }
    ),
    "bowerbird.harness.tournament": frozenset(
        {
            "bowerbird.engine",
            "bowerbird.harness",
            "bowerbird.harness.ratings",
            "bowerbird.harness.records",
            "bowerbird.harness.referee",
            "bowerbird.harness.watch",
        }
    ),
    "bowerbird.harness.cli": frozenset(
        {
            "bowerbird.engine",
            "bowerbird.harness",
            "bowerbird.harness.features",
            "bowerbird.harness.ratings",
            "bowerbird.harness.records",
            "bowerbird.harness.report",
            "bowerbird.harness.tournament",
        }
    ),
    "bowerbird.harness.extras": frozenset(),
    "bowerbird.harness.extras.tables": frozenset(
        {"bowerbird.engine", "bowerbird.harness", "bowerbird.harness.records"}
    ),
    "bowerbird.harness.extras.egn": frozenset({"bowerbird.engine", "bowerbird.harness", "bowerbird.harness.records"}),
    "bowerbird.harness.extras.envs": frozenset(
        {"bowerbird.engine", "bowerbird.harness", "bowerbird.harness.features", "bowerbird.harness.sdk"}
    ),
    "bowerbird.harness.extras.compliance": CORE,
    "bowerbird.harness.extras.league": CORE | {"bowerbird.harness.extras.drand"},
    "bowerbird.harness.extras.cluster": CORE,
    "bowerbird.harness.extras.drand": frozenset({"bowerbird.engine", "bowerbird.harness", "bowerbird.harness.records"}),
    "bowerbird.harness.extras.signatures": frozenset(
        {"bowerbird.engine", "bowerbird.harness", "bowerbird.harness.cli", "bowerbird.harness.records"}
    ),
    "bowerbird.harness.extras.serve": CORE | {"bowerbird.harness.extras.watch"},
    "bowerbird.harness.extras.watch": CORE,
    "bowerbird.harness.extras.analysis": CORE | {"bowerbird.bots"},
    "bowerbird.harness.extras.benchmark": CORE,
    "bowerbird.harness.extras.rate": CORE,
    "bowerbird.harness.extras.mcp": CORE
    | {
        "bowerbird",
        "bowerbird.bots",
        "bowerbird.harness.sdk",
        "bowerbird.harness.extras.benchmark",
        "bowerbird.harness.extras.play",
        "bowerbird.harness.extras.serve",
    },
    "bowerbird.harness.extras.play": CORE | {"bowerbird.harness.extras.compliance", "bowerbird.harness.extras.serve"},
    "bowerbird.harness": frozenset(),
    "bowerbird.bots": frozenset({"bowerbird", "bowerbird.engine"}),
    "examples": frozenset({"bowerbird", "bowerbird.engine"}),
}
"""The packages of this project that each package may import, besides itself. Data goes the other way."""

LIBRARIES: dict[str, frozenset[str]] = {
    "bowerbird.engine": frozenset(),
    "bowerbird": frozenset(),
    "bowerbird.seat": frozenset({"google", "grpc"}),
    "bowerbird.watch": frozenset({"google", "grpc"}),
    "bowerbird.harness.wire": frozenset({"google", "grpc"}),
    "bowerbird.harness.http2": frozenset({"hpack"}),
    "bowerbird.harness.features": frozenset({"numpy"}),
    "bowerbird.harness.sdk": frozenset({"google", "grpc", "numpy"}),
    "bowerbird.harness.extras.envs": frozenset({"gymnasium", "numpy", "open_spiel", "pettingzoo", "PIL", "pyspiel"}),
    "bowerbird.harness.records": frozenset({"sqlite_utils"}),
    "bowerbird.harness.ratings": frozenset({"numpy", "scipy"}),
    "bowerbird.harness.report": frozenset({"jinja2", "markupsafe"}),
    "bowerbird.harness.watch": frozenset(),
    "bowerbird.harness.referee": frozenset(
        {"cryptography", "google", "grpc", "grpc_health", "grpc_reflection", "trio"}
    ),
    "bowerbird.harness.tournament": frozenset({"trio"}),
    "bowerbird.harness.extras.play": frozenset({"click", "hypercorn", "starlette", "trio"}),
    "bowerbird.harness.extras": frozenset(),
    "bowerbird.harness.extras.analysis": frozenset({"click", "numpy"}),
    "bowerbird.harness.extras.benchmark": frozenset({"click"}),
    "bowerbird.harness.extras.rate": frozenset({"click", "numpy"}),
    "bowerbird.harness.extras.mcp": frozenset({"anyio", "click", "hypercorn", "mcp", "pydantic", "starlette", "trio"}),
    "bowerbird.harness.extras.cluster": frozenset({"click", "cryptography", "dask", "distributed", "trio"}),
    "bowerbird.harness.extras.drand": frozenset({"py_ecc", "trio"}),
    "bowerbird.harness.extras.signatures": frozenset({"click", "cryptography"}),
    "bowerbird.harness.extras.egn": frozenset(),
    "bowerbird.harness.extras.watch": frozenset({"google", "grpc"}),
    "bowerbird.harness.extras.tables": frozenset({"pyarrow"}),
    "bowerbird.harness.extras.league": frozenset({"click"}),
    "bowerbird.harness.extras.serve": frozenset({"click", "google", "hypercorn", "starlette", "trio"}),
    "bowerbird.harness.extras.compliance": frozenset({"click", "google", "grpc", "trio"}),
    "bowerbird.harness.cli": frozenset({"click", "rich"}),
    "bowerbird.harness": frozenset(),
    "bowerbird.bots": frozenset({"httpx", "numpy", "pyspiel"}),
    "examples": frozenset(
        {
            *("dask_jobqueue", "distributed", "gymnasium", "numpy", "open_spiel", "pandas", "sb3_contrib"),
            *("stable_baselines3", "tianshou", "torch"),
        }
    ),
}
"""The third-party packages that each package may import, besides the standard library."""

PURE_RECORDS = ("bowerbird.harness.records.values.", "bowerbird.harness.records.quoting")
"""The referee may import the values of records and what shows foreign text; it does not know how records are stored."""

RULES_ABOUT_VARIANTS = "engine/variants/"
VARIANT_NAMES = frozenset({"variant", "variant_name"})


LINKED = ("engine", "harness", "bots")
"""Folders at the top of the repository that are packages in `bowerbird`."""


def _folder_of(package: str) -> str:
    """Return the folder of a package, from the top of the repository."""
    folder = package.replace(".", "/")
    linked = folder.removeprefix("bowerbird/")
    return linked if linked.split("/")[0] in LINKED else folder


def _sources(folder: str) -> list[Path]:
    return [
        path
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "node_modules" not in path.parts and not path.stem.endswith(("_pb2", "_pb2_grpc"))
    ]


def _package_of(module: str) -> str:
    """Return the package of the tables above that holds a module: the longest name there that it begins with."""
    parts = module.split(".")
    heads = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((head for head in heads if head in ARROWS), parts[0])


def _module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] in LINKED:
        parts = ("bowerbird", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def _imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Return every module that a file imports, with the line; all imports count, nested ones too."""
    return tuple(_imports_found(path))


def _imports_found(path: Path) -> Iterator[tuple[int, str]]:
    module = _module_of(path).split(".")
    package = module if path.stem == "__init__" else module[:-1]
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")] if node.level else None
            start = ".".join(part for part in base if part) if base is not None else str(node.module)
            if _is_ours(start):
                yield from ((node.lineno, _submodule(start, name.name)) for name in node.names)
            else:
                yield node.lineno, start


def _submodule(package: str, name: str) -> str:
    """Return the imported module: `from bowerbird.harness import records` imports bowerbird.harness.records.

    `from bowerbird.engine import Game` imports bowerbird.engine.
    """
    place = ROOT / _folder_of(package) / name
    return f"{package}.{name}" if place.is_dir() or place.with_suffix(".py").is_file() else package


def _is_ours(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] in {"bowerbird", "examples", "tests"}


@pytest.mark.parametrize("package", sorted(ARROWS))
def test_package_imports_only_what_its_arrows_allow(package: str) -> None:
    wrong = []
    for path in _sources(_folder_of(package)):
        if _package_of(_module_of(path)) != package:
            continue
        for line, module in _imports(path):
            where = f"{path.relative_to(ROOT)}:{line} imports {module}"
            if _is_ours(module):
                target = _package_of(module)
                if target != package and target not in ARROWS[package]:
                    wrong.append(where)
            elif (top := module.split(".")[0]) not in sys.stdlib_module_names and top not in LIBRARIES[package]:
                if package == "examples" and path.with_name(f"{top}.py").is_file():
                    continue  # a program of several files, which lie beside each other
                wrong.append(where)
    assert not wrong, f"{package} may import {sorted(ARROWS[package] | LIBRARIES[package])}:\n" + "\n".join(wrong)


def test_the_public_package_itself_and_its_stubs_import_nothing_of_ours() -> None:
    """`import bowerbird.seat.v1` loads no SDK, and so needs no engine."""
    files = [ROOT / "bowerbird" / "__init__.py", *_sources("bowerbird/seat"), *_sources("bowerbird/watch")]
    assert not [each for path in files for each in _imports(path) if not _package_of(each[1]).startswith("bowerbird.")]


def test_bots_and_examples_use_the_public_package_alone() -> None:
    """What they import is what an author can import: the public modules, and no private one."""
    public = {f"bowerbird.{name}" for name in ("sdk", "engine", "records", "ratings", "envs", "spectator")}
    public |= {f"bowerbird.envs.{name}" for name in ("gymnasium", "pettingzoo", "tracking", "vector", "openspiel")}
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for folder in ("bots", "examples")
        for path in _sources(folder)
        for line, module in _imports(path)
        if _is_ours(module) and not module.startswith("bowerbird.bots.") and module not in public
    ]
    assert not wrong, f"bots and examples may import {sorted(public)}:\n" + "\n".join(wrong)


def test_referee_knows_records_only_as_values() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in _sources("harness/referee")
        for line, module in _imports(path)
        if module.startswith("bowerbird.harness.records.") and not module.startswith(PURE_RECORDS)
    ]
    assert not wrong, f"of bowerbird.harness.records the referee may import {PURE_RECORDS}:\n" + "\n".join(wrong)


ENGINE_TESTS = ("tests/engine/", "tests/support/engine/", "tests/fixtures/")
"""Only the engine's own tests may import its modules from outside."""


def test_the_engine_is_known_by_its_face_alone() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for folder in ("harness", "bots", "benchmarks", "tests")
        for path in _sources(folder)
        if not str(path.relative_to(ROOT)).startswith(ENGINE_TESTS)
        for line, module in _imports(path)
        if module.startswith("bowerbird.engine.")
    ]
    assert not wrong, "import from engine itself what it exports:\n" + "\n".join(wrong)


def _assert_one_way(arrows: Mapping[str, Set[str]], what: str) -> None:
    """Fail with the names that import each other in a circle. Imports under TYPE_CHECKING count, too."""
    left = dict(arrows)
    while left:
        free = [name for name, targets in left.items() if not targets & set(left) - {name}]
        assert free, f"{what} import each other in a circle: {sorted(left)}"
        left = {name: targets for name, targets in left.items() if name not in free}


def _modules_imported(path: Path) -> set[str]:
    """Return the project's modules that a file imports; `from package import module` counts as the module."""
    return {module for _, module in _imports(path) if _is_ours(module)}


@pytest.mark.parametrize("package", ["bowerbird", "engine", "harness", "bots"])
def test_modules_import_each_other_one_way(package: str) -> None:
    arrows = {_module_of(path): _modules_imported(path) for path in _sources(package)}
    _assert_one_way(arrows, f"these modules of {package}")


def _parts(package: str) -> dict[str, set[str]]:
    """Return the arrows between the parts of a package: its modules, and its subpackages as one each."""
    depth = package.count(".") + 2
    arrows: dict[str, set[str]] = {}
    for path in _sources(_folder_of(package)):
        part = ".".join(_module_of(path).split(".")[:depth])
        targets = {".".join(module.split(".")[:depth]) for module in _modules_imported(path)}
        arrows.setdefault(part, set()).update(target for target in targets if target not in {part, package})
    return arrows


@pytest.mark.parametrize("package", sorted(name for name in ARROWS if name.startswith("bowerbird.harness.")))
def test_parts_of_a_package_import_each_other_one_way(package: str) -> None:
    _assert_one_way(_parts(package), f"these parts of {package}")


REFEREE_PARTS: dict[str, frozenset[str]] = {
    "game": frozenset({"spec"}),
    "isolation": frozenset({"spec"}),
    "process": frozenset({"isolation", "spec"}),
    "host": frozenset({"process"}),
    "connection": frozenset({"game", "host", "isolation", "process", "spec"}),
    "remote": frozenset({"game", "connection", "host", "process", "spec"}),
}
"""What each package of the referee may import from the referee. Games are pure; processes do not know gRPC."""


@pytest.mark.parametrize("part", sorted(REFEREE_PARTS))
def test_part_of_the_referee_imports_only_what_its_arrows_allow(part: str) -> None:
    package = "bowerbird.harness.referee"
    found = {
        target.removeprefix(f"{package}.")
        for target in _parts(package)[f"{package}.{part}"]
        if target.startswith(f"{package}.")
    }
    assert found <= REFEREE_PARTS[part], f"{part} may not import {sorted(found - REFEREE_PARTS[part])}"


def test_the_referees_game_is_pure() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in _sources("harness/referee/game")
        for line, module in _imports(path)
        if module.split(".")[0]
        in LIBRARIES["bowerbird.harness.referee"] | {"asyncio", "socket", "subprocess", "threading"}
    ]
    assert not wrong, "a game neither waits nor talks to anybody:\n" + "\n".join(wrong)


def test_every_package_says_what_it_is_for_and_what_to_open_first() -> None:
    short = [
        str(path.relative_to(ROOT))
        for folder in ("engine", "harness", "benchmarks")
        for path in _sources(folder)
        if path.name == "__init__.py" and path.parent.name not in {"v1", "harness"}
        if not re.search(r"[Oo]pen|[Ss]tart with|Begin", ast.get_docstring(ast.parse(path.read_text())) or "")
    ]
    assert not short, f"say what it is for, what enters, what leaves and which file to open first: {short}"


def test_every_package_has_its_arrows() -> None:
    folders = {
        _module_of(path)
        for top in ("harness", "harness/extras")
        for path in (ROOT / top).iterdir()
        if any(path.glob("*.py"))
    }
    assert folders <= set(ARROWS), f"give {sorted(folders - set(ARROWS))} a row in ARROWS and LIBRARIES"


def test_layering_sees_imports_inside_functions(tmp_path: Path) -> None:
    assert ("bowerbird.harness.cli.commands.demo", "bowerbird.harness.records.store.store") in {
        (_module_of(path), module) for path in _sources("harness/cli") for _, module in _imports(path)
    }, "the walk over imports misses those inside functions"


def _asks_which_variant(node: ast.AST) -> bool:
    """Return whether a condition compares something called variant with a literal name."""
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


def test_code_is_imported_by_one_name() -> None:
    """The folders at the top can be imported from a checkout, as second copies of the package's modules."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for folder in ("bowerbird", "engine", "harness", "bots", "examples", "benchmarks", "tests")
        for path in _sources(folder)
        for line, module in _imports(path)
        if module.split(".")[0] in LINKED and "fixtures" not in path.parts  # a bot that old versions started
    ]
    assert not wrong, "write bowerbird.engine, bowerbird.harness, bowerbird.bots:\n" + "\n".join(wrong)


def test_product_imports_neither_tests_nor_benchmarks() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for folder in ("bowerbird", "engine", "harness", "bots", "examples")
        for path in _sources(folder)
        for line, module in _imports(path)
        if module.split(".")[0] in {"tests", "benchmarks"}
    ]
    assert not wrong, "product code may not import its tests or benchmarks:\n" + "\n".join(wrong)


def test_no_test_module_imports_another() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for folder in ("tests", "benchmarks")
        for path in _sources(folder)
        for line, module in _imports(path)
        if module.split(".")[0] == "tests" and not f"{module}.".startswith("tests.support.")
    ]
    assert not wrong, "code that several test modules share belongs in tests/support:\n" + "\n".join(wrong)


def test_modules_of_tests_hold_tests_or_are_helpers_in_support() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in _sources("tests")
        if not path.name.startswith("test_")
        and path.name not in {"__init__.py", "conftest.py"}
        and not path.is_relative_to(ROOT / "tests" / "support")
        and not path.is_relative_to(ROOT / "tests" / "fixtures")  # the bot of the old tournament files
    ]
    assert not wrong, f"helpers belong in tests/support: {wrong}"


def test_no_rule_asks_which_variant_is_played_outside_the_variants() -> None:
    wrong = [
        f"{file}:{node.lineno}"
        for folder in ("engine", "harness")
        for file, tree in trees(folder, *VARIANT_NAMES)
        if not file.startswith(RULES_ABOUT_VARIANTS)
        for node in ast.walk(tree)
        if _asks_which_variant(node) and isinstance(node, ast.Compare)
    ]
    assert not wrong, "differences between variants belong in their declarations:\n" + "\n".join(wrong)
