"""`examples/verify.py` checks archives of real runs by notation.md alone, and finds damage."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import GOOD, Bowerbird
from tests.support.docs.pages import NOTATION
from tests.support.docs.parts import part
from tests.support.paths import ROOT
from tests.support.records.archives import exported as archived
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.table_players import VoidingTables
from tests.support.tournament.voided_runs import EVERY, FIRST, planned, play, voided

PROGRAM = ROOT / "examples" / "verify.py"

RUN = """
[tournament]
sets = 2
instances = "shared"
{key}
[[variant]]
name = "euchre"
[[variant]]
name = "cornish"
options = {{ pack = 50 }}
[[variant]]
name = "king-cut-throat"
"""
"""Double packs with two jokers, and games of several shuffles, beside an ordinary one."""


def verified(archive: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the program without this project: no site-packages, no folder of ours on the path."""
    return subprocess.run(
        [sys.executable, "-I", "-S", PROGRAM, archive], cwd=folder, capture_output=True, text=True, check=False
    )


def exported(bowerbird: Bowerbird, key: str, *more: str) -> Path:
    """Play a run with this key in its file and export it."""
    bots = [bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest")]
    file = bowerbird.tournament(RUN.format(key=key), *bots)
    bowerbird.done("tournament", file, "--db", "x.db", "--quiet", *more)
    archive = bowerbird.folder / "run.tar.gz"
    bowerbird.done("export", "cup", "--db", "x.db", "-o", archive)
    return archive


def files(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        found = {}
        for member in tar:
            held = tar.extractfile(member)
            assert held is not None
            found[member.name] = held.read()
        return found


def packed(archive: Path, texts: dict[str, bytes]) -> None:
    with gzip.open(archive, "wb") as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))


def with_digest(text: bytes) -> bytes:
    """Return a changed file with a digest that is right."""
    body = text.rpartition(b"[integrity]\n")[0]
    return body + f'[integrity]\nsha256 = "{hashlib.sha256(body).hexdigest()}"\n'.encode()


@pytest.mark.parametrize(
    "key",
    [
        "",
        pytest.param('packs = "own"', marks=pytest.mark.long),
        'packs = "common"',
    ],
)
def test_a_run_is_verified_from_the_description(bowerbird: Bowerbird, key: str) -> None:
    archive = exported(bowerbird, f'seed = "verified"\n{key}')
    finished = verified(archive, bowerbird.folder)
    assert finished.returncode == 0, finished.stderr + finished.stdout
    run = tomllib.loads(files(archive)["run.toml"].decode())
    packs = sum(text.count(b"packs = [") for name, text in files(archive).items() if name.startswith("games/"))
    first, last = finished.stdout.splitlines()
    games, shuffles = map(int, re.findall(r"\d+", first))
    assert games == run["games"]
    assert shuffles > packs, "king-cut-throat shuffles a part of its pack again in some hands"
    assert last == run["commitment"]


@pytest.mark.long
@pytest.mark.usefixtures("processes")
def test_a_run_with_a_beacon_is_verified(bowerbird: Bowerbird) -> None:
    bots = [bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest")]
    bowerbird.done("tournament", bowerbird.tournament(RUN.format(key='beacon = ""'), *bots), "--db", "x.db")
    archive = exported(bowerbird, 'beacon = "7 11 23 42 é"', "--resume")
    assert "beacon" in tomllib.loads(files(archive)["run.toml"].decode())
    finished = verified(archive, bowerbird.folder)
    assert finished.returncode == 0, finished.stderr + finished.stdout


@pytest.mark.usefixtures("processes")
def test_a_run_with_voids_is_verified(tmp_path: Path) -> None:
    """One set counts in its third attempt, one was left out (faults.md, Voids)."""
    yard = Yard(tmp_path)
    yard.bot("alpha")
    plan = planned(yard)
    void = voided(plan, FIRST, *EVERY) | voided(plan, "euchre-0/alpha+last/1", 0, 1)
    with Store.create(tmp_path / "x.db") as store:
        play(plan, store, VoidingTables(plan.file.bots, void))
    archive = archived(tmp_path / "x.db", plan.header.fingerprint)
    finished = verified(archive, tmp_path)
    assert finished.returncode == 0, finished.stderr + finished.stdout
    assert finished.stdout.startswith("14 games")


def game_of(texts: dict[str, bytes]) -> str:
    return next(name for name in texts if name.startswith("games/euchre"))


def swap_cards(texts: dict[str, bytes]) -> None:
    """Exchange the first two cards of a pack."""
    name = game_of(texts)
    texts[name] = with_digest(re.sub(rb'(packs = \[")(\S\S) (\S\S)', rb"\1\3 \2", texts[name], count=1))


def move_dealer(texts: dict[str, bytes]) -> None:
    name = game_of(texts)
    dealer = int(re.search(rb"first_dealer = (\d)", texts[name])[1])  # type: ignore[index]  # every record has it
    changed = f"first_dealer = {(dealer + 1) % 4}".encode()
    texts[name] = with_digest(re.sub(rb"first_dealer = \d", changed, texts[name]))


def change_text(texts: dict[str, bytes]) -> None:
    name = game_of(texts)
    texts[name] = texts[name].replace(b'version = "1.0"', b'version = "1.1"', 1)


def leave_out_blank_line(texts: dict[str, bytes]) -> None:
    """The blank line before [integrity] counts."""
    name = game_of(texts)
    texts[name] = texts[name].replace(b"\n\n[integrity]", b"\n[integrity]")


def other_seed(texts: dict[str, bytes]) -> None:
    texts["run.toml"] = with_digest(re.sub(rb'seed = "..', b'seed = "00', texts["run.toml"].replace(b'"00', b'"11')))


def commit_to_hex(texts: dict[str, bytes]) -> None:
    """The commitment is to the raw bytes, not to their hex digits."""
    run = tomllib.loads(texts["run.toml"].decode())
    other = f"sha256:{hashlib.sha256(run['seed'].encode()).hexdigest()}"
    texts["run.toml"] = with_digest(texts["run.toml"].replace(run["commitment"].encode(), other.encode()))


def other_config(texts: dict[str, bytes]) -> None:
    texts["config.toml"] += b"\n"


def leave_out_game(texts: dict[str, bytes]) -> None:
    del texts[game_of(texts)]


def hide_seed(texts: dict[str, bytes]) -> None:
    texts["run.toml"] = with_digest(re.sub(rb'^seed = ".*"\n', b"", texts["run.toml"], flags=re.MULTILINE))


@pytest.mark.usefixtures("processes")
def test_whatever_is_changed_is_found(bowerbird: Bowerbird) -> None:
    archive = exported(bowerbird, "")
    damages: dict[Callable[[dict[str, bytes]], None], str] = {
        swap_cards: "hand 0, shuffle 0",
        move_dealer: "the first dealer",
        change_text: "the digest of games/euchre",
        leave_out_blank_line: "the digest of games/euchre",
        other_seed: "the commitment to the seed",
        commit_to_hex: "the commitment to the seed",
        other_config: "the digest of config.toml",
        leave_out_game: "the number of games",
        hide_seed: "the seed is not published yet",
    }
    whole = files(archive)
    for damage, found in damages.items():
        texts = dict(whole)
        damage(texts)
        assert texts != whole, damage
        packed(archive, texts)
        finished = verified(archive, bowerbird.folder)
        assert finished.returncode == 1, damage
        assert found in finished.stderr, damage


def test_the_program_uses_nothing_of_this_project() -> None:
    modules = set(re.findall(r"^(?:import|from) (\w+)", PROGRAM.read_text(encoding="utf-8"), re.MULTILINE))
    assert modules <= set(sys.stdlib_module_names)


def keys_of(text: str) -> dict[str, list[str]]:
    """Return the keys of each kind of table in a record, in order."""
    keys: dict[str, list[str]] = {"": []}
    title = ""
    for line in text.splitlines():
        if line.startswith("["):
            title = line
            keys.setdefault(title, [])
        elif line and (key := line.partition(" = ")[0]) not in keys[title]:
            keys[title].append(key)
    return keys


def test_keys_of_the_example_are_those_of_a_real_record(bowerbird: Bowerbird) -> None:
    """With a fault; the games of this run end by it, and so their last hand has no scores."""
    file = bowerbird.tournament(GOOD, bowerbird.bot("one", "illegal", "0", "--every"), bowerbird.bot("two", "honest"))
    bowerbird("tournament", file, "--db", "x.db", "--quiet")
    bowerbird.done("export", "cup", "--db", "x.db", "-o", "run.tar.gz")
    text = next(text for text in files(bowerbird.folder / "run.tar.gz").values() if b"[[fault]]" in text).decode()
    example, real = keys_of(part(NOTATION, "record").strip("`").removeprefix("toml\n")), keys_of(text)
    if "scores" not in real["[[hand]]"]:
        example["[[hand]]"].remove("scores")
    if "measures" in real["[conditions]"]:  # where bots can be frozen
        example["[conditions]"].append("measures")
    assert list(example) == list(real)
    assert example == real
