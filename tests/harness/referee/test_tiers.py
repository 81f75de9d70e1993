"""The isolation tiers: how they start a bot, and that the probe runs each one to find out whether it works."""

from __future__ import annotations

import dataclasses
import errno
import os
import re
import sys
from pathlib import Path

import pytest

from bowerbird.harness.records.values.game_record import OWN_USER
from bowerbird.harness.referee.isolation import sandbox, sandbox_mounts
from bowerbird.harness.referee.isolation.launch import NoIsolationError
from bowerbird.harness.referee.isolation.sandbox import SOCKET, Sandbox
from bowerbird.harness.referee.isolation.sandbox_mounts import interpreter_files
from bowerbird.harness.referee.isolation.seccomp import FILTER_FD, has_filter
from bowerbird.harness.referee.isolation.tiers import probe, tier_named
from bowerbird.harness.referee.spec import BotSpec
from tests.support.paths import ROOT
from tests.support.referee.isolated import finish, in_folder, require
from tests.support.referee.tables import bot

pytestmark = pytest.mark.usefixtures("processes")

SEAT = {"BOWERBIRD_ADDRESS": "unix:/tmp/of-the-referee/1", "BOWERBIRD_TOKEN": "secret"}


def run(spec: BotSpec, *hidden: Path) -> str:
    """Return what the bot's command prints in a sandbox."""
    done = finish(Sandbox(hidden).launch(spec, {}))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("tier", ["sandbox", "limits", "none"])
def test_no_word_of_a_command_line_names_the_token(tier: str) -> None:
    """Every user of a machine can read the command lines of all processes."""
    launch = tier_named(tier).launch(bot("a"), SEAT)
    assert launch.environment["BOWERBIRD_TOKEN"] == "secret"
    assert not [word for word in launch.argv if "secret" in word]


def test_the_socket_of_a_seat_has_one_short_place_in_the_sandbox() -> None:
    launch = Sandbox().launch(bot("a"), SEAT)
    assert launch.environment["BOWERBIRD_ADDRESS"] == f"unix:{SOCKET}"
    assert len(SOCKET) < 100
    with pytest.raises(NoIsolationError, match="no network"):
        Sandbox().launch(bot("a"), {"BOWERBIRD_ADDRESS": "127.0.0.1:80"})


def test_a_bot_has_a_user_of_its_own_no_rights_and_bounds(tmp_path: Path) -> None:
    require("sandbox")
    spec = in_folder(tmp_path, "/bin/sh", "-c", "id -u; ulimit -c; ulimit -n; grep -E 'Cap|NoNew' /proc/self/status")
    first, second = run(spec), run(spec)
    if os.geteuid() == 0:
        assert first.split()[0] != second.split()[0], "two processes are strangers"
    assert first.split()[0] != "0"
    assert first.split()[1] == "0", "no core file"
    assert set(re.findall(r"Cap(?:Eff|Prm|Amb|Inh):\s*([0-9a-f]+)", first)) == {"0" * 16}
    assert re.search(r"NoNewPrivs:\s*1", first)


WATCH = """
import ctypes, fcntl, sys
files = [open(sys.executable, "rb") for _ in range(2)]
for file in files:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.inotify_add_watch(libc.inotify_init(), sys.executable.encode(), 0x20), ctypes.get_errno())
"""


@pytest.mark.skipif(not has_filter(), reason="this machine has no system call filter")
def test_locks_and_watches_of_a_file_that_others_read_tell_nothing(tmp_path: Path) -> None:
    """faults.md row 30: both locks are granted, since none is really taken; the watch is refused."""
    require("sandbox")
    assert run(in_folder(tmp_path, sys.executable, "-c", WATCH)).split() == ["-1", str(errno.EPERM)]


def test_a_bot_sees_its_folder_what_its_manifest_names_and_nothing_beside(tmp_path: Path) -> None:
    require("sandbox")
    own, named, shared, beside = (tmp_path / name for name in ("own", "named", "shared", "beside"))
    for folder in (own, named, shared, beside):
        folder.mkdir()
        (folder / "file").write_text(f"{folder.name} ")
    look = (
        f"cat file {named}/file {shared}/file; cd {tmp_path}; ls; "
        "touch own/new named/new shared/new new 2>/dev/null || echo read-only"
    )
    spec = dataclasses.replace(in_folder(own, "/bin/sh", "-c", look), read=(named,), files=(shared,))
    assert run(spec).split() == ["own", "named", "shared", "named", "own", "shared", "read-only"]


def test_a_hidden_folder_is_empty_for_a_bot_that_may_read_all_around_it(tmp_path: Path) -> None:
    require("sandbox")
    store = tmp_path / "results"
    store.mkdir()
    (store / "x.db").touch()
    assert run(in_folder(tmp_path, "/bin/ls", "results")) == "x.db\n"
    assert run(in_folder(tmp_path, "/bin/ls", "results"), store) == ""


def test_a_bot_whose_folder_is_within_a_hidden_one_is_refused_with_both_named(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    spec = dataclasses.replace(in_folder(folder, "/bin/true"), read=(tmp_path,))
    reason = probe(Sandbox([tmp_path]), spec)
    assert reason == f"{folder}, which it must read, is within {tmp_path}, which is closed to bots"


def test_an_interpreter_brings_its_prefix_and_a_lone_program_itself(tmp_path: Path) -> None:
    """A program in ~/bin must not expose the whole home."""
    for name in ("prefix/bin", "prefix/lib", "home/bin", "venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("prefix/bin/python3", "home/bin/tool"):
        (tmp_path / name).touch()
    (tmp_path / "venv/bin/python").symlink_to(tmp_path / "prefix/bin/python3")
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {tmp_path}/prefix/bin\n")
    assert set(interpreter_files(f"{tmp_path}/venv/bin/python")) == {f"{tmp_path}/venv", f"{tmp_path}/prefix"}
    assert interpreter_files(f"{tmp_path}/home/bin/tool") == [f"{tmp_path}/home/bin/tool"]
    assert interpreter_files("/usr/bin/env") == []


def test_a_probe_says_what_cannot_be_run_or_read(tmp_path: Path) -> None:
    require("sandbox")
    assert probe(Sandbox(), bot("a")) == ""
    (tmp_path / "data").write_text("x")
    (tmp_path / "data").chmod(0)
    assert probe(Sandbox(), in_folder(tmp_path, f"{tmp_path}/none")) == f"{tmp_path}/none cannot be run"
    assert probe(Sandbox(), in_folder(tmp_path, "/bin/cat", "data")) == f"{tmp_path}/data cannot be read"


@pytest.mark.parametrize("key", ["files", "read"])
def test_a_probe_names_the_file_of_the_manifest_that_cannot_be_read(tmp_path: Path, key: str) -> None:
    """A file that only its owner may read is closed to a bot, which runs as another user if the referee is root."""
    require("sandbox")
    own, model = tmp_path / "own", tmp_path / "model"
    own.mkdir()
    model.write_text("x")
    plain = in_folder(own, "/bin/true")
    named = {"files": dataclasses.replace(plain, files=(model,)), "read": dataclasses.replace(plain, read=(model,))}
    spec = named[key]
    assert probe(Sandbox(), spec) == ""
    model.chmod(0)
    assert probe(Sandbox(), spec) == f"{model} cannot be read"
    model.unlink()
    assert str(model) in probe(Sandbox(), spec)


def test_a_probe_runs_the_program_and_does_not_look_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bwrap that exists but does not work is detected, and its own words are shown."""
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert probe(Sandbox(), bot("a")) == "bwrap: no namespaces here"
    assert probe(tier_named("limits"), bot("a")) == ""


@pytest.mark.parametrize("own_user", [True, False])
def test_a_program_of_the_bots_folder_never_takes_the_place_of_a_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_user: bool
) -> None:
    """The organiser's PATH may begin with the folder that the process is in."""
    if own_user and os.geteuid() != 0:
        pytest.skip("only root can start bots as users of their own")
    for tool in ("setpriv", "prlimit"):
        (tmp_path / tool).write_text(f"#!/bin/sh\necho {tool} of the bot as $(id -u)\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    tier = tier_named("limits", measures=(OWN_USER,) if own_user else ())
    said = finish(tier.launch(in_folder(tmp_path, "/bin/echo", "hello"), {})).stdout
    assert f"of the bot as {os.geteuid()}" not in said


def test_without_rights_a_sandbox_is_a_user_namespace(tmp_path: Path) -> None:
    """These arguments are for a referee that is not root; root can use them, too."""
    require("sandbox")
    launch = Sandbox(root=False).launch(in_folder(tmp_path, "/bin/sh", "-c", "ls /proc/self/ns; cat /proc/net/dev"), {})
    assert "--unshare-all" in launch.argv
    assert "setpriv" not in launch.argv
    done = finish(launch)
    if done.returncode != 0 and "namespace" in done.stderr:
        pytest.skip(f"this system lets nobody make user namespaces: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert "eth" not in done.stdout


@pytest.mark.parametrize("filtered", [True, False])
def test_without_rights_no_user_namespace_can_be_made_in_a_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filtered: bool
) -> None:
    """The system call filter refuses it; on a machine without one, bwrap does."""
    require("sandbox")
    monkeypatch.setattr(sandbox, "has_filter", lambda: filtered and has_filter())
    launch = Sandbox(root=False).launch(in_folder(tmp_path, "/bin/sh", "-c", "unshare -U echo made || echo none"), {})
    assert ("--disable-userns" in launch.argv) != (FILTER_FD in launch.argv)
    done = finish(launch)
    if "namespace" in done.stderr and done.returncode != 0:
        pytest.skip(f"this system lets nobody make user namespaces: {done.stderr.strip()}")
    assert done.stdout == "none\n", done.stderr


def test_nothing_of_the_project_is_seen_but_the_packages_that_a_python_bot_imports(tmp_path: Path) -> None:
    require("sandbox")
    seen = run(
        in_folder(
            tmp_path, sys.executable, "-c", f"import os, bowerbird.harness.sdk; print(*os.listdir({str(ROOT)!r}))"
        )
    )
    assert set(seen.split()) - {".venv"} == {"bowerbird", "engine", "harness", "bots"}


def test_a_bot_of_ours_finds_packages_that_pip_installed_for_one_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are below HOME, which is a different folder in a sandbox."""
    require("sandbox")
    packages = tmp_path / "base" / "site-packages"
    (packages / "bowerbird").mkdir(parents=True)
    (packages / "grpc.py").touch()
    monkeypatch.setattr(sandbox_mounts, "PACKAGE", packages / "bowerbird")
    monkeypatch.setattr("site.getusersitepackages", lambda: str(packages))
    monkeypatch.setattr("site.getuserbase", lambda: str(packages.parent))
    folder = tmp_path / "bot"
    folder.mkdir()
    code = "import os; print(os.environ.get('PYTHONUSERBASE')); print(sorted(os.listdir(os.sys.argv[1])))"
    spec = in_folder(folder, sys.executable, "-c", code, str(packages))
    assert run(spec).splitlines() == [str(packages.parent), "['bowerbird', 'grpc.py']"]
    assert "PYTHONUSERBASE" not in Sandbox().launch(in_folder(folder, "/bin/true"), {}).environment
