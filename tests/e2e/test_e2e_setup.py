"""The set-up of a checkout (`make setup`): what somebody reads who interrupts it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

PYTHON = """#!/bin/sh
[ "$1" = -c ] && exit 0
trap 'echo "Traceback (most recent call last):" >&2; exit 1' INT
echo begun >"$BEGUN"
while :; do sleep 1; done
"""
"""Stands for an interpreter that makes .venv until it is interrupted, and then writes a traceback."""


@pytest.mark.usefixtures("processes")
def test_an_interrupt_while_the_environment_is_made_shows_no_traceback(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "setup", tmp_path / ".ci" / "setup")
    python = tmp_path / "python"
    python.write_text(PYTHON, encoding="utf-8")
    python.chmod(0o755)
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    setup = subprocess.Popen(
        [tmp_path / ".ci" / "setup"],
        env={"PATH": "/usr/bin:/bin", "PYTHON": str(python), "BEGUN": str(begun)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        with begun.open(encoding="utf-8") as pipe:
            pipe.read()
        os.killpg(setup.pid, signal.SIGINT)
        said = setup.communicate(timeout=DEADLINE_S)[1]
    finally:
        setup.kill()
        setup.wait()
    assert setup.returncode == 128 + signal.SIGINT
    assert "Traceback" not in said
    assert said.endswith("Interrupted; the same command starts the set-up again.\n")
    assert not (tmp_path / ".venv" / ".ready").exists()
