"""json.md has exactly the fields that the commands print with `--json`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.extras.cluster.inspection import InspectedWorker
from bowerbird.harness.records.store.league import changing
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import Epoch
from bowerbird.harness.records.values.machines import Machine
from bowerbird.harness.tournament.record_ratings import store_record_ratings
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.docs.commands import commands
from tests.support.docs.json_shapes import read_shapes
from tests.support.docs.markdown import read_page, slug
from tests.support.league import league, league_bot
from tests.support.records.archives import exported
from tests.support.records.stored_runs import store_run

PAGE = read_page((Path(__file__).parents[2] / "docs/reference/json.md").resolve())

ELSEWHERE = {
    "demo": "prints its standings as `match` does",
    "host": "prints its standings as `tournament` does",
    'host, with beacon = ""': "prints what `tournament` does",
    "reinstate": "prints what `void` does; needs a run that withdrew a bot",
    **{
        f"league {name}": "prints what `league withdraw` does"
        for name in ("invite", "readmit", "pause", "resume", "season-end")
    },
    "cluster check": "needs a cluster; its workers are compared with their class",
}
"""Commands that are not run here, with the reason."""

Printed = Callable[..., object]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Return a function that runs a command in this process and returns the document it prints."""

    def printed(words: Sequence[str], *options: str) -> object:
        capsys.readouterr()
        code = run([*words, "--json", *options])
        said = capsys.readouterr()
        assert code in (0, 1), f"bowerbird {' '.join(words)}: {said.err}"
        document: object = json.loads(said.out)
        return document

    return printed


def test_every_command_with_json_is_on_the_page() -> None:
    named = {re.split(" --|,", words)[0].rstrip(" ABCDEFGHIJKLMNOPQRSTUVWXYZ") for words in read_shapes().printed}
    assert named == {
        name for name, command in commands().items() if any(one.name == "as_json" for one in command.params)
    }


def test_every_link_names_a_shape_and_every_shape_is_named() -> None:
    shapes = read_shapes()
    for name, anchor in shapes.references():
        assert name in shapes.shapes, f"there is no shape {name!r}"
        assert anchor == slug(name)
    assert {name for name, _ in shapes.references()} == set(shapes.shapes)


def test_a_field_that_is_unknown_missing_or_of_another_type_is_found() -> None:
    shapes = read_shapes()
    new_bot = {"folder": "a", "manifest": "b", "language": "go"}
    assert not list(shapes.wrong(new_bot, "[new bot](#new-bot)"))
    assert list(shapes.wrong({**new_bot, "more": 1}, "[new bot](#new-bot)"))
    assert list(shapes.wrong({**new_bot, "folder": 1}, "[new bot](#new-bot)"))
    assert list(shapes.wrong({"folder": "a", "manifest": "b"}, "[new bot](#new-bot)"))
    assert list(shapes.wrong([new_bot, None], "list of [new bot](#new-bot)"))


@pytest.mark.usefixtures("processes")
def test_fields_are_those_of_stored_runs(printed: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that play nothing, on runs with faults, several variants, and all that an import brings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    path = tmp_path / "x.db"
    first = store_run(path, variants=("euchre", "buck"), faulty={0}, machine=Machine("Frobnicator 3000", 150_000))
    with Store.open(path) as store:
        assert store_record_ratings(store[first])
        [game] = [one.id for one in store[first].games() if one.faults][:1]
    with changing(path, "autumn") as change:
        change.put_league(league())
        change.put_bot(league_bot("ann"))
        change.put_bot(league_bot("ann-2", "ann", 2))
        change.put_epoch(Epoch(1, first, "2026-11-26T12:00:00", None))
        change.tell("ann enters", "ann")
    other = store_run(tmp_path / "other.db", variants=("buck",), name="winter")
    exported(tmp_path / "other.db", other)
    db = ("--db", str(path))
    (tmp_path / "beacon.toml").write_text(
        '[tournament]\nbeacon = ""\n[[variant]]\nname = "buck"\n[[bot]]\npath = "greedy"\n[[bot]]\npath = "random"\n',
        encoding="utf-8",
    )
    (tmp_path / "outside.csv").write_text(
        "white,black,result\na,b,1-0\nb,a,1-0\na,c,1-0\nc,b,1/2-1/2\nb,c,1-0\nc,a,1-0\n", encoding="utf-8"
    )
    cases: dict[str, tuple[Sequence[str], Sequence[str]]] = {
        "variants": (["variants"], ()),
        "variants NAME": (["variants", "buck"], ()),
        "variants NAME --numbers": (["variants", "buck", "--numbers"], ()),
        "import": (["import", "run.tar.gz"], db),
        "league list": (["league", "list"], db),
        "standings RUN": (["standings", first], db),
        "standings RUN RUN": (["standings", first, other], db),
        "standings --between": (["standings", first, "--between", "ann", "bob"], db),
        "standings --explain": (["standings", "--explain"], ()),
        "analyse": (["analyse", other, "--worlds", "4"], ("--db", str(tmp_path / "other.db"))),
        "analyse --compare": (
            ["analyse", other, "--worlds", "4", "--compare", "ann", "bob"],
            ("--db", str(tmp_path / "other.db")),
        ),
        "rate FILE": (["rate", "outside.csv", "--sprt", "a", "b"], ()),
        "rate --penta": (["rate", "--penta", "3,5,6,6,7"], ()),
        "runs": (["runs"], db),
        "matches": (["matches", first], db),
        "matches --faults": (["matches", first, "--faults"], db),
        "replay": (["replay", game], db),
        "ask --hand, without --step": (["ask", game, "greedy", "--hand", "0"], db),
        "export": (["export", game], db),
        "verify": (["verify", first], db),
        "report": (["report", first, "-o", "r.html", "--replays", "1"], db),
        "league withdraw": (["league", "withdraw", "ann-2"], db),
        "runs rename": (["runs", "rename", other, "spring"], db),
        "runs delete": (["runs", "delete", other, "--yes", "--vacuum"], db),
        "new-bot": (["new-bot", "mine", "--lang", "python"], ()),
        "new-tournament": (["new-tournament", "autumn.toml"], ()),
        "tournament --dry-run": (["tournament", "autumn.toml", "--dry-run"], ()),
        'tournament, with beacon = ""': (["tournament", "beacon.toml"], db),
        "keys export": (["keys", "export"], ()),
        "keys show": (["keys", "show"], ()),
        "cluster certificates": (["cluster", "certificates", "certificates"], ()),
        "docs": (["docs"], ()),
        "docs PAGE": (["docs", "json"], ()),
    }
    shapes = read_shapes()
    wrong = []
    for command, (words, options) in cases.items():
        document = printed(words, *options)
        wrong += [f"{command}: {one}" for one in shapes.wrong(document, shapes.printed[command])]
    assert not wrong, "\n".join(wrong)
    assert set(cases) == set(shapes.printed) - set(ELSEWHERE) - set(PLAYING) - set(OF_KEYS)


OF_KEYS = ("keys trust", "keys revoke")
PLAYING = (
    *("tournament", "match", "test", "runs resume", "check-bot", "transcript", "play-transcript", "ask"),
    *("void", "withdraw", "matches --voided", "benchmark", "ask, with a file of positions"),
)
"""Commands that play, and those that need a run which a tournament file began."""


def test_fields_are_those_of_keys(printed: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shapes = read_shapes()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "anna"))
    key = printed(["keys", "export"])
    assert isinstance(key, dict)
    (tmp_path / "anna.key").write_text(f"{key['key']}\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    wrong = [
        *shapes.wrong(printed(["keys", "trust", "anna.key"], "--name", "anna"), shapes.printed["keys trust"]),
        *shapes.wrong(printed(["keys", "show"]), shapes.printed["keys show"]),
        *shapes.wrong(printed(["keys", "revoke", "anna"]), shapes.printed["keys revoke"]),
        *shapes.wrong(printed(["keys", "show"]), shapes.printed["keys show"]),
    ]
    assert not wrong, "\n".join(wrong)
    assert "dated key" in shapes.met


def test_fields_of_a_worker_are_those_of_its_class() -> None:
    assert list(read_shapes().shapes["worker"]) == [one.name for one in fields(InspectedWorker)]


@pytest.mark.usefixtures("processes")
def test_fields_are_those_of_commands_that_play(bowerbird: Bowerbird) -> None:
    """With real processes: a knockout, so that there are places and matches, and a sequential test."""
    (bowerbird.folder / "cup.toml").write_text(
        '[tournament]\nformat = "knockout"\nsets = 1\n'
        '[[variant]]\nname = "two-handed"\noptions = { max_hands = 2 }\n'
        '[[variant]]\nname = "euchre"\noptions = { max_hands = 1 }\n'
        '[[bot]]\npath = "greedy"\n[[bot]]\npath = "random"\n',
        encoding="utf-8",
    )
    played = ("--variant", "two-handed", "--deals")
    cases: dict[str, Sequence[str]] = {
        "tournament": ("tournament", "cup.toml", "--quiet"),
        "match": ("match", "greedy", "random", *played, "--sets", "1", "--seed", "fields", "--quiet"),
        "test": ("test", "greedy", "random", *played, "--elo0", "0", "--elo1", "50", "--quiet"),
        "check-bot": ("check-bot", "greedy", "--only", "1"),
        "transcript": ("transcript", "greedy", "--hands", "1", "-o", "game.jsonl"),
        "play-transcript": ("play-transcript", "game.jsonl", "random"),
    }
    shapes = read_shapes()
    wrong: list[str] = []

    def compare(command: str, *words: str) -> Any:
        done = bowerbird.run(COMMAND, *words, "--json")
        assert done.stdout, f"bowerbird {' '.join(words)}: {done.stderr}"
        document = json.loads(done.stdout)
        wrong.extend(f"{command}: {one}" for one in shapes.wrong(document, shapes.printed[command]))
        return document

    documents = {command: compare(command, *words) for command, words in cases.items()}
    run_id = documents["match"]["run"]["fingerprint"]
    [game, *_] = compare("matches", "matches", run_id)
    decided = ("--why", "a test", "--by", "a tester", "--yes")
    compare("ask", "ask", game["id"], "greedy", "--step", "0", "--from-start")
    bowerbird.done("analyse", run_id, "--worlds", "4", "--export", "all.json", "-q")
    exported_positions = json.loads((bowerbird.folder / "all.json").read_text(encoding="utf-8"))
    (bowerbird.folder / "one.json").write_text(json.dumps({"positions": exported_positions["positions"][:1]}))
    compare("ask, with a file of positions", "ask", "one.json", "random")
    compare("void", "void", run_id, game["id"], *decided)
    compare("matches --voided", "matches", run_id, "--voided", "--faults")
    compare("replay", "replay", game["id"], "--voided", "1")
    compare("runs", "runs")
    compare("standings RUN", "standings", run_id)
    compare("runs resume", "runs", "resume", run_id, "--quiet")
    assert not wrong, "\n".join(wrong)
    expected = {"place", "match", "board", "hypotheses", "corrected strength", "sentence", "correction", "reason"}
    assert expected <= set(shapes.met)
