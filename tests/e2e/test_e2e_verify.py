"""Verification finds damage and lies in records (notation.md, Record of a game; commands.md, `bowerbird verify`)."""

from __future__ import annotations

import hashlib
import re
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from bowerbird.harness.records.verify.verification import BLOCK_GAMES
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.records.damaged_runs import KINDS, damage, store_sound_run
from tests.support.records.stored_runs import store_run

INTEGRITY = "[integrity]\n"


def _stored(bowerbird: Bowerbird) -> tuple[str, str]:
    """Return the last game's id and its record."""
    with closing(sqlite3.connect(bowerbird.folder / "x.db")) as database, database:
        game, record = database.execute("SELECT id, record FROM game ORDER BY id DESC").fetchone()
    return str(game), str(record)


def _store(bowerbird: Bowerbird, game: str, record: str) -> None:
    with closing(sqlite3.connect(bowerbird.folder / "x.db")) as database, database:
        database.execute("UPDATE game SET record = ? WHERE id = ?", (record, game))


def _with_right_digest(record: str) -> str:
    """Return the record with a digest that fits its present text."""
    body, _, _ = record.partition(INTEGRITY)
    return f'{body}{INTEGRITY}sha256 = "{hashlib.sha256(body.encode()).hexdigest()}"\n'


def _first_play_made_illegal(record: str) -> tuple[str, str, int]:
    """Return the record with an illegal first card, that card's token, and the index of the action.

    The card is the one that the next player plays. It is in his hand, so nobody else can hold it.
    """
    actions = re.search(r"(?m)^actions = \[(.*)\]$", record)
    assert actions is not None
    tokens = re.findall(r'"([^"]*)"', actions.group(1))
    first = next(index for index, token in enumerate(tokens) if " play " in token)
    seat, stolen = tokens[first].split(" ")[0], tokens[first + 1].split(" ", 1)[1]
    tokens[first] = f"{seat} {stolen}"
    changed = ", ".join(f'"{token}"' for token in tokens)
    return record.replace(actions.group(1), changed, 1), stolen, first


def test_untouched_run_verifies(played: Bowerbird) -> None:
    assert "no differences" in played.done("verify", "--db", "x.db")
    said = played.json("verify", "--db", "x.db")
    assert isinstance(said, dict)
    [(run, digest)] = said.pop("digests").items()
    assert said == {"verified": True, "differences": [], "left_out": [], "beacons": {}}
    assert (len(run), len(digest)) == (10, 64), "the digest of the run is not said"


def test_one_changed_byte_is_found_and_its_game_named(played: Bowerbird) -> None:
    game, record = _stored(played)
    place = record.index('rules = "') + len('rules = "')
    _store(played, game, record[:place] + chr(ord(record[place]) ^ 1) + record[place + 1 :])
    found = played("verify", "--db", "x.db")
    assert found.returncode == 1, found.stderr
    assert game in found.stdout
    assert "Traceback" not in found.stderr


def test_every_changed_byte_of_the_measured_times_is_found_too(played: Bowerbird) -> None:
    game, record = _stored(played)
    changed = re.sub(r"(?m)^ms = \[(\d+)", lambda found: f"ms = [{int(found.group(1)) + 1}", record, count=1)
    assert changed != record
    _store(played, game, changed)
    found = played("verify", "--db", "x.db")
    assert found.returncode == 1
    assert game in found.stdout


def test_illegal_action_with_a_right_digest_is_refused(played: Bowerbird) -> None:
    game, record = _stored(played)
    changed, token, index = _first_play_made_illegal(record)
    _store(played, game, _with_right_digest(changed))
    found = played("verify", "--db", "x.db")
    assert found.returncode == 1, found.stderr
    for part in (game, "hand 0", f"action {index}", token, "legal"):
        assert part in found.stdout
    document = played("verify", "--db", "x.db", "--json")
    assert document.returncode == 1
    assert game in document.stdout


def test_record_file_with_an_illegal_action_is_refused_and_not_replayed(played: Bowerbird) -> None:
    _, record = _stored(played)
    changed, token, index = _first_play_made_illegal(record)
    file = played.folder / "changed.toml"
    file.write_text(_with_right_digest(changed), encoding="utf-8")
    found = played("verify", file)
    assert found.returncode == 1
    shown = played("replay", file)
    assert shown.returncode == 2
    for text in (found.stdout, shown.stderr):
        for part in ("hand 0", f"action {index}", token, "legal"):
            assert part in text
    assert len(shown.stderr.splitlines()) == 1


def test_exported_record_verifies_as_a_file(played: Bowerbird) -> None:
    game, _ = _stored(played)
    played.done("export", game, "--db", "x.db", "-o", "game.toml")
    played.done("verify", "game.toml")
    assert "no differences" in played.done("verify", Path("game.toml"))


def test_ratings_of_other_results_are_found(played: Bowerbird) -> None:
    with closing(sqlite3.connect(played.folder / "x.db")) as database, database:
        database.execute("UPDATE run SET rating_digest = 'sha256:' || rating_sets")
    found = played("verify", "--db", "x.db")
    assert found.returncode == 1
    assert "rating" in found.stdout


def test_database_whose_runs_were_taken_out_is_not_said_to_agree(played: Bowerbird) -> None:
    with closing(sqlite3.connect(played.folder / "x.db")) as database, database:
        database.execute("DELETE FROM run")
    found = played("verify", "--db", "x.db")
    assert found.returncode == 1
    assert "database: a row of bot refers to a row of run that is not there" in found.stdout


def test_several_processes_find_the_same_in_the_same_order(bowerbird: Bowerbird) -> None:
    store_run(bowerbird.folder / "x.db", sets=range(2))
    with closing(sqlite3.connect(bowerbird.folder / "x.db")) as database, database:
        database.execute("UPDATE seat SET rank = 9 WHERE seat = 1")
        database.execute("UPDATE game SET record = 'x' WHERE entry = 'buck-0' AND rotation = 0")
    alone = bowerbird("verify", "--db", "x.db", "--json")
    together = bowerbird("verify", "--db", "x.db", "--json", "--jobs", "2")
    assert alone.returncode == 1
    assert alone.stdout.count("column rank: 9") > BLOCK_GAMES, "there is work for two"
    assert (together.returncode, together.stdout) == (1, alone.stdout)


def test_the_workers_of_a_cluster_find_the_same_in_the_same_order(bowerbird: Bowerbird) -> None:
    store_sound_run(bowerbird.folder / "x.db")
    damage(bowerbird.folder / "x.db")
    alone = bowerbird("verify", "--db", "x.db", "--json")
    together = bowerbird("verify", "--db", "x.db", "--json", "--cluster", "local:2")
    assert [kind for kind in KINDS if kind.partition(", ")[0] not in alone.stdout] == [], "there is much to find"
    assert (together.returncode, together.stdout, together.stderr) == (1, alone.stdout, "")


def test_a_verification_is_done_here_or_on_a_cluster(played: Bowerbird) -> None:
    said = played("verify", "--db", "x.db", "--jobs", "2", "--cluster", "local:1")
    assert said.returncode == 2
    assert "--jobs is for this machine alone: leave it out with --cluster" in said.stderr
    assert "10.1.2.3" in played.refused("verify", "--db", "x.db", "--cluster", "tcp://10.1.2.3:8786")


def test_no_process_of_a_verification_outlives_it(bowerbird: Bowerbird) -> None:
    """Neither after Ctrl-C nor after kill -9; the fixture looks for leftover processes."""
    store_run(bowerbird.folder / "x.db", sets=range(4))
    for ending in (signal.SIGINT, signal.SIGKILL):
        command = bowerbird.start("verify", "--db", "x.db", "--jobs", "2")
        deadline = time.monotonic() + DEADLINE_S
        while len(bowerbird.processes()) < 3:
            assert time.monotonic() < deadline, "no worker was started"
        command.send_signal(ending)
        command.communicate(timeout=DEADLINE_S)
        assert command.returncode in (130, -signal.SIGKILL)


def test_a_game_is_verified_with_its_run_and_a_missing_folder_is_not_made(played: Bowerbird) -> None:
    game, _ = _stored(played)
    assert f"name its run: {game.partition('/')[0]}" in played.refused("verify", game, "--db", "x.db")
    for command in (("report",), ("export", game), ("replay", game)):
        said = played.refused(*command, "--db", "x.db", "-o", "nix/file")
        assert "there is no folder nix" in said
    assert not (played.folder / "nix").exists()
