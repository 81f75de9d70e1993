"""`bowerbird keys`, and what export, import, standings and runs say about who vouches for a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.extras.signatures import vouching
from bowerbird.harness.extras.signatures.key_files import KeyFiles
from bowerbird.harness.extras.signatures.vouching import own_signer
from bowerbird.harness.records.archive.archive import write_archive
from bowerbird.harness.records.store.store import Store
from tests.support.records.archives import exported
from tests.support.records.stored_runs import store_run


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


Done = Callable[..., str]


@pytest.fixture
def done(capsys: pytest.CaptureFixture[str]) -> Done:
    """Return a function that runs a command that must succeed, and returns its output and its messages."""

    def done(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert run(arguments) == code, capsys.readouterr()
        said = capsys.readouterr()
        return said.out if "--json" in arguments else said.out + said.err

    return done


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """Return a signed archive of another installation, and make `here.db` with a run of our own."""
    run = store_run(tmp_path / "far.db", variants=("euchre",), name="far")
    with Store.open(tmp_path / "far.db") as store:
        write_archive(store[run], tmp_path / "far.tar.gz", sign=own_signer(KeyFiles(tmp_path / "anna")).sign)
    store_run(tmp_path / "here.db", variants=("euchre",), name="near")
    return tmp_path / "far.tar.gz"


def test_keys(done: Done, tmp_path: Path) -> None:
    assert "has no key yet" in done("keys", "show")
    text = done("keys", "export").splitlines()[0]
    own = json.loads(done("keys", "show", "--json"))["own"]
    assert own["key"] == text
    other = KeyFiles(tmp_path / "anna").own()
    (tmp_path / "anna.key").write_text(f"{other.text}\n")
    assert "trusted: " in done("keys", "trust", "anna.key", "--name", "anna")
    assert other.fingerprint in done("keys", "show")
    said = done("keys", "revoke", "ana", code=2)
    assert "did you mean 'anna'?" in said
    assert done("keys", "revoke", "anna") == f"revoked: {other.fingerprint} (anna)\n"
    assert "did you mean" in done("keys", "shw", code=2)


def test_standings_count_what_a_trusted_key_signed(done: Done, signed: Path, tmp_path: Path) -> None:
    key = KeyFiles(tmp_path / "anna").own()
    said = done("import", str(signed), "--db", "here.db")
    assert f"signed with a key that you do not trust: {key.fingerprint}" in said
    assert f"bowerbird keys trust {key.text}" in " ".join(said.split())
    unknown = (
        f"signed with a key that you do not trust: {key.fingerprint}; to trust it: bowerbird keys trust {key.text}"
    )
    assert unknown in " ".join(done("verify", str(signed)).split())
    every = ("standings", "--all", "--db", "here.db")
    said = done(*every)
    assert "left out: 1 run not signed by anyone you trust: " in said
    assert f"(far; key {key.fingerprint}); --untrusted counts them" in " ".join(said.split())
    assert "2 runs together" in done(*every, "--untrusted")
    named: dict[str, Any] = json.loads(done("standings", "far", "--db", "here.db", "--json"))
    assert (named["signed_by"], named["trusted"]) == ([key.fingerprint], False)
    assert "imported: signed with a key that you do not trust" in done("standings", "far", "--db", "here.db")
    assert "untrusted" in done("runs", "--db", "here.db")
    done("keys", "trust", key.text, "--name", "anna")
    together: dict[str, Any] = json.loads(done(*every, "--json"))
    assert sorted(each["trusted"] for each in together["vouching"].values()) == [True, True]
    assert "imported: vouched for by a key that you trust:" in done("standings", "far", "--db", "here.db")
    assert "imported" not in done("standings", "near", "--db", "here.db")
    done("keys", "revoke", "anna")
    revoked = (
        f"{signed}: is signed with key {key.fingerprint} (anna), which is revoked; ask whoever played the run for "
        "an archive signed with another key"
    )
    said = done("import", str(signed), "--db", "other.db", code=2)
    assert f"{revoked}; nothing was imported" in " ".join(said.split())
    said = done("verify", str(signed), code=2)
    assert revoked in " ".join(said.split())
    assert "no differences" not in said


def test_all_runs_may_be_left_out(done: Done, tmp_path: Path) -> None:
    """An archive of an earlier version is unsigned."""
    run = store_run(tmp_path / "far.db", variants=("euchre",))
    said = done("import", str(exported(tmp_path / "far.db", run)), "--db", "here.db")
    assert "unsigned, so nobody vouches for it" in said
    assert "unsigned, so nobody vouches for it" in done("verify", str(tmp_path / "run.tar.gz"))
    said = " ".join(done("standings", "--all", "--db", "here.db", code=2).split())
    assert "no run counts: 1 run not signed by anyone you trust: " in said
    assert "(autumn; unsigned); 'bowerbird keys trust' counts a key's runs, --untrusted all of them" in said
    assert "--untrusted belongs to --all" in done("standings", "--untrusted", "--db", "here.db", code=2)


def test_export_signs_unless_bots_could_read_the_key(done: Done, signed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert signed.exists()
    export = ("export", "near", "--db", "here.db", "-o", "near.tar.gz")
    assert "not signed: its bots could read the key of this installation" in done(*export)
    assert "cannot be signed: its bots could read" in done(*export, "--sign", code=2)
    monkeypatch.setattr(vouching, "could_read_seed", lambda *_: False)
    assert "not signed: as --no-sign says" in done(*export, "--no-sign")
    assert "signed: with the key of this installation" in done(*export, "--sign")
    assert "this installation vouches for it" in done("import", "near.tar.gz", "--db", "again.db")
    assert "left out" not in done("standings", "--all", "--db", "again.db")
    KeyFiles().private.chmod(0o644)
    assert "not signed: " in done(*export)
    assert "other users may read it" in done(*export, "--sign", code=2)
