"""The commands that write, keep and show games in EGN (egn.md)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.records.egn_files import base, match
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
    assert "EGN is for euchre with two teams of two and 24 cards, not buck" in said
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
        assert (code, "is partial and can only be shown as text" in said) == (2, True), words
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
    assert said == ("bowerbird: wrong.egn: metadata.finalScore: got 2 to 0, but the deals add up to 0 to 2\n")
    assert not (tmp_path / "egn").exists()


def test_an_unknown_id_is_one_sentence(bowerbird: Bowerbird) -> None:
    code, _, said = command(bowerbird, "replay", "egn/0123456789abcdef")
    assert (code, said.count("\n")) == (2, 1)
    assert "there is no game egn/0123456789abcdef" in said


def test_each_game_of_a_match_is_kept_and_replayed(bowerbird: Bowerbird, tmp_path: Path) -> None:
    written(tmp_path, "finals.emn", match())
    code, shown, said = command(bowerbird, "import", "finals.emn", "--json")
    found = json.loads(shown)
    assert (code, [game["partial"] for game in found], len({game["game"] for game in found})) == (0, ["", ""], 2), said
    assert "Eve" in command(bowerbird, "replay", found[1]["game"])[1]
    for word, why in (("replay", "finals.emn is a match: import it with"), ("verify", "it is never verified")):
        code, _, said = command(bowerbird, word, "finals.emn")
        assert (code, why in said) == (2, True), said


def test_a_match_with_a_faulty_game_is_refused_and_nothing_is_kept(bowerbird: Bowerbird, tmp_path: Path) -> None:
    document = match()
    document["games"][1]["gameData"]["metadata"]["finalScore"] = [2, 0]
    written(tmp_path, "finals.emn", document)
    code, _, said = command(bowerbird, "import", "finals.emn")
    assert (code, "finals.emn: games[1].gameData: metadata.finalScore: got 2 to 0" in said) == (2, True), said
    assert not (tmp_path / "egn").exists()


def test_a_file_with_another_ending_is_named_for_what_it_is(bowerbird: Bowerbird, tmp_path: Path) -> None:
    written(tmp_path, "game.json", base())
    written(tmp_path, "match.json", match())
    written(tmp_path, "match.egn", match())
    written(tmp_path, "game.emn", base())
    written(tmp_path, "other.json", {"fileType": "Chess"})
    for name, why in (
        ("game.json", "game.json is a game in EGN: end its name in .egn"),
        ("match.json", "match.json is a match in EMN: end its name in .emn"),
        ("match.egn", "match.egn: this is an EGN match: end its name in .emn"),
        ("game.emn", "game.emn: this is a single game in EGN, not a match: end its name in .egn"),
        ("other.json", "other.json is JSON"),
    ):
        code, _, said = command(bowerbird, "import", name)
        assert (code, " ".join(said.split()).count(why)) == (2, 1), said


def test_a_run_goes_out_as_a_match_and_its_games_come_back(bowerbird: Bowerbird, tmp_path: Path) -> None:
    run = store_run(tmp_path / "games.db", variants=("euchre", "buck"))
    code, _, said = command(bowerbird, "export", run, "--format", "emn", "-o", "run.emn")
    assert code == 0, said
    assert "EGN is for euchre with two teams of two and 24 cards, not buck" in said
    games = json.loads((tmp_path / "run.emn").read_text())["games"]
    code, shown, said = command(bowerbird, "import", "run.emn", "--json")
    assert (code, [game["partial"] for game in json.loads(shown)]) == (0, [""] * len(games)), said
    code, _, said = command(bowerbird, "export", f"{run}/euchre-0", "--format", "emn")
    assert (code, "a file in EMN is a match" in said) == (2, True), said
