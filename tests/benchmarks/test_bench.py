"""Parts of `make bench`: what can be checked without measuring, and one round of one part."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.processes import parse_stat
from benchmarks.system.all_parts import AIMS, all_parts, figures_of, watched_parts
from benchmarks.system.figures import Figure, Round
from benchmarks.system.messages import conversation
from benchmarks.system.part import LeftOutError, Part, Place
from benchmarks.system.peers import Peers
from benchmarks.system.rounds import REPEATS, measure, rotated
from benchmarks.system.startup import asked
from bowerbird.seat.v1 import seat_pb2
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT


def test_every_figure_has_a_key_of_its_own_and_every_aim_has_its_figures() -> None:
    keys = [figure.key for figure in figures_of(all_parts())]
    watched = [figure.key for figure in figures_of(watched_parts(1))]
    assert len(set(keys)) == len(keys), keys
    assert len(set(watched)) == len(watched), watched
    asked = {aim.figure for aim in AIMS} | {aim.over for aim in AIMS if aim.over}
    assert asked <= set(keys), f"aims without a figure: {asked - set(keys)}"


def test_every_part_is_in_every_round_and_begins_elsewhere() -> None:
    parts = all_parts()
    orders = [rotated(parts, turn) for turn in range(REPEATS)]
    assert all(sorted(map(id, order)) == sorted(map(id, parts)) for order in orders)
    assert len({id(order[0]) for order in orders}) == REPEATS


class Flaky(Part):
    """Fails in its second round."""

    figures = (Figure("flaky", "b", "flaky", "/s"),)

    def __init__(self) -> None:
        self.rounds = 0

    def measure(self, place: Place) -> Round:
        self.rounds += 1
        if self.rounds == 2:
            raise RuntimeError("the bot was gone")
        return {"flaky": 1.0}


class Steady(Part):
    figures = (Figure("steady", "a", "steady", "/s"),)

    def measure(self, place: Place) -> Round:
        return {"steady": 2.0}


def test_a_part_that_fails_is_named_and_takes_no_other_with_it(tmp_path: Path) -> None:
    flaky = Flaky()
    rounds, failed = measure([flaky, Steady()], Place(tmp_path, 1.0, "euchre"), 3)
    assert rounds == [{"flaky": 1.0, "steady": 2.0}, {"steady": 2.0}, {"steady": 2.0}]
    assert failed == ["(b) flaky: FAILED in round 2, the bot was gone"]
    assert flaky.rounds == 2, "it was measured again after it had failed"


def peers_program(folder: Path, text: str) -> Path:
    program = folder / "plies"
    program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    program.chmod(0o755)
    return program


@pytest.mark.usefixtures("processes")
def test_peers_are_measured_with_one_game_and_with_two_at_once(tmp_path: Path) -> None:
    program = peers_program(tmp_path, 'echo "fastchess $2$3"; echo "c-chess-cli $3"; test -d "$1"')
    part = Peers(program, tmp_path / "built")
    part.prepare(Place(tmp_path, 1.0, "euchre"))
    assert part.measure(Place(tmp_path, 1.0, "euchre")) == {
        "peer.fastchess.1": 401.0,
        "peer.fastchess.2": 802.0,
        "peer.c-chess-cli.1": 1.0,
        "peer.c-chess-cli.2": 2.0,
    }


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("text", ["exit 1", 'echo "fastchess 3"', 'echo "fastchess fast"; echo "c-chess-cli 2"'])
def test_peers_that_cannot_be_measured_are_left_out_or_fail_by_name(tmp_path: Path, text: str) -> None:
    place = Place(tmp_path, 1.0, "euchre")
    part = Peers(peers_program(tmp_path, text), tmp_path / "built")
    with pytest.raises(LeftOutError, match="the peers could not be measured"):
        part.prepare(place)
    rounds, failed = measure([part], place, 1)
    assert rounds == [{}]
    assert "the peers could not be measured" in failed[0]


def test_peers_are_left_out_where_their_program_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LeftOutError, match="is not here"):
        Peers(tmp_path / "absent", tmp_path).prepare(Place(tmp_path, 1.0, "euchre"))


def test_bare_grpc_is_given_the_messages_of_a_game() -> None:
    said = conversation("euchre")
    for number, (question, answer) in enumerate(said):
        (request,) = seat_pb2.PlayResponse.FromString(question).decision_requests.requests
        (decision,) = seat_pb2.PlayRequest.FromString(answer).decisions.decisions
        assert request.decision_id == decision.decision_id == number
        assert decision.action_index < len(request.legal_actions) > 1
    assert len(said) > 50


def test_the_moment_of_the_first_decision_is_found_among_what_a_bot_says() -> None:
    assert asked("noise\nasked at 34\nmore") == [34]
    assert asked("noise\n") == []


def test_the_name_of_a_process_may_hold_brackets() -> None:
    fields = ["S", "7", *["0"] * 9, "150", "50", *["0"] * 8, "10", "0"]
    found = parse_stat(f"42 (a (b) c) {' '.join(fields)}")
    assert (found.pid, found.name, found.parent) == (42, "a (b) c", 7)
    assert found.cpu == pytest.approx(200 / os.sysconf("SC_CLK_TCK"))
    assert found.memory == 10 * os.sysconf("SC_PAGE_SIZE")


def measured(file: Path, *arguments: str) -> dict[str, dict[str, float]]:
    """Measure part (b) in one round; return its figures."""
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "--only",
        "b",
        "--repeats",
        "1",
        *arguments,
        "--json",
        str(file),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert done.returncode == 0, done.stderr
    assert "(b)" in done.stdout
    figures: dict[str, dict[str, float]] = json.loads(file.read_text(encoding="utf-8"))["figures"]
    return figures


@pytest.mark.usefixtures("processes")
def test_one_table_asks_one_decision_a_message(tmp_path: Path) -> None:
    """Also shows that the tap counts: if the session is built otherwise, the count is 0."""
    figures = measured(tmp_path / "bench.json", "--seconds", "4")
    assert figures["one"]["median"] > 0
    assert figures["one.batch"]["median"] == pytest.approx(1)
    assert figures["one.own"]["median"] > 0


@pytest.mark.long
@pytest.mark.usefixtures("processes")
def test_spectators_are_measured_beside_none_and_beside_a_busy_process(tmp_path: Path) -> None:
    figures = measured(tmp_path / "bench.json", "--seconds", "1", "--watchers", "3")
    for way in ("alone", "busy", "watched"):
        assert figures[f"one.{way}"]["median"] > 0
        assert figures[f"one.{way}.own"]["median"] > 0
    assert figures["one.watched.watching"]["median"] > 0, "the spectators used no processor"
