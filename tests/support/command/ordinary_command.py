"""The command as an ordinary user runs it, who can read neither root's home nor a checkout that is closed to others."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support.paths import ROOT

PACKAGES = ("bowerbird", "engine", "harness", "bots", "tests")
NOBODY = 65534

SAME_VERSION = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]!r})"
START = "import sys; sys.argv[0] = 'bowerbird'; from bowerbird.harness.cli.entry import main; main()"


def can_run_as_another() -> bool:
    """Return whether this process is root and finds a Python of its own version that an ordinary user can run."""
    return os.geteuid() == 0 and shutil.which("setpriv") is not None and bool(_python())


def ordinary_command() -> Sequence[str]:
    """Return the words that run `bowerbird` as an ordinary user, before its arguments."""
    return (*ordinary_python(), "-c", START)


def ordinary_python() -> Sequence[str]:
    """Return the words that run a Python with the project as an ordinary user, before its arguments."""
    python, path = readable_python()
    return (*_as_nobody(), "env", f"PYTHONPATH={path}", "PYTHONDONTWRITEBYTECODE=1", python)


def readable_python() -> tuple[str, str]:
    """Return a Python that every user can run, and the PYTHONPATH on which it finds the project and its tests."""
    folder = _readable_packages()
    return _python(), os.pathsep.join((str(folder / "project"), str(folder / "libraries")))


def _as_nobody() -> Sequence[str]:
    """Return the beginning of a command of the ordinary user.

    A shell starts the program, since setpriv itself keeps root's right to enter every folder until then.
    """
    words = f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"
    return ("setpriv", *words, "--", "sh", "-c", 'exec "$@"', "sh")


@functools.cache
def _python() -> str:
    """Return a Python of this one's version that the ordinary user can run; "" if there is none."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    found = [os.path.realpath(sys.executable), shutil.which(version), f"/usr/bin/{version}", "/usr/bin/python3"]
    for python in filter(None, found):
        tried = subprocess.run(
            [*_as_nobody(), python, "-I", "-c", SAME_VERSION], cwd="/", capture_output=True, check=False
        )
        if tried.returncode == 0:
            return python
    return ""


@functools.cache
def _readable_packages() -> Path:
    """Return a folder that everybody may read, with the project and its libraries; removed when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="bowerbird-readable-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for package in PACKAGES:
        _link_tree(ROOT / package, folder / "project" / package)
    _link_tree(Path(sysconfig.get_path("purelib")), folder / "libraries")
    folder.chmod(0o755)
    return folder


def _link_tree(source: Path, target: Path) -> None:
    ignored = shutil.ignore_patterns("node_modules", "target", "__pycache__")
    shutil.copytree(source, target, symlinks=True, ignore=ignored, copy_function=_link)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # on another file system
        shutil.copy2(source, target)
