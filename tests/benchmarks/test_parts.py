"""`make bench ARGS="PART …"`: one list of parts, the system by default."""

from __future__ import annotations

import re
import sys

import pytest

from benchmarks.__main__ import PARTS, listed, main
from tests.support.paths import DOCS, ROOT

PAGES = [
    *DOCS.rglob("*.md"),
    *ROOT.glob("*.md"),
    *(ROOT / "results").rglob("*.md"),
    *(ROOT / "benchmarks").rglob("*.py"),
]


@pytest.mark.parametrize("module", [module for module, _ in PARTS.values()])
def test_a_part_is_a_module_that_reads_the_command_line(module: str) -> None:
    file = ROOT / "benchmarks" / f"{module.replace('.', '/')}.py"
    assert re.search(r"^def main\(", file.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("asked", ["help", "--help"])
def test_the_list_has_a_line_for_each_part(
    asked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", asked])
    main()
    assert capsys.readouterr().out == f"{listed()}\n"
    assert [line.split()[0] for line in listed().splitlines()[1:]] == list(PARTS)
    assert max(map(len, listed().splitlines())) <= 80


@pytest.mark.usefixtures("processes")
def test_options_alone_measure_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--only", "z"])
    with pytest.raises(SystemExit, match="there are a to i"):
        main()


def test_an_unknown_part_is_answered_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", "enginee"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "did you mean 'engine'?" in capsys.readouterr().err


def test_a_part_that_a_page_names_exists() -> None:
    named = {
        part: page.name
        for page in PAGES
        for part in re.findall(r'make bench\s+ARGS="?([a-z][a-z-]*)', page.read_text(encoding="utf-8"))
    }
    assert {part: page for part, page in named.items() if part not in {*PARTS, "help"}} == {}
    assert "million" in named
