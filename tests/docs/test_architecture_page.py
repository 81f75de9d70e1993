"""The page on the architecture names what is there: folders, files, packages, classes."""

from __future__ import annotations

import re

import pytest

from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "internals" / "architecture.md"
TEXT = PAGE.read_text(encoding="utf-8")
PLACES = tuple(ROOT / folder for folder in (".", "proto", "harness", "harness/referee", "harness/records"))
"""The folders whose files the page names."""


def section(title: str) -> str:
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def named_paths() -> list[str]:
    """Return what looks like a path: in code marks with a slash, or the module column of the pictures."""
    marked = re.findall(r"`([a-z_][\w.-]*/[\w./*-]*)`", TEXT)
    drawn = re.findall(
        r"(?:^|\s)((?:game|connection|tournament|referee|records|cli|ratings)/[a-z_/]+(?:\.py)?)", TEXT, re.MULTILINE
    )
    files = re.findall(r"(?:─ |  )([a-z_]+\.py)\b", section("referee") + section("The path of a decision"))
    return sorted({*marked, *drawn, *files})


def exists(path: str) -> bool:
    """Return whether a file or folder has this path in one of PLACES, with or without its ".py"."""
    plain = path.rstrip("/").removesuffix("/*.proto")
    return any((place / plain).exists() or (place / f"{plain}.py").exists() for place in PLACES)


def test_the_page_names_many_paths() -> None:
    assert len(named_paths()) > 40


@pytest.mark.parametrize("path", named_paths())
def test_a_named_file_is_there(path: str) -> None:
    assert exists(path)


def test_every_package_of_the_harness_is_listed() -> None:
    packages = {
        path.name
        for folder in (ROOT / "harness", ROOT / "harness" / "extras")
        for path in folder.iterdir()
        if (path / "__init__.py").exists()
    }
    assert set(re.findall(r"^\| `(\w+)` \|", section("harness"), re.MULTILINE)) == packages


def test_every_folder_of_the_layout_is_listed() -> None:
    shown = {row.rstrip("/") for row in re.findall(r"^\| `(\w+/)` \|", section("Layout"), re.MULTILINE)}
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages <= shown
    assert all((ROOT / folder).is_dir() for folder in shown)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\b(?:[A-Z][a-z]+){2,}\b", section("The path of a decision")))))
def test_a_named_class_is_there(name: str) -> None:
    code = [path.read_text(encoding="utf-8") for path in (ROOT / "harness").rglob("*.py")]
    assert any(f"class {name}" in text for text in code)
