"""A file that hides a package of ours is named where the import fails, in one sentence (python.md, bowerbird.sdk)."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bowerbird._shadowing import PACKAGES
from harness.tournament.preparation import shadowing
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("processes")

MODULES = ("sdk", "engine", "records", "ratings")


def run_in(folder: Path, program: str = "import bowerbird.sdk") -> subprocess.CompletedProcess[str]:
    (folder / "main.py").write_text(f"{program}\nprint('imported')\n")
    return subprocess.run(
        [sys.executable, folder / "main.py"], capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("package", ["engine", "harness"])
def test_a_file_of_that_name_is_named_with_the_remedy(tmp_path: Path, package: str, module: str) -> None:
    (tmp_path / f"{package}.py").touch()
    done = run_in(tmp_path, f"import bowerbird.{module}")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: {tmp_path}/{package}.py hides Bowerbird's own package '{package}', because Python finds it "
        f"first: rename the file {package}.py"
    )


def test_a_package_folder_of_that_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").touch()
    done = run_in(tmp_path)
    assert done.stderr.splitlines()[-1].endswith("because Python finds it first: rename the folder engine")


def test_a_module_that_was_imported_before_is_seen(tmp_path: Path) -> None:
    (tmp_path / "engine.py").touch()
    assert "rename the file engine.py" in run_in(tmp_path, "import engine\nimport bowerbird.engine").stderr


def test_a_folder_without_a_package_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "harness").mkdir()
    assert run_in(tmp_path, "from bowerbird.sdk import Decision, play").stdout == "imported\n"


def test_the_stubs_of_the_protocol_need_no_engine(tmp_path: Path) -> None:
    (tmp_path / "engine.py").touch()
    assert run_in(tmp_path, "from bowerbird.seat.v1 import seat_pb2").stdout == "imported\n"


def test_import_and_run_refuse_the_same_packages() -> None:
    """All packages of the wheel but that of the bundled bots, which no bot of an author imports."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    packages = {name for name in shipped if (ROOT / name / "__init__.py").is_file()}
    assert set(PACKAGES) == set(shadowing.PACKAGES) == packages - {"bots"}
