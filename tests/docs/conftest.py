"""The built documentation site, which several tests look at."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.deadline import DEADLINE_S
from tests.support.paths import DOCS, ROOT

BUILT = "BOWERBIRD_BUILT_SITE"
"""The folder of the site that `make docs` has just built from this checkout, as in CI."""


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site, built without a warning. Workers of pytest-xdist share one."""
    if BUILT in os.environ:
        return ROOT / os.environ[BUILT]
    if importlib.util.find_spec("furo") is None:
        pytest.skip("needs furo: make docs")
    folder = tmp_path_factory.getbasetemp()
    if folder.name.startswith("popen-"):  # a worker of pytest-xdist
        folder = folder.parent
    made, done = folder / "site", folder / "site-is-built"
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            command = [sys.executable, "-m", "sphinx", "-E", "-b", "html", "-W", "--keep-going", "-q"]
            built = subprocess.run(
                [*command, "-d", folder / "doctrees", DOCS, made],
                capture_output=True,
                text=True,
                timeout=DEADLINE_S,
                check=False,
                cwd=ROOT,
            )
            assert built.returncode == 0, built.stderr
            done.touch()
    return made
