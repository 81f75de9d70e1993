"""`examples/verify.mjs` verifies real tournaments by the page alone, and names what is wrong with a changed one."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.extras.signatures.key_files import KeyFiles
from bowerbird.harness.extras.signatures.vouching import own_signer
from bowerbird.harness.records.archive.archive import write_archive
from bowerbird.harness.records.store.database import connect, transaction
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.store.tables.stories import insert_notes
from bowerbird.harness.records.values.seat_orders import seat_orders
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT
from tests.support.records.archives import exported
from tests.support.records.played_games import notes_of
from tests.support.records.tampering import Change, Members, both, edited, members_of, packed, sealed, without
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.table_players import VoidingTables
from tests.support.tournament.voided_runs import EVERY, FIRST, planned, play, voided

PROGRAM = ROOT / "examples" / "verify.mjs"
ARCHIVES = ROOT / "tests" / "fixtures" / "archives"
BOTS = '[[bot]]\npath = "greedy"\n[[bot]]\npath = "random"\n'
EVERY_VARIANT = "".join(f'[[variant]]\nname = "{name}"\n' for name in variant_names())
ODD = """
[[variant]]
name = "king-cut-throat"
[[variant]]
name = "king-cut-throat"
options = { players = 2 }
[[variant]]
name = "king-cut-throat"
options = { joker_flip = "h", showdown_lead = "mediator_chooses" }
[[variant]]
name = "cornish"
options = { pack = 50 }
[[variant]]
name = "dirty-clubs"
options = { players = 6 }
[[variant]]
name = "dirty-clubs"
options = { players = 8 }
[[variant]]
name = "euchre"
options = { deck = 32, lone_lead = "left_of_lone", lone_euchre_points = 4, stick_dealer = true }
[[variant]]
name = "buck"
lineup = "one-vs-rest"
"""
"""Packs, shuffles and seats that no variant has by default."""

SMALL = """
[tournament]
sets = 2
seed = "tampered"
max_hands = 6
[[variant]]
name = "euchre"
[[variant]]
name = "buck"
"""

pytestmark = [pytest.mark.toolchain("node"), pytest.mark.usefixtures("processes")]


def verified(*arguments: Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program, with an environment that holds nothing of this project."""
    return subprocess.run(
        ["node", PROGRAM, *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def report(*arguments: Path) -> dict[str, str]:
    """Verify an archive, which must be right. Return what the program says, by kind of check."""
    done = verified(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return {line[:13].strip(): line[13:] for line in done.stdout.splitlines()}


def refusal(archive: Path, *more: Path) -> str:
    """Verify an archive, which must be refused. Return the sentence."""
    done = verified(archive, *more)
    assert done.returncode == 1, f"it was not refused: {done.stdout}{done.stderr}"
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


def entered(command: Bowerbird, text: str, name: str = "cup") -> Path:
    path = command.folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def archived(command: Bowerbird, text: str) -> Path:
    """Play a tournament and export it."""
    command.done("tournament", entered(command, text), "--db", "x.db", "--quiet")
    command.done("export", "cup", "--db", "x.db", "-o", "run.tar.gz", "--no-sign")
    return command.folder / "run.tar.gz"


def counts(sentence: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", sentence)]


@pytest.mark.long
@pytest.mark.parametrize("seed", ['seed = "every variant"', pytest.param("", id="drawn")])
def test_a_tournament_of_every_variant_is_verified(bowerbird: Bowerbird, seed: str) -> None:
    head = f"[tournament]\nsets = 1\nmax_hands = 2\n{seed}\n"
    said = report(archived(bowerbird, head + EVERY_VARIANT + BOTS))
    [run] = bowerbird.json("runs", "--db", "x.db")
    assert counts(said["dealers"]) == [run["games"]]
    assert counts(said["scores"])[0] == 2, "the two games of euchre are played out"
    assert said["seed"] == "fits the commitment"
    assert said["commitment"].startswith(run["commitment"])


@pytest.mark.long
@pytest.mark.parametrize("unit", ["games", "deals"])
def test_own_packs_and_odd_packs_seats_and_shuffles_are_verified(bowerbird: Bowerbird, unit: str) -> None:
    """With redeals and showdowns, which are further shuffles of a hand."""
    text = f'[tournament]\npacks = "own"\nsets = 6\nunit = "{unit}"\nseed = "odd"\n'
    if unit == "games":
        text += "max_hands = 3\n"
    archive = archived(bowerbird, text + ODD + BOTS)
    shuffles, hands, _ = counts(report(archive)["packs"])
    assert shuffles > hands, "a hand of king-cut-throat has further shuffles"
    lengths = {
        tuple(len(pack.split()) for pack in re.findall('"([^"]*)"', line))
        for name, data in members_of(archive).items()
        if "/king-cut-throat" in name
        for line in re.findall("^packs = .*$", data.decode(), re.MULTILINE)
    }
    wanted = {(33, 12), (33, 33)} if unit == "games" else {(33, 12)}
    assert wanted <= lengths, f"the seed deals no showdown or no redeal: {lengths}"


@pytest.mark.long
def test_mixed_partners_and_a_beacon_are_verified(bowerbird: Bowerbird) -> None:
    """Before the beacon is known nothing but the promise can be verified."""
    bots = "".join(f'[[bot]]\npath = "random"\nname = "r{number}"\n' for number in range(4))
    text = (
        '[tournament]\nsets = 1\nmax_hands = 2\nbeacon = "{}"\n[[variant]]\nname = "euchre"\nlineup = "mixed"\n' + bots
    )
    bowerbird.done("tournament", entered(bowerbird, text.format("")), "--db", "x.db", "--quiet")
    bowerbird.done("export", "cup", "--db", "x.db", "-o", "promise.tar.gz", "--no-sign")
    promise = report(bowerbird.folder / "promise.tar.gz")
    assert promise["seed"].startswith("still secret")
    file = entered(bowerbird, text.format("7 11 23 42 é"))
    bowerbird.done("tournament", file, "--resume", "--db", "x.db", "--quiet")
    bowerbird.done("export", "cup", "--db", "x.db", "-o", "run.tar.gz", "--no-sign")
    said = report(bowerbird.folder / "run.tar.gz")
    assert said["seed"] == 'fits the commitment; beacon "7 11 23 42 é"'
    assert said["commitment"] == promise["commitment"]
    other = edited("run.toml", "7 11 23 42", "7 11 23 43")(members_of(bowerbird.folder / "run.tar.gz"))
    assert "seed gives" in refusal(packed(bowerbird.folder / "other.tar.gz", other))


FAULTS = """
[tournament]
sets = 2
seed = "faults"
max_hands = 3
max_restarts = 1
[[variant]]
name = "euchre"
[[variant]]
name = "euchre"
on_fault = "substitute"
[[variant]]
name = "three-handed"
"""


def test_faults_stories_and_withdrawn_bots_are_verified(bowerbird: Bowerbird) -> None:
    bots = (
        bowerbird.bot("one", "honest"),
        bowerbird.bot("two", "honest"),
        bowerbird.bot("bad", "killed", "2", "--every"),
    )
    bowerbird.done("tournament", bowerbird.tournament(FAULTS, *bots), "--db", "x.db", "--quiet")
    bowerbird.done("export", "cup", "--db", "x.db", "-o", "run.tar.gz", "--no-sign")
    archive = bowerbird.folder / "run.tar.gz"
    texts = b"".join(members_of(archive).values())
    missing = [ended for ended in ("forfeit", "withdrawn", "limit") if f'ended = "{ended}"'.encode() not in texts]
    assert not missing, f"no game ended by {missing}"
    said = report(archive)
    assert counts(said["digests"])[-1] > 0, "there are stories"
    other = edited(r"stories\.toml", '^bot = "bad"', 'bot = "one"')(members_of(archive))
    assert 'bot "one" is not at seat' in refusal(packed(bowerbird.folder / "bot.tar.gz", other))
    gone = without(r"stories\.toml")(members_of(archive))
    assert "stories, and 0 are there" in refusal(packed(bowerbird.folder / "gone.tar.gz", gone))
    forfeit = edited(
        r"euchre-0/.*\d\.toml", r'^ended = "forfeit"\nwinners = \[(0|1), (2|3)\]', 'ended = "forfeit"\nwinners = []'
    )
    assert "the result has winners []" in refusal(packed(bowerbird.folder / "won.tar.gz", forfeit(members_of(archive))))


@pytest.mark.parametrize("packs", ["common", "own"])
def test_sets_that_were_played_again_are_verified(tmp_path: Path, packs: str) -> None:
    """One set counts in its third attempt, one was left out (faults.md, Voids)."""
    yard = Yard(tmp_path)
    yard.bot("alpha")
    plan = planned(yard, "sets = 3", f'packs = "{packs}"')
    void = voided(plan, FIRST, *EVERY) | voided(plan, "euchre-0/alpha+last/1", 0, 1)
    with Store.create(tmp_path / "x.db") as store:
        play(plan, store, VoidingTables(plan.file.bots, void))
    archive = exported(tmp_path / "x.db", plan.header.fingerprint)
    assert counts(report(archive)["packs"])[-1] == 2
    forgotten = edited("run.toml", r"^\[\[void\]\]\nentry = \"euchre-0\"(\n.+)+\n\n", "")(members_of(archive))
    assert re.search("seed gives", refusal(packed(tmp_path / "forgotten.tar.gz", forgotten)))


def test_a_corrected_run_is_verified(bowerbird: Bowerbird) -> None:
    """The games that a correction voided stay in the archive, and those that count come from another seed."""
    archive, again = archived(bowerbird, SMALL + BOTS), bowerbird.folder / "again.tar.gz"
    games = len(members_of(archive))
    bowerbird.done("void", "cup", "euchre-0/greedy+random/1", "--why", "the disk was full", "--yes", "--db", "x.db")
    bowerbird.done("export", "cup", "--db", "x.db", "-o", "open.tar.gz", "--no-sign")
    assert "2 of them voided" in report(bowerbird.folder / "open.tar.gz")["ids"]
    bowerbird.done("runs", "resume", "cup", "--db", "x.db", "--quiet")
    bowerbird.done("export", "cup", "--db", "x.db", "-o", "again.tar.gz", "--no-sign")
    members = members_of(again)
    assert len(members) == games + 2
    said = report(again)
    assert counts(said["packs"])[-1] == 2
    assert counts(said["dealers"]) == [14]
    seed = re.findall('^seed = ".*"$', members["run.toml"].decode(), re.MULTILINE)
    assert len(seed) == 2, "the seed of the correction is published"
    changes: dict[str, Change] = {
        "the seed of correction 1 is not the committed one": edited("run.toml", seed[1], f'seed = "{"0" * 64}"'),
        "its commitment is not that of correction 1": exchanged("games/euchre-0/.*/1-0", "voided/1/.*/1-0"),
        "it says 2 games voided by correction 1, and 0 are there": without("voided/"),
    }
    for sentence, change in changes.items():
        assert sentence in refusal(packed(bowerbird.folder / "changed.tar.gz", change(members)))


@pytest.mark.parametrize("archive", sorted(ARCHIVES.glob("*.tar.gz")), ids=lambda path: path.name)
def test_archives_of_earlier_versions_are_verified(archive: Path) -> None:
    assert counts(report(archive)["dealers"])[0] > 0


def test_orders_of_every_table_are_those_of_the_page() -> None:
    """The page says how the orders of a table free for all are made; the program makes them so (notation.md)."""
    orders = "console.log(JSON.stringify([2, 3, 4, 5, 6, 7, 8, 9, 10].map(ordersOf)))"
    script = f"import {{ ordersOf }} from {json.dumps(str(PROGRAM))}; {orders}"
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[list(order) for order in seat_orders(seats)] for seats in range(2, 11)]


def test_it_uses_nothing_but_the_standard_library() -> None:
    imported = re.findall(r'^import .* from "(.*)";$', PROGRAM.read_text(encoding="utf-8"), re.MULTILINE)
    assert imported
    assert all(name.startswith("node:") for name in imported)


# Changed archives.


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with the archive `run.tar.gz`, with `signed.tar.gz`, signed, and with `game.json`, a game."""
    command = Bowerbird(tmp_path_factory.mktemp("verified"))
    archived(command, SMALL + BOTS)
    game = command.json("matches", "--db", "x.db")[0]["id"]
    command.done("export", game, "--db", "x.db", "--format", "json", "-o", "game.json")
    with Store.open(command.folder / "x.db") as store:
        signer = own_signer(KeyFiles(command.folder / "keys"))
        write_archive(store[store.run().fingerprint], command.folder / "signed.tar.gz", sign=signer.sign)
    yield command.folder
    assert not command.wait_until_gone()


EUCHRE = r"euchre-0/.*0-0\.toml"


def swapped_packs(members: Members) -> Members:
    """Exchange the packs of the first two hands of a game."""
    [name] = [name for name in members if re.search(EUCHRE, name)]
    text = members[name].decode()
    first, second = re.findall("^packs = .*$", text, re.MULTILINE)[:2]
    return {**members, name: sealed(text.replace(first, "X").replace(second, first).replace("X", second))}


def other_dealer(members: Members) -> Members:
    """Let each hand of a game be dealt by the next seat."""
    [name] = [name for name in members if re.search(EUCHRE, name)]
    text = re.sub(
        r"^((?:first_)?dealer) = (\d)$",
        lambda found: f"{found[1]} = {(int(found[2]) + 1) % 4}",
        members[name].decode(),
        flags=re.MULTILINE,
    )
    return {**members, name: sealed(text)}


def exchanged(one: str, other: str) -> Change:
    """Return a function that exchanges the content of two files, but not their names."""

    def change(members: Members) -> Members:
        [first], [second] = ([name for name in members if re.search(pattern, name)] for pattern in (one, other))
        return {**members, first: members[second], second: members[first]}

    return change


def reordered(members: Members) -> Members:
    """Put the first deal set of euchre behind the others."""
    last = {name: data for name, data in members.items() if re.search(r"euchre-0/.*/0-\d\.toml", name)}
    return {**{name: data for name, data in members.items() if name not in last}, **last}


def other_seed(members: Members) -> Members:
    """Publish another seed, with the commitment to it everywhere, but keep the ids."""
    commitment = "sha256:66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"  # of 32 zeros
    members = edited("run.toml", '^seed = ".*"', f'seed = "{"0" * 64}"')(members)
    return {
        name: sealed(re.sub("^commitment = .*$", f'commitment = "{commitment}"', data.decode(), flags=re.MULTILINE))
        for name, data in members.items()
    }


def added(members: Members) -> Members:
    return {**members, "games/note.txt": b"x"}


CARDS = r'^packs = \["(\S\S) (\S\S)'
CHANGES: dict[str, tuple[Change, str]] = {
    "a card of a pack": (edited(EUCHRE, CARDS, r'packs = ["\2 \1'), "pack 0 of hand 0 is not what the seed gives"),
    "a card that was played": (edited(EUCHRE, r'"(\d) play \S\S"', r'"\1 play Zz"'), "hand 0: seat . does not hold Zz"),
    "a card played out of turn": (
        edited(EUCHRE, r'("\d play \S\S"), ("\d play \S\S")', r"\2, \1"),
        "hand 0: .* is out of turn",
    ),
    "a score": (edited(EUCHRE, r"^scores = \[\d+, ", "scores = [9, "), "after hand 0 the scores are"),
    "the winners": (edited(EUCHRE, r"^winners = .*", "winners = [0]"), "the result has winners"),
    "the ranks": (edited(EUCHRE, r"^ranks = .*", "ranks = [1, 2, 3, 4]"), "the result has ranks"),
    "how it ended": (edited(EUCHRE, '^ended = "limit"', 'ended = "target"'), "the result has ended"),
    "the seed": (edited("run.toml", '^seed = "..', 'seed = "zz'), "the seed is not the committed one"),
    "seed and commitment": (other_seed, "the fingerprint is not that of name and commitment"),
    "the name of the run": (edited("run.toml", '^name = "cup"', 'name = "cap"'), "the fingerprint is not that of"),
    "a beacon": (edited("run.toml", "^(packs = .*)$", '\\1\nbeacon = "x"'), "seed gives"),
    "own packs": (edited("run.toml", '^packs = "common"', 'packs = "own"'), "seed gives"),
    "packs swapped": (swapped_packs, "pack 0 of hand 0 is not what the seed gives"),
    "another first dealer": (other_dealer, "the first dealer is seat ., and the seed gives seat ."),
    "the dealer of a hand": (edited(EUCHRE, r"^dealer = \d", "dealer = 9"), "the dealer of hand 0 is seat 9"),
    "a record is missing": (without(EUCHRE), "its deal set lacks rotations before it, or has too many"),
    "the last rotation is missing": (
        both(without(r"euchre-0/.*1-1\.toml"), edited("run.toml", "^games = 12", "games = 11")),
        "after games/.*1-0.toml the next rotation of its deal set is missing",
    ),
    "a deal set is missing": (without(r"euchre-0/.*1-\d\.toml"), "it says 12 games, and 10 are there"),
    "config.toml is missing": (without("config.toml"), "expected config.toml, found"),
    "a digest": (
        edited(EUCHRE, r'^sha256 = "[0-9a-f]{8}', 'sha256 = "00000000', seal=False),
        "the digest does not fit: the text was changed",
    ),
    "a text below an old digest": (edited(EUCHRE, r"^ms = \[\d+", "ms = [977", seal=False), "the digest does not fit"),
    "the tournament file": (edited("config.toml", "^sets = 2", "sets = 3"), "its SHA-256 is not config_sha256"),
    "options of a game": (edited(EUCHRE, "deck = 24", "deck = 28"), "its options are not those of config.toml"),
    "another rotation": (
        edited(EUCHRE, r"(\[\[seat\]\]\n(?:.+\n)+)\n(\[\[seat\]\]\n(?:.+\n)+)", r"\2\n\1"),
        "which is not rotation 0 of its line-up",
    ),
    "rotations exchanged": (exchanged(EUCHRE, r"euchre-0/.*/0-1\.toml"), "its id is"),
    "files of a bot": (edited(EUCHRE, r'^fingerprint = "sha256:..', 'fingerprint = "sha256:zz'), "is not in run.toml"),
    "the order of files": (reordered, "it is not in its order"),
    "a foreign file": (added, "it does not belong in the archive of a run"),
    "a void": (
        edited(
            "run.toml",
            r"^(\[\[cpu\]\])",
            '[[void]]\nentry = "euchre-0"\nlineup = "greedy+random"\nset = 0\nattempt = 0\nbots = ["random"]\n'
            'why = "a stall"\nsaved = "2026-01-01T00:00:00.000+00:00"\n\n\\1',
        ),
        "games/euchre-0/greedy.random/0-0.toml: .*seed gives",
    ),
    "an action of the referee": (
        edited(EUCHRE, r"^forced = \[.*\]", "forced = [99]"),
        "hand 0: forced names action 99",
    ),
    "the form of a line": (edited(EUCHRE, "^(rules) = ", r"\1  = "), "line 4 is not of the form"),
    "an unknown key": (edited(EUCHRE, "^(rules = .*)$", '\\1\nreferee = "me"'), "line 5 is not of the form"),
    "an escape": (edited(EUCHRE, '^rules = "1"', r'rules = "\\u0031"'), "line 4 is not of the form"),
}
"""What is changed, with every digest recomputed, and what is said of it."""


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_archive_is_refused_by_name(played: Path, tmp_path: Path, what: str) -> None:
    change, sentence = CHANGES[what]
    before = members_of(played / "run.tar.gz")
    after = change(before)
    assert list(after.items()) != list(before.items()), "nothing was changed"
    said = refusal(packed(tmp_path / "changed.tar.gz", after))
    assert re.search(sentence, said), said
    assert re.match(r"(run|config)\.toml|games/|\S*/changed\.tar\.gz", said), f"no file is named: {said}"


SIGNED: dict[str, tuple[Change, str]] = {
    "a time": (edited(EUCHRE, r"^ms = \[\d+", "ms = [977"), r"games/euchre-0/.*0-0\.toml: changed, added or removed"),
    "the author of a bot": (edited("run.toml", '^author = ".*"', 'author = "x"'), r"run\.toml: changed, added or remo"),
    "the signature": (
        edited("signature", '^signature = ".*"', f'signature = "{"0" * 128}"'),
        "the signature was not made with its",
    ),
    "when it was signed": (edited("signature", '^signed = "2', 'signed = "1'), "the signature was not made with its"),
    "the key": (edited("signature", '(ed25519:).*"', f'\\g<1>{"7" * 64}"'), "the signature was not made with its key"),
    "the size of blocks": (
        edited("signature", "^block_size = 1$", "block_size = 2"),
        "the signature was not made with",
    ),
    "its form": (edited("signature", "^(key = .*)$", r"\1 # x"), "it is not of the form"),
    "a file after it": (lambda members: {**members, "zz.toml": b""}, "it follows signature.toml, which is last"),
}


@pytest.mark.parametrize("what", SIGNED)
def test_a_changed_signed_archive_is_refused_by_name(played: Path, tmp_path: Path, what: str) -> None:
    change, sentence = SIGNED[what]
    said = refusal(packed(tmp_path / "changed.tar.gz", change(members_of(played / "signed.tar.gz"))))
    assert re.search(sentence, said), said


def test_an_archive_is_verified_signed_unsigned_and_unpacked(played: Path, tmp_path: Path) -> None:
    key = KeyFiles(played / "keys").own().fingerprint
    assert report(played / "run.tar.gz")["signature"] == "none"
    signed = report(played / "signed.tar.gz")
    assert signed["signature"] == f"fits; key {key}"
    for name, data in members_of(played / "signed.tar.gz").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert report(tmp_path) == signed


@pytest.mark.long
def test_notes_are_verified_and_one_of_another_seat_is_refused(bowerbird: Bowerbird) -> None:
    archived(bowerbird, SMALL + BOTS)
    database = bowerbird.folder / "x.db"
    with Store.open(database) as store:
        notes = [note for game in store.run().game_ids() for note in notes_of(store.record(game))]
    with closing(connect(database)) as connection, transaction(connection):
        insert_notes(connection, notes)
    bowerbird.done("export", "cup", "--db", "x.db", "-o", "noted.tar.gz", "--no-sign")
    archive = bowerbird.folder / "noted.tar.gz"
    signer = own_signer(KeyFiles(bowerbird.folder / "keys"))
    with Store.open(database) as store:
        write_archive(store[store.run().fingerprint], bowerbird.folder / "signed.tar.gz", sign=signer.sign)
    assert report(bowerbird.folder / "signed.tar.gz")["signature"].startswith("fits")
    assert report(archive)["digests"].endswith(f"with 0 stories and {len(notes)} notes")
    changes = {
        edited("notes", "^seat = .*$", "seat = 7"): "seat 7 did not choose action",
        edited("notes", "^action = .*$", "action = 99"): "did not choose action 99",
        edited("notes", "^text = .*$", f'text = "{"x" * 1025}"'): "is longer than is kept",
        edited("run.toml", "^notes = .*$", "notes = 1"): "it says 1 notes",
    }
    for change, sentence in changes.items():
        assert sentence in refusal(packed(bowerbird.folder / "other.tar.gz", change(members_of(archive))))


def test_the_digest_of_a_run_is_the_one_that_verify_prints(bowerbird: Bowerbird) -> None:
    """A name that a run was given later is not part of it."""
    archived(bowerbird, SMALL + BOTS)
    bowerbird.done("runs", "rename", "cup", "spring", "--db", "x.db")
    bowerbird.done("export", "spring", "--db", "x.db", "-o", "spring.tar.gz", "--no-sign")
    before, after = (report(bowerbird.folder / f"{name}.tar.gz")["run digest"] for name in ("run", "spring"))
    assert before == after
    assert before.partition(":")[0] in bowerbird.done("verify", "spring", "--db", "x.db")


def test_json_of_a_game_has_the_content_of_its_record(played: Path, tmp_path: Path) -> None:
    archive, file = played / "run.tar.gz", played / "game.json"
    assert report(archive, file)["json"].startswith("1 games")
    game = json.loads(file.read_text(encoding="utf-8"))
    changes: list[Callable[[], None]] = [
        game["hand"][0]["scores"].reverse,
        lambda: game["integrity"].update(sha256="0" * 64),
    ]
    for change in changes:
        change()
        (tmp_path / "game.json").write_text(json.dumps(game), encoding="utf-8")
        assert "game.json: it is not the content of games/" in refusal(archive, tmp_path / "game.json")


def test_what_is_no_archive_is_refused(played: Path, tmp_path: Path) -> None:
    whole = (played / "run.tar.gz").read_bytes()
    for name, data in {"cut": whole[: len(whole) // 2], "empty": b"", "text": b"no archive"}.items():
        (tmp_path / name).write_bytes(data)
        assert refusal(tmp_path / name).startswith(f"{tmp_path / name}: ")
    assert refusal(tmp_path / "absent").startswith(f"{tmp_path / 'absent'}: cannot be read")
    usage = verified()
    assert (usage.returncode, usage.stderr.startswith("usage: ")) == (2, True)
