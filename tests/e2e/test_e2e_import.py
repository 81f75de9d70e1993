"""Moves runs and records from one database to another (commands.md, `bowerbird export` and `bowerbird import`)."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing

from tests.support.command.bowerbird_command import Bowerbird


def _run_and_game(played: Bowerbird) -> tuple[str, str]:
    with closing(sqlite3.connect(played.folder / "x.db")) as database:
        run, game = database.execute("SELECT run, id FROM game ORDER BY id").fetchone()
    return run, game


def test_run_moves_to_another_database_and_says_the_same_there(played: Bowerbird) -> None:
    run, game = _run_and_game(played)
    unsigned = "--no-sign"  # a signature holds the time at which it was made
    played.done("export", "good", "-o", "run.tar.gz", "--db", "x.db", unsigned)
    assert "no differences" in played.done("verify", "run.tar.gz")
    assert f"run {run}, 2 new games" in played.done("import", "run.tar.gz", "--db", "new/y.db")
    assert played.done("export", game, "--db", "x.db") == played.done("export", game, "--db", "new/y.db")
    here, there = (played.json("standings", "--db", db) for db in ("x.db", "new/y.db"))
    for standings in (here, there):
        del standings["signed_by"], standings["trusted"]  # it was played here, and imported there
    assert here == there
    played.done("export", run, "-o", "again.tar.gz", "--db", "new/y.db", unsigned)
    assert (played.folder / "again.tar.gz").read_bytes() == (played.folder / "run.tar.gz").read_bytes()
    assert "2 already stored" in played.done("import", "run.tar.gz", "--db", "new/y.db")


def test_single_record_is_imported_and_exported_the_same(played: Bowerbird) -> None:
    _, game = _run_and_game(played)
    text = played.done("export", game, "--db", "x.db")
    (played.folder / "game.toml").write_text(text, encoding="utf-8")
    assert played.json("import", "game.toml", "--db", "y.db")[0]["new"] == 1
    assert played.done("export", game, "--db", "y.db") == text
    assert played.done("replay", game, "--db", "y.db") == played.done("replay", game, "--db", "x.db")
    assert "1 single record" in played.done("verify", "--db", "y.db")


def test_a_refused_record_is_named_with_its_archive_game_and_line(played: Bowerbird) -> None:
    run, game = _run_and_game(played)
    with closing(sqlite3.connect(played.folder / "x.db")) as database, database:
        database.execute("UPDATE game SET record = replace(record, 'rules = ', 'rule = ') WHERE id = ?", [game])
    played.done("export", run, "-o", "run.tar.gz", "--db", "x.db")
    sentence = f"run.tar.gz: game {game}: line 4: unknown key 'rule', did you mean 'rules'?"
    assert played.refused("import", "run.tar.gz", "--db", "y.db").startswith(f"bowerbird: {sentence}")
    verified = played("verify", "run.tar.gz")
    assert verified.returncode == 1
    assert verified.stdout.startswith(sentence)
    assert not verified.stderr


def test_what_cannot_be_imported_is_said_in_one_sentence(played: Bowerbird) -> None:
    run, game = _run_and_game(played)
    played.done("export", run, "-o", "run.tar.gz", "--db", "x.db")
    whole = (played.folder / "run.tar.gz").read_bytes()
    (played.folder / "half.tar.gz").write_bytes(whole[: len(whole) // 2])
    assert "damaged" in played.refused("import", "half.tar.gz", "--db", "y.db")
    assert "damaged" in played.refused("verify", "half.tar.gz")
    (played.folder / "no.tar.gz").write_bytes(gzip.compress(b"something else"))
    assert "not an archive of a run" in played.refused("import", "no.tar.gz", "--db", "y.db")
    (played.folder / "no.toml").write_text("[tournament]\n", encoding="utf-8")
    assert "line 1" in played.refused("import", "no.toml", "--db", "y.db")
    played.refused("import", "missing.toml", "--db", "y.db")
    assert "-o" in played.refused("export", run, "--db", "x.db")
    assert "archive" in played.refused("export", run, "--json", "-o", "run.json", "--db", "x.db")
    changed = played.done("export", game, "--db", "x.db").replace("rules = ", "rule = ")
    (played.folder / "changed.toml").write_text(changed, encoding="utf-8")
    assert "did you mean 'rules'?" in played.refused("import", "changed.toml", "--db", "x.db")
    assert json.loads(played.done("verify", "--db", "x.db", "--json"))["verified"]
