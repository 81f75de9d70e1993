"""A wheel built from this checkout and installed into a fresh virtual environment, outside the checkout."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT

NOBODY = 65534
DEADLINE_S = 900
"""Enough to build a bot in Rust on a slow machine."""


@dataclass(frozen=True, slots=True)
class Installed:
    """The installed command, run in `folder` with `home` as an empty home folder.

    user: the id of an ordinary user that runs it; None for this process's own user.
    tools: environment variables for the tools of other languages, which have their settings and caches in a home.
    """

    venv: Path
    folder: Path
    home: Path
    user: int | None = None
    tools: Mapping[str, str] | None = None

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, `bowerbird` or `python`, and wait for its end; accept any exit code."""
        path = f"{self.venv / 'bin'}:{os.environ['PATH']}"
        environment = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", **(self.tools or {})}
        return subprocess.run(
            [*_become(self.user), str(self.venv / "bin" / command[0]), *map(str, command[1:])],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )

    def done(self, *arguments: str | Path) -> str:
        """Run `bowerbird`, which must succeed; return its standard output."""
        finished = self.run("bowerbird", *arguments)
        assert finished.returncode == 0, f"{finished.args} ended with {finished.returncode}: {finished.stderr}"
        return finished.stdout

    def json(self, *arguments: str | Path) -> Any:  # the shape depends on the command
        """Run `bowerbird` with --json, which must succeed; return what it printed."""
        return json.loads(self.done(*arguments, "--json"))

    def wait_until_gone(self) -> list[str]:
        """Wait at most DEADLINE_S until no process of this environment or folder is left; return those left."""
        deadline = time.monotonic() + DEADLINE_S
        while (left := list(self._processes())) and time.monotonic() < deadline:
            time.sleep(0.05)  # nothing to wait on: they are not our children
        return left

    def _processes(self) -> Iterator[str]:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_bytes().replace(bytes(1), b" ").decode(errors="replace")
                places = [os.readlink(process / "cwd"), os.readlink(process / "exe")]
            except OSError:  # it has just ended, or belongs to another user
                continue
            if any(place.startswith(str(self.folder)) for place in (*places, *command.split())):
                yield f"{process.name} {command}"


def build(kind: str, source: Path, target: Path) -> Path:
    """Build the "wheel" or the "sdist" of the project in `source` into the folder `target`; return the file."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(words, cwd=source, check=True, capture_output=True)
    [built] = target.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


@contextmanager
def installed(shared: Path) -> Iterator[Path]:
    """Yield a virtual environment with the wheel of this checkout, beside that wheel.

    It is where every user can read it, unlike the folders of pytest. Test processes share it, and the last one removes
    it.

    shared: a folder of all test processes.
    """
    state = shared / "installed-wheel.json"
    with _locked(shared):
        place, users = json.loads(state.read_text()) if state.exists() else ("", 0)
        if not users:
            place = tempfile.mkdtemp(prefix="bowerbird-wheel-")
            os.chmod(place, 0o755)
            install(build("wheel", ROOT, Path(place)), Path(place) / "venv", ordinary_python())
        state.write_text(json.dumps([place, users + 1]))
    yield Path(place) / "venv"
    with _locked(shared):
        place, users = json.loads(state.read_text())
        state.write_text(json.dumps([place, users - 1]))
        if users == 1:
            shutil.rmtree(place)


def wheel_of(venv: Path) -> Path:
    """Return the wheel from which `installed` made an environment."""
    [wheel] = venv.parent.glob("*.whl")
    return wheel


@contextmanager
def with_extra(base: Path, extra: str) -> Iterator[Path]:
    """Yield a virtual environment with the wheel and an extra. What `base` has, without extras, is linked, not copied.

    The wheel itself is installed again, so that its requirements are what there is.
    """
    with tempfile.TemporaryDirectory(prefix=f"{extra}-", dir=base.parent) as folder:  # links stay in one file system
        venv = Path(folder) / "venv"
        subprocess.run([ordinary_python(), "-m", "venv", "--without-pip", str(venv)], check=True)
        [packages] = base.glob("lib/python3*/site-packages")
        for path in packages.iterdir():
            if not path.name.startswith("bowerbird"):
                _link(path, venv / path.relative_to(base))
        _install(wheel_of(base), venv, extra, compiled=False)
        yield venv


def _link(path: Path, target: Path) -> None:
    """Link all files below a path. Other processes may be adding compiled ones, under another name at first."""
    if path.is_dir():
        target.mkdir(exist_ok=True)
        for one in path.iterdir():
            _link(one, target / one.name)
    elif path.parent.name != "__pycache__" or path.suffix == ".pyc":
        os.link(path, target)


def install(wheel: Path, venv: Path, python: str, *extras: str) -> None:
    """Make a virtual environment with the wheel and the versions of requirements.lock."""
    subprocess.run([python, "-m", "venv", "--without-pip", str(venv)], check=True)
    _install(wheel, venv, *extras)


def _install(wheel: Path, venv: Path, *extras: str, compiled: bool = True) -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = venv / "constraints.txt"
    pins.write_text("\n".join(re.findall(r"^[\w.-]+==[^\\\n]+", lock, re.MULTILINE)) + "\n", encoding="utf-8")
    wanted = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
    installer = _installer(venv / "bin" / "python", compiled=compiled)
    subprocess.run([*installer, "--constraint", str(pins), wanted], check=True)


def ordinary_python() -> str:
    """Return a Python that an ordinary user can run, if there is one; else the one of these tests."""
    own = os.path.realpath(sys.executable)
    found = [own, *filter(None, map(shutil.which, ("python3", "python3.11", "python3.12", "python3.13")))]
    for python in dict.fromkeys([*found, "/usr/bin/python3"]):
        if runs_for_others(python):
            return python
    return own


def runs_for_others(python: str) -> bool:
    """Return whether an ordinary user can run this interpreter and it is new enough for the project."""
    code = "import sys; sys.exit(sys.version_info < (3, 11))"
    try:
        done = subprocess.run(
            [*_become(ordinary_user()), python, "-c", code], cwd="/", capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0


def ordinary_user() -> int | None:
    """Return the id of a user without rights; None if this process has none itself."""
    return NOBODY if os.geteuid() == 0 else None


def tools_of_this_user() -> dict[str, str]:
    """Return variables that let the tools of other languages find their settings and caches from another HOME."""
    home = Path.home()
    found = {
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(home / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(home / ".rustup")),
        "NPM_CONFIG_CACHE": os.environ.get("NPM_CONFIG_CACHE", str(home / ".npm")),
        "NPM_CONFIG_USERCONFIG": os.environ.get("NPM_CONFIG_USERCONFIG", str(home / ".npmrc")),
    }
    if shutil.which("go") is not None:
        names = ["GOPATH", "GOCACHE", "GOMODCACHE", "GOENV"]
        said = subprocess.run(["go", "env", *names], check=True, capture_output=True, text=True).stdout
        found |= dict(zip(names, said.splitlines(), strict=True))
    return {**_network(), **found}


def _network() -> dict[str, str]:
    """Return the variables with which this machine reaches package registries."""
    names = re.compile(r"(?i)(https?|no|all)_proxy|(ssl_cert_|npm_config_|node_extra_ca|cargo_|go|maven_|java_home).*")
    return {name: value for name, value in os.environ.items() if names.fullmatch(name)}


def ordinary_tools() -> dict[str, str]:
    """Return the variables for a user who has no caches yet."""
    own = str(Path.home())
    return {name: value for name, value in _network().items() if own not in value}


def _become(user: int | None) -> Sequence[str]:
    """Return the beginning of a command that another user runs.

    A shell starts the program, since setpriv itself keeps root's right to enter every folder until then.
    """
    if user is None:
        return ()
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--", "sh", "-c", 'exec "$@"', "sh")


def _installer(python: Path, *, compiled: bool) -> list[str]:
    """Return the command that installs into another environment: uv where it is, else the pip of these tests.

    compiled: whether pip compiles all modules, as it does by itself, and not only those that are used, at their first
    use. uv never does.
    """
    uv = shutil.which("uv")
    if uv is not None:
        return [uv, "pip", "install", "--quiet", "--python", str(python)]
    quiet = ["--quiet", "--disable-pip-version-check", *([] if compiled else ["--no-compile"])]
    return [sys.executable, "-m", "pip", "--python", str(python), "install", *quiet]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "installed-wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
