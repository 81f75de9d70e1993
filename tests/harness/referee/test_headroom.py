"""Half of the memory is free if that holds for the machine and for each control group (large-runs.md)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bowerbird.harness.referee.process.cgroups import limiting_groups
from bowerbird.harness.referee.process.headroom import MEMORY, Headroom

V1_NONE = "9223372036854771712"
"""The limit of a group of version 1 without a limit."""


def machine(folder: Path, available: int, total: int = 1000) -> Path:
    """Write a file like /proc/meminfo and return its path."""
    file = folder / "meminfo"
    file.write_text(
        f"MemTotal:    {total} kB\nMemFree:     1 kB\nMemAvailable:    {available} kB\nHugePages_Total:    0\n"
    )
    return file


def group(folder: Path, limit: str, used: int, *, v2: bool) -> Path:
    """Write the files of a group and return its folder."""
    folder.mkdir()
    names = ("memory.max", "memory.current") if v2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    for name, value in zip(names, (limit, used), strict=True):
        (folder / name).write_text(f"{value}\n")
    return folder


@pytest.mark.parametrize(("available", "free"), [(1000, True), (500, True), (499, False), (0, False)])
def test_half_of_the_machines_memory_must_be_free(tmp_path: Path, available: int, free: bool) -> None:
    assert Headroom([], machine(tmp_path, available)).is_half_free() == free


@pytest.mark.parametrize("v2", [True, False])
def test_half_of_each_groups_memory_must_be_free(tmp_path: Path, v2: bool) -> None:
    memory = machine(tmp_path, 900)
    unlimited = group(tmp_path / "unlimited", "max" if v2 else V1_NONE, 1 << 40, v2=v2)
    roomy = group(tmp_path / "roomy", "1000", 500, v2=v2)
    full = group(tmp_path / "full", "1000", 501, v2=v2)
    assert Headroom([unlimited, roomy], memory).is_half_free()
    assert not Headroom([roomy, full], memory).is_half_free()


def test_a_group_that_half_its_processes_fill_has_no_room(tmp_path: Path) -> None:
    memory, folder = machine(tmp_path, 900), tmp_path / "group"
    folder.mkdir()
    (folder / "pids.max").write_text("100\n")
    (folder / "pids.current").write_text("50\n")
    assert Headroom([folder], memory).is_half_free()
    (folder / "pids.current").write_text("51\n")
    assert not Headroom([folder], memory).is_half_free()


@pytest.mark.parametrize("content", ["", "MemTotal: 1000 kB\n", "MemTotal: much\nMemAvailable: 900\n"])
def test_memory_of_which_nothing_is_known_is_not_free(tmp_path: Path, content: str) -> None:
    file = tmp_path / "meminfo"
    assert not Headroom([], file).is_half_free(), "there is no such file"
    file.write_text(content)
    assert not Headroom([], file).is_half_free()


def test_a_group_that_is_gone_is_not_free(tmp_path: Path) -> None:
    memory = Headroom([group(tmp_path / "gone", "1000", 1, v2=True)], machine(tmp_path, 900))
    (tmp_path / "gone" / "memory.current").unlink()
    assert not memory.is_half_free()


@pytest.mark.skipif(not MEMORY.exists(), reason="only Linux tells")
def test_our_own_groups_are_found_with_those_above_them() -> None:
    own = Path("/proc/self/cgroup").read_text(encoding="utf-8")
    found = list(limiting_groups())
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        if {"memory", "pids"} & {*controllers.split(",")}:
            assert any(str(one).endswith(path.rstrip("/")) for one in found), (path, found)
    assert all(one.is_dir() and os.access(one, os.R_OK) for one in found)
