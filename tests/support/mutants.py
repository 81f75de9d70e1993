"""Plants small faults in the product, one at a time, and counts those that the tests find: `make mutants`.

A seed picks the faults. First each tier of tests runs once on code that notes which tests reach the place of which
fault, in child processes too. Then each fault is planted and the tests that reach it run, those nearest to it first, up
to the first that fails. Tests that reach a place only through something that an earlier test made (a recorded game, a
cache) are not noted; with --whole, what survives meets the whole first tier, too.

All of this happens in clones of a commit, never in the checkout. No tool from outside does it: they run all tests for
each fault, or see nothing of what child processes run. Open `main` first, then `Place`.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import random
import re
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

import click

from tests.support.paths import ROOT

PACKAGES = (
    "engine",
    "harness/referee/game",
    "harness/referee/connection",
    "harness/http2",
    "harness/records",
    "harness/ratings",
    "harness/tournament/formats",
)

TIERS = ("test=--tier process", "test-processes=--tier processes")

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}

NEAREST = 150
"""How many tests run in the first attempt; the others that reach the place follow if these all pass."""

ATTEMPT_S = 3600
"""The deadline of one attempt. A fault that makes the tests hang ends each of them after TEST_S and counts as found."""

TEST_S = 120

PROBE = """
import os
_seen = set()
def hit(number):
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    if test and (number, test) not in _seen:
        _seen.add((number, test))
        try:
            with open({notes!r}, "a", encoding="utf-8") as notes:
                notes.write(f"{{number}} {{test}}\\n")
        except OSError:  # in a sandbox
            pass
"""
"""A module of the clone's environment. `hit` notes that a test, or a process that it started, came to a place."""


@dataclass(frozen=True)
class Place:
    """A fault: in `file`, the characters `start` to `end` become `after`."""

    file: str
    line: int
    start: int
    end: int
    before: str
    after: str
    is_statement: bool

    def __str__(self) -> str:
        after = " ".join(self.after.split())
        return f"{self.file}:{self.line}: {' '.join(self.before.split())[:70]} -> {after[:70]}"

    def planted(self, text: str) -> str:
        return text[: self.start] + self.after + text[self.end :]

    def probed(self, number: int, text: str) -> str:
        """Return the text with a probe at this place that changes nothing else."""
        hit = f'__import__("bowerbird_probe").hit({number})'
        watched = f"{hit}; {self.before}" if self.is_statement else f"({hit} or ({self.before}))"
        return text[: self.start] + watched + text[self.end :]


class _Places(ast.NodeVisitor):
    """Gathers the places of one file: in bodies of functions, outside annotations, patterns and f-strings."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text, self.found = file, text, list[Place]()
        self._is_in_function = False
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._is_ascii = text.isascii()

    def _offset(self, line: int, column: int) -> int:
        start = self._starts[line - 1]
        if self._is_ascii:
            return start + column
        whole = self.text[start : self._starts[line]]
        return start + len(whole.encode()[:column].decode())

    def _add(self, node: ast.expr | ast.stmt, after: str) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno, node.end_col_offset)
        before = self.text[start:end]
        self.found.append(Place(self.file, node.lineno, start, end, before, after, isinstance(node, ast.stmt)))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer, self._is_in_function = self._is_in_function, True
        for statement in node.body:
            self.visit(statement)
        self._is_in_function = outer

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave f-strings alone: Python 3.11 gives their parts wrong places."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave errors alone: most of an error is words."""

    def visit_match_case(self, node: ast.match_case) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_If(self, node: ast.If | ast.IfExp | ast.While) -> None:
        if self._is_in_function and not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self._add(node.test, f"(not ({ast.unparse(node.test)}))")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit_If(node)

    def visit_While(self, node: ast.While) -> None:
        self.visit_If(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if self._is_in_function:
            first = COMPARISONS[type(node.ops[0])]
            rest = "".join(f" {ast.unparse(value)}" for value in node.comparators[:1])
            if len(node.ops) == 1:
                self._add(node, f"({ast.unparse(node.left)} {first}{rest})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        other = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+"}.get(type(node.op))
        is_text = any(isinstance(part, ast.JoinedStr | ast.List | ast.Tuple) for part in (node.left, node.right))
        is_text |= any(
            isinstance(part, ast.Constant) and not isinstance(part.value, int | float)
            for part in (node.left, node.right)
        )
        if self._is_in_function and other and not is_text:
            self._add(node, f"(({ast.unparse(node.left)}) {other} ({ast.unparse(node.right)}))")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if self._is_in_function and type(node.value) is int:
            self._add(node, f"({node.value + 1})")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if self._is_in_function and not isinstance(node.value, ast.Yield | ast.YieldFrom):
            self._add(node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if self._is_in_function:
            self._add(node, "pass")
        self.generic_visit(node)


def places(root: Path) -> list[Place]:
    """Return every place of the packages, in the order of files."""
    found: list[Place] = []
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            visitor = _Places(str(path.relative_to(root)), text)
            visitor.visit(ast.parse(text))
            found += visitor.found
    return found


class Clone:
    """A clone of a commit with its own environment, in which faults are planted."""

    def __init__(self, folder: Path, revision: str) -> None:
        self.folder = folder
        if not (folder / ".git").exists():
            subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
        for step in (["git", "checkout", "-q", "--force", revision], ["make", "-s", "setup", "oracle"]):
            subprocess.run(step, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        self._edits = 0

    def write(self, file: str, text: str) -> None:
        """Write a file of the product with a time of its own, or Python would take what it compiled before."""
        self._edits += 2
        path = self.folder / file
        path.write_text(text, encoding="utf-8")
        later = time.time() + self._edits
        os.utime(path, (later, later))

    def restore(self) -> None:
        listed = subprocess.run(["git", "diff", "--name-only"], cwd=self.folder, check=True, capture_output=True)
        subprocess.run(["git", "checkout", "-q", "--", "."], cwd=self.folder, check=True)
        for file in listed.stdout.decode().splitlines():
            self.write(file, (self.folder / file).read_text(encoding="utf-8"))

    def pytest(self, *arguments: str, log: Path) -> int | None:
        """Run the tests in a process group of their own; return the exit status, None if it reached the deadline."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        with log.open("w", encoding="utf-8") as output:
            process = subprocess.Popen(
                [".venv/bin/python", "-m", "pytest", *arguments],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                return process.wait(ATTEMPT_S)
            except subprocess.TimeoutExpired:
                return None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def reached(clone: Clone, chosen: Sequence[Place], tier: str, ways: str, folder: Path) -> dict[int, list[str]]:
    """Run a tier with a probe at each place; return the tests that reached each, by the number of the fault."""
    notes = folder / f"{tier}.notes"
    kept = folder / f"{tier}.json"
    if not kept.exists():
        for site in (clone.folder / ".venv" / "lib").glob("python3*/site-packages"):
            (site / "bowerbird_probe.py").write_text(PROBE.format(notes=str(notes)), encoding="utf-8")
        numbers = sorted(range(len(chosen)), key=lambda number: (chosen[number].start, -chosen[number].end))
        texts: dict[str, str] = {}
        for number in reversed(numbers):  # from the end of a file, so that places before it stay where they are
            place = chosen[number]
            text = texts.get(place.file) or (clone.folder / place.file).read_text(encoding="utf-8")
            texts[place.file] = place.probed(number, text)
        for file, text in texts.items():
            clone.write(file, text)
        notes.touch()
        broken: set[str] = set()
        for name, way in (("alone", ["-n", "0", "-m", "alone"]), ("others", ["-n", "2", "-m", "not alone"])):
            log = folder / f"{tier}-{name}.log"
            clone.pytest(*shlex.split(ways), *way, "--dist", "worksteal", log=log)
            said = log.read_text(encoding="utf-8", errors="replace")
            broken |= set(re.findall(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE))
        clone.restore()
        found: dict[int, set[str]] = {number: set() for number in range(len(chosen))}
        for line in notes.read_text(encoding="utf-8").splitlines():
            number_text, _, test = line.partition(" ")
            if number_text.isdecimal() and test.split(" ")[0] not in broken:  # a test that fails anyway finds nothing
                found[int(number_text)].add(test)
        kept.write_text(json.dumps({number: sorted(tests) for number, tests in found.items()}), encoding="utf-8")
    read: dict[str, list[str]] = json.loads(kept.read_text(encoding="utf-8"))
    return {int(number): tests for number, tests in read.items()}


def nearest_first(file: str, tests: Sequence[str]) -> list[str]:
    """Return the tests in the order of what their path shares with the file, a few of each test function first."""
    words = set(file.removesuffix(".py").replace("_", "/").split("/"))

    def distance(test: str) -> int:
        return -len(words & set(test.partition(".py")[0].replace("_", "/").split("/")))

    seen: dict[str, int] = {}
    rank: dict[str, int] = {}
    for test in tests:
        function = test.partition("[")[0]
        seen[function] = seen.get(function, -1) + 1
        rank[test] = seen[function] // 4
    return sorted(tests, key=lambda test: (rank[test], distance(test)))


def attempts(place: Place, tests: Sequence[str], whole: str) -> Iterator[tuple[str, ...]]:
    """Yield the arguments of each attempt: the nearest tests, the others, and the options of a whole tier if given."""
    ordered = nearest_first(place.file, tests)
    for some in (ordered[:NEAREST], ordered[NEAREST:]):
        if some:
            yield tuple(some)
    if whole:
        yield tuple(shlex.split(whole))


def judged(clone: Clone, place: Place, way: Sequence[tuple[str, ...]], logs: Path) -> str:
    """Plant the fault and return which test found it, "" if none did. The names of its files begin with `logs`."""
    text = (clone.folder / place.file).read_text(encoding="utf-8")
    clone.write(place.file, place.planted(text))
    try:
        for count, arguments in enumerate(way):
            listed = logs.with_name(f"{logs.name}.{count}.args")
            listed.write_text("\n".join(arguments), encoding="utf-8")
            log = listed.with_suffix(".log")
            status = clone.pytest(f"@{listed}", "-x", "-n", "0", "--timeout", str(TEST_S), "--tb", "line", log=log)
            said = log.read_text(encoding="utf-8", errors="replace").splitlines()
            if status != 0:
                return next((line for line in said if line.startswith(("FAILED", "ERROR"))), f"exit status {status}")
        return ""
    finally:
        clone.restore()


@dataclass(frozen=True)
class Verdict:
    """What became of one fault: for each tier the line of pytest that says which test found it, or ""."""

    number: int
    place: str
    covering: dict[str, int]
    found: dict[str, str]


@click.command()
@click.option("--seed", default="bowerbird", show_default=True, help="Picks the faults.")
@click.option("--count", default=60, show_default=True, help="How many faults.")
@click.option("--revision", default="HEAD", show_default=True, help="The commit to try.")
@click.option("--tier", "tiers", multiple=True, default=TIERS, help="NAME=OPTIONS of pytest; the quicker tier first.")
@click.option("--folder", type=click.Path(path_type=Path), help="Keep clones, logs and verdicts here, and go on there.")
@click.option("--whole", is_flag=True, help="Run the whole first tier on what the tests that reach it do not find.")
@click.option("--jobs", default=2, show_default=True, help="Clones that work at the same time.")
def main(
    *, seed: str, count: int, revision: str, tiers: Sequence[str], folder: Path | None, whole: bool, jobs: int
) -> None:
    """Plant faults and say which tier of tests finds them."""
    folder = folder or Path(tempfile.mkdtemp(prefix="bowerbird-mutants-"))
    folder.mkdir(parents=True, exist_ok=True)
    commit = subprocess.run(["git", "rev-parse", revision], cwd=ROOT, check=True, capture_output=True, text=True)
    began = time.monotonic()
    clones: SimpleQueue[Clone] = SimpleQueue()
    for index in range(jobs):
        clones.put(Clone(folder / f"clone-{index}", commit.stdout.strip()))
    mapper = clones.get()
    chosen = random.Random(seed).sample(places(mapper.folder), count)
    named = [tier.partition("=")[::2] for tier in tiers]
    covering = {name: reached(mapper, chosen, name, ways, folder) for name, ways in named}
    clones.put(mapper)

    def judge(number: int) -> Verdict:
        kept = folder / f"{number}.verdict"
        if kept.exists():
            return Verdict(**json.loads(kept.read_text(encoding="utf-8")))
        clone, place, found = clones.get(), chosen[number], dict[str, str]()
        try:
            for name, ways in named:
                way = list(attempts(place, covering[name][number], ways if whole and name == named[0][0] else ""))
                found[name] = judged(clone, place, way, folder / f"{number}.{name}")
                if found[name]:
                    break
        finally:
            clones.put(clone)
        counts = {name: len(covering[name][number]) for name, _ in named}
        verdict = Verdict(number, str(place), counts, found)
        kept.write_text(json.dumps(asdict(verdict)), encoding="utf-8")
        who = next(filter(None, found.values()), "SURVIVES")
        click.echo(f"{number:3} {place}\n    {who[:150]}")
        return verdict

    with ThreadPoolExecutor(jobs) as workers:
        verdicts = list(workers.map(judge, range(count)))
    for name, _ in named:
        click.echo(f"{name}: {sum(bool(verdict.found.get(name)) for verdict in verdicts)} of {count} found")
    survivors = [verdict for verdict in verdicts if not any(verdict.found.values())]
    click.echo(f"{len(survivors)} survive; {(time.monotonic() - began) / 60:.0f} minutes; all is in {folder}")
    for verdict in survivors:
        click.echo(f"{verdict.number:3} {verdict.place}   {verdict.covering}")


if __name__ == "__main__":
    main()
