"""Other programs read the exported tables as they were written, if they are told what tables.md says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bowerbird.harness.extras.tables.columns import INTEGER, TABLES, TEXT, Cell
from bowerbird.harness.extras.tables.export import _csv
from tests.support.bots.loaded import loaded
from tests.support.paths import DOCS, ROOT

pandas = pytest.importorskip("pandas")

EXAMPLE = ROOT / "examples" / "study" / "tables.py"
LIKE_NUMBERS = ("12345e6789", "0123456789", "1.10", "NA", "null", "nan", "true")
"""Texts that a run, a version, a bot or a note may have, and that readers take for something else."""


def _write(folder: Path, table: str, texts: dict[str, str]) -> None:
    """Write a table of one row: these texts, and 1 or "x" or true in all other columns."""
    with (folder / f"{table}.csv").open("wb") as file, _csv(file, TABLES[table]) as writer:
        other: dict[str, Cell] = {TEXT: "x", INTEGER: 1}
        writer.add(tuple(texts.get(column.name, other.get(column.type, True)) for column in TABLES[table]))


@pytest.mark.parametrize("text", LIKE_NUMBERS)
def test_text_that_looks_like_a_number_stays_text(tmp_path: Path, text: str) -> None:
    example = loaded(EXAMPLE)
    for table, columns in TABLES.items():
        texts = {column.name: text for column in columns if column.name in example.TEXT}
        _write(tmp_path, table, texts)
        read = example.read(tmp_path, table)
        assert {name: read[name][0] for name in texts} == texts, table


def test_pandas_alone_would_take_it_for_a_number(tmp_path: Path) -> None:
    """Otherwise the advice could go."""
    _write(tmp_path, "games", {"run": "12345e6789"})
    assert pandas.read_csv(tmp_path / "games.csv")["run"][0] == float("inf")


def test_the_page_and_the_example_name_the_same_columns() -> None:
    page = (DOCS / "reference" / "tables.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"^TEXT = .*$", page, re.MULTILINE)
    assert shown in EXAMPLE.read_text(encoding="utf-8")
    named = set(re.findall(r'"(\w+)"', shown)) - {"str"}
    assert named <= {column.name for columns in TABLES.values() for column in columns if column.type == TEXT}


def test_no_table_and_no_json_has_a_seed_as_a_number() -> None:
    """64 bits do not fit into a double, and a column with a null becomes one of doubles in pandas."""
    assert not [column.name for columns in TABLES.values() for column in columns if "seed" in column.name]
    page = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    kinds = re.findall(r"^\| `(?:secret_)?seed` \| ([^|]*) \|", page, re.MULTILINE)
    assert len(kinds) >= 5
    assert {kind.split()[0] for kind in kinds} == {"text"}
