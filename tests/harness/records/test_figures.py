"""Figures of bots travel in their notes: what the SDK writes is read and added up exactly, as the bot's own claim."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from bowerbird.harness.cli.display.standings import standings_text
from bowerbird.harness.cli.display.standings_document import standings_document
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.annotations import (
    LONGEST_NOTE,
    MOST_FIGURE_BYTES,
    MOST_NOTES,
    Note,
    NoteBook,
    kept_text,
)
from bowerbird.harness.records.values.figures import (
    MOST_FIGURES,
    FigureSum,
    claim_lines,
    figures_line,
    merged,
    note_words,
    split_figures,
    summed,
)
from bowerbird.harness.records.values.run import CompletedSet, ResultsDigest
from bowerbird.harness.report.report_data import report_data
from bowerbird.harness.report.report_page import write_report
from bowerbird.harness.sdk import figures as sdk
from tests.support.records.played_games import SEED, database, deal_set, header, notes_of


@pytest.mark.parametrize(
    "figures",
    [
        {"cost": 0.00136},
        {"questions": 2, "question_tokens": 1200, "cost": -0.5},
        {"nodes": 10**15 - 1, "value": 1 / 3, "zero": -0.0},
        {f"name_{number}": float(number) for number in range(MOST_FIGURES)},
    ],
)
def test_what_the_sdk_writes_is_read(figures: dict[str, float]) -> None:
    for note in ("", "I hold both bowers.\nReally."):
        found, text = split_figures(kept_text(sdk.noted(figures, note)))
        assert list(found) == list(figures)
        assert all(abs(found[name] - Fraction(value)) <= Fraction(1, 10**9) for name, value in figures.items())
        assert text == note


def test_both_sides_have_the_same_limits() -> None:
    assert (sdk.MOST_FIGURES, sdk.LONGEST_NOTE) == (MOST_FIGURES, LONGEST_NOTE)


def test_a_note_is_cut_so_that_its_figures_fit() -> None:
    text = sdk.noted({"cost": 1}, "é" * 3000)
    assert len(text.encode()) in (LONGEST_NOTE, LONGEST_NOTE - 1)
    assert split_figures(text)[0] == {"cost": 1}
    assert sdk.noted({}, "é" * 3000) == "é" * 3000, "the referee cuts a note without figures"


@pytest.mark.parametrize(
    "figures",
    [
        {"Cost": 1},
        {"": 1},
        {"a b": 1},
        {"a" * 33: 1},
        {"cost": float("nan")},
        {"cost": float("inf")},
        {"cost": 1e15},
        {f"name_{number}": 1 for number in range(MOST_FIGURES + 1)},
    ],
)
def test_figures_that_do_not_travel_are_an_error_of_the_bot(figures: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"decision\.figures"):
        sdk.noted(figures, "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "figures: ",
        "figures: cost",
        "figures: cost=1e5",
        "figures: cost=nan",
        "figures: cost=.5",
        "figures: cost=1 ",
        "figures: cost=1  calls=2",
        "figures: Cost=1",
        "figures: cost=١",
        "figures: cost=1\r\nplain",
        "Figures: cost=1",
        "plain\nfigures: cost=1",
        "figures: " + " ".join(f"name_{number}=1" for number in range(MOST_FIGURES + 1)),
        "figures: cost=" + "1" * 16,
    ],
)
def test_a_first_line_of_another_form_is_text(text: str) -> None:
    assert split_figures(text) == ({}, text)
    assert figures_line(text) == ""
    assert note_words(text) == text


def test_figures_are_shown_behind_the_note() -> None:
    assert note_words("figures: question_tokens=1200 cost=0.00136\nwhy") == (
        "why (it reports question_tokens 1,200, cost 0.00136)"
    )
    assert note_words("figures: cost=2.5") == "it reports cost 2.5"


def test_sums_are_exact_and_do_not_depend_on_the_order() -> None:
    notes = [("ann", "figures: cost=0.1 calls=1")] * 10 + [("bob", "figures: cost=3"), ("ann", "figures: calls=2\nx")]
    found = summed(notes)
    assert found == summed(reversed(notes))
    assert found == [
        FigureSum("ann", "calls", 11, 12.0),
        FigureSum("ann", "cost", 10, 1.0),
        FigureSum("bob", "cost", 1, 3.0),
    ]
    assert merged([found, found[:2]])[:2] == [FigureSum("ann", "calls", 22, 24.0), FigureSum("ann", "cost", 20, 2.0)]
    assert claim_lines(found) == [
        "ann claims of 11 decisions: calls 12 (1.091 each), cost 1 (in 10)",
        "bob claims of 1 decision: cost 3 (3 each)",
    ]


def test_figures_are_kept_when_the_notes_of_a_seat_are_full() -> None:
    book = NoteBook()
    line = "figures: cost=0.5"
    each = Note("g", 0, 0, 0, kept_text(f"{line}\n{'x' * LONGEST_NOTE}"))
    fit = MOST_NOTES // (LONGEST_NOTE - len(line))
    for action in range(fit + 3):
        book.add(replace(each, action=action))
    book.add(replace(each, action=900, text="without figures"))
    found = book.notes()
    assert [note.text for note in found] == [each.text] * fit + [line] * 3
    assert summed(("ann", note.text) for note in found) == [FigureSum("ann", "cost", fit + 3, (fit + 3) / 2)]


def test_the_figures_of_a_seat_in_a_game_have_a_bound() -> None:
    book = NoteBook()
    line = "figures: " + " ".join(f"{'a' * 30}{number:02}=1" for number in range(MOST_FIGURES))
    for action in range(2 * MOST_FIGURE_BYTES // len(line)):
        book.add(Note("g", 0, 0, action, line))
    assert len(book.notes()) == MOST_FIGURE_BYTES // len(line)


def test_standings_and_report_show_the_sums_as_claims(tmp_path: Path) -> None:
    path = database(tmp_path)
    path.parent.mkdir()
    key, games = deal_set("euchre", 0, header())
    notes = [replace(note, text="figures: cost=0.25 calls=2\nwhy") for game in games for note in notes_of(game)]
    notes[0] = replace(notes[0], text="figures: fallback=1")
    bots = {game.id: [seat.bot for seat in game.seats] for game in games}
    of_bot = {bot: sum(bots[note.game][note.seat] == bot for note in notes) for bot in set().union(*bots.values())}
    fallen = bots[notes[0].game][notes[0].seat]
    with Store.create(path) as store:
        with store.begin(header(), SEED) as writer:
            writer.save_sets([CompletedSet(key, games, notes=tuple(notes))], ResultsDigest("", 0))
        (run,) = store.runs()
        sums = {(one.bot, one.name): (one.decisions, one.total) for one in run.figure_sums()}
        for bot, count in of_bot.items():
            asked = count - (bot == fallen)
            assert sums[bot, "cost"] == (asked, asked / 4)
        assert sums[fallen, "fallback"] == (1, 1.0)
        for full in (False, True):
            text = "\n".join(standings_text(store, [run], full=full))
            assert f"{fallen} claims of {of_bot[fallen] - 1} decisions: calls" in text
            assert "fallback 1 (in 1)" in text
        assert standings_document([run])["figures"] == run.figure_sums()
        data = report_data(run, overview([run]))
        write_report(run, tmp_path / "report.html", replays=1)
    claims = data["claims"]
    assert isinstance(claims, list)
    assert [[row[1], row[4]] for row in claims] == [[name, count] for (_, name), (count, _) in sums.items()]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Bots' own claims about their decisions, such as the cost. Nobody has checked them." in page
    assert '<td class="l" data-v="fallback">fallback</td>' in page
