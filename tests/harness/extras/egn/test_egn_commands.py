"""The commands that write, keep and show games in EGN (egn.md)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.records.egn_files import base
from tests.support.records.stored_runs import store_run


def written(folder: Path, name: str, document: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def command(bowerbird: Bowerbird, *words: str) -> tuple[int, str, str]:
    finished = bowerbird.run(COMMAND, *words, "--db", "games.db")
    return finished.returncode, finished.stdout, finished.stderr


def test_a_run_goes_out_as_egn_and_each_game_comes_back(bowerbird: Bowerbird, tmp_path: Path) -> None:
    run = store_run(tmp_path / "games.db", variants=("euchre", "buck"))
    code, _, said = command(bowerbird, "export", run, "--format", "egn", "-o", "out")
    assert code == 0, said
    assert "EGN holds euchre with two teams of two and 24 cards, not buck" in said
    files = sorted((tmp_path / "out").iterdir())
    assert files
    code, shown, said = command(bowerbird, "import", *(f"out/{file.name}" for file in files))
    assert (code, shown.count("whole")) == (0, len(files)), said
    name = shown.splitlines()[0].split("game ")[1].split(",")[0]
    assert "won by seat" in command(bowerbird, "replay", name)[1]
    assert command(bowerbird, "replay", name, "-o", "game.html")[0] == 0
    assert (tmp_path / "game.html").stat().st_size > 0


def test_a_partial_game_is_kept_and_shown_and_nothing_rates_or_verifies_it(
    bowerbird: Bowerbird, tmp_path: Path
) -> None:
    document = base()
    del document["deals"][0]["initialState"]["playerCards"]
    del document["deals"][0]["phases"][0]["discard"]
    written(tmp_path, "club.egn", document)
    code, shown, _ = command(bowerbird, "import", "club.egn", "--json")
    (found,) = json.loads(shown)
    assert (code, found["new"], found["partial"]) == (0, 1, "deal 0: not every hand is known")
    assert (tmp_path / f"{found['game']}.egn").read_bytes() == (tmp_path / "club.egn").read_bytes()
    assert json.loads(command(bowerbird, "import", "club.egn", "--json")[1])[0]["known"] == 1
    assert "won by 1" in command(bowerbird, "replay", found["game"])[1]
    for words in (["--step"], ["--json"], ["--seat", "1"], ["-o", "game.html"]):
        code, _, said = command(bowerbird, "replay", found["game"], *words)
        assert (code, "is partial and is shown as text alone" in said) == (2, True), words
    code, _, said = command(bowerbird, "verify", found["game"])
    assert (code, "it is never verified" in said) == (2, True)
    assert command(bowerbird, "matches")[1].count("egn/") == 0
    assert "nothing to verify" in command(bowerbird, "verify")[2]


def test_a_file_that_contradicts_itself_is_refused_and_nothing_is_kept(bowerbird: Bowerbird, tmp_path: Path) -> None:
    document = base()
    document["metadata"]["finalScore"] = [2, 0]
    written(tmp_path, "wrong.egn", document)
    code, _, said = command(bowerbird, "import", "wrong.egn")
    assert code == 2
    assert said == ("bowerbird: wrong.egn: metadata.finalScore: is 2 to 0, and the deals add up to 0 to 2\n")
    assert not (tmp_path / "egn").exists()


def test_an_unknown_id_is_one_sentence(bowerbird: Bowerbird) -> None:
    code, _, said = command(bowerbird, "replay", "egn/0123456789abcdef")
    assert (code, said.count("\n")) == (2, 1)
    assert "there is no game egn/0123456789abcdef" in said
