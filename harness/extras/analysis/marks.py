"""The figures of the analysis on pages: losses in a replay, profiles in a report. Nothing is computed here.

Input: a record or a run. Output: the values of `bowerbird.harness.report.marks`, or nothing without a stored analysis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bowerbird.harness.extras.analysis import screen
from bowerbird.harness.extras.analysis.analysis_file import AnalysisFile, analysis_path, digest_of
from bowerbird.harness.extras.analysis.game_analysis import STAGES, THOUSAND, Decision, GameAnalysis
from bowerbird.harness.extras.analysis.order import order_in_words
from bowerbird.harness.extras.analysis.profile import SURE_ERRORS, Figures, Mistake, Profile, profiles
from bowerbird.harness.extras.analysis.situations import before_mistakes
from bowerbird.harness.records.replay.words import in_words
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.report.marks import (
    NO_MARKS,
    DecisionMark,
    GameMarks,
    HandMark,
    MarksOf,
    ReportSection,
    SectionTable,
)

MISTAKES = 5
"""How many mistakes of each bot a report shows."""

HAND_COLUMNS = ("seats", "result", "par", "own", "others", "rest")
"""The columns of a hand's par."""

VALUES = "The numbers: by how many points the seat comes out ahead of the others in this hand, on average."
"""An explanation of the values of decisions."""

NOTHING = 20
"""A loss in thousandths that is too small for a mark in the timeline."""

BANDS = ((0.02, "under 0.02"), (0.1, "to 0.1"), (0.3, "to 0.3"), (1.0, "to 1"), (float("inf"), "above 1"))
"""The classes of losses of single decisions, in points: their upper ends and their words."""


@contextmanager
def marks_of(database: Path) -> Iterator[MarksOf]:
    """Yield a function that returns the marks of an analysed game by the latest judge.

    Raises StoreError if the file of figures cannot be read.
    """
    if not analysis_path(database).is_file():
        yield lambda _record: NO_MARKS
        return
    with AnalysisFile(database) as file:

        def of_game(record: GameRecord) -> GameMarks:
            found = file.latest(record.id, digest_of(canonical(record)))
            return NO_MARKS if found is None else GameMarks(list(_marks(found)), list(_hands(found)), VALUES)

        yield of_game


def _hands(found: GameAnalysis) -> Iterator[HandMark]:
    """Yield the par of each hand, a row for each side."""
    for hand in sorted({one.hand for one in found.hands}):
        rows = [[seats, *parts] for number, seats, parts in screen.hand_rows(found) if number == hand]
        title = "Luck and play in this hand, in points ahead of the others"
        yield HandMark(hand, SectionTable(title, HAND_COLUMNS, rows, note=f"{screen.PAR}. {screen.PAR_IN_WORDS}"))


def _marks(found: GameAnalysis) -> Iterator[DecisionMark]:
    costliest: dict[int, Decision] = {}
    for one in found.decisions:
        if one.loss > max(NOTHING, costliest[one.hand].loss if one.hand in costliest else 0) and one.token != one.best:
            costliest[one.hand] = one
    for one in found.decisions:
        yield DecisionMark(
            hand=one.hand,
            action=one.step,
            seat=one.seat,
            sentence=_sentence(one, is_costliest=costliest.get(one.hand) is one),
            short=_short(one) if costliest.get(one.hand) is one or Mistake("", one).is_sure else "",
            is_shown_in_time=costliest.get(one.hand) is one,
            values=bars(one),
        )


def _sentence(one: Decision, *, is_costliest: bool) -> str:
    if one.token == one.best:
        return "champion chooses the same"
    better = _with_tens(in_words(one.best))
    cost = f"cost {one.loss / THOUSAND:.2f} ±{SURE_ERRORS * one.error / THOUSAND:.2f} points: champion {better}"
    return f"{cost}; the costliest moment of this hand" if is_costliest else cost


def _with_tens(text: str) -> str:
    """Return a string with tens as they are written on pages."""
    return re.sub(r"\bT(?=[♠♥♦♣])", "10", text)


def _short(one: Decision) -> str:
    return "" if one.token == one.best else f"lost {one.loss / THOUSAND:.2f}"


def bars(one: Decision) -> tuple[tuple[str, str, float], ...]:
    """Return the value of each action with a bar.

    The best action has a full bar, and an action that costs a point has one shorter by a point. If the worst action
    costs more than the scale, its bar is empty. So nearly equal actions look nearly equal.
    """
    worths = [worth for _, worth in one.values]
    best, width = max(worths), max(THOUSAND, max(worths) - min(worths))
    return tuple((token, f"{worth / THOUSAND:+.2f}", 1 - (best - worth) / width) for token, worth in one.values)


def sections_of(run: StoredRun) -> list[ReportSection]:
    """Return the section with the profiles of a run's bots, or none if the run was not analysed or is not complete.

    Raises StoreError if a file cannot be read.
    """
    if run.row.ended is None or not analysis_path(run.store.path).is_file():
        return []
    with AnalysisFile(run.store.path) as file:
        figures = file.latest_of_run(run.fingerprint, {game: digest_of(text) for game, text in run.record_texts()})
    found = profiles(figures)
    if not found:
        return []
    mistakes = [mistake for one in found for mistake in one.mistakes[:MISTAKES]]
    situation_of = before_mistakes(run.store, mistakes)
    losses = [
        [
            one.bot,
            str(one.deals),
            screen.with_interval(one.loss),
            *(screen.plain(one.stages[stage].mean) for stage in STAGES),
        ]
        for one in found
    ]
    return [
        ReportSection(
            "analysis",
            "What decisions cost",
            [
                f"How many points a hand each bot lost by its mistakes, as the bot champion judges them: "
                f"{len(figures)} of {run.row.games} games were analysed. Champion looks at each decision from what the "
                "seat knew, tries every legal action in the same possible deals of the hidden cards, and says what "
                "another action would have brought. ± is half of a 95% interval, and a loss below 0 means that the bot "
                "chose no worse than champion.",
                "Champion is a bot and expects good play: a bold call against weak opponents can be right.",
                *_order(figures, found),
            ],
            [
                SectionTable(
                    "Points lost a hand",
                    ("bot", "hands", "lost", *STAGES),
                    losses,
                    note="Exchange: discards and cards that change hands. Ending: the last two tricks.",
                ),
                *_by_variant(found),
                SectionTable(
                    "Luck and play, in points a hand",
                    ("bot", "result", "par", "own", "others", "rest"),
                    [screen.par_cells(one) for one in found],
                    note=f"{screen.PAR}. {screen.PAR_IN_WORDS}",
                ),
                SectionTable(
                    "How often it called trump and went alone, and how often champion would have",
                    ("bot", "asked", "called", "champion", "alone", "champion"),
                    [[one.bot, *map(str, _calls(one))] for one in found],
                ),
                SectionTable(
                    "Number of decisions by what they cost, in points",
                    ("bot", *(words for _, words in BANDS)),
                    [[one.bot, *map(str, _distribution(figures, one.bot))] for one in found],
                ),
                SectionTable(
                    "Habits that cost points, in points a hand",
                    ("bot and habit", "times", "of", "lost"),
                    [
                        [
                            f"{one.bot}: {screen.habit_of(habit)}",
                            str(habit.times),
                            str(habit.of),
                            screen.with_interval(habit.loss),
                        ]
                        for one in found
                        for habit in screen.shown_habits(one)
                    ],
                ),
                SectionTable(
                    "Costliest mistakes, in points of the hand",
                    ("bot and decision", "lost", "at least"),
                    [_mistake(mistake) for mistake in mistakes],
                    [(mistake.game, mistake.decision.hand, mistake.decision.step) for mistake in mistakes],
                    [_with_tens(situation_of(mistake)) for mistake in mistakes],
                ),
            ],
        )
    ]


def _by_variant(found: Sequence[Profile]) -> list[SectionTable]:
    entries = sorted({entry for one in found for entry in one.variants})
    if len(entries) < 2:
        return []
    rows = [
        [one.bot, *(screen.plain(one.variants[entry].mean) if entry in one.variants else "-" for entry in entries)]
        for one in found
    ]
    return [SectionTable("Points lost a hand, by variant", ("bot", *entries), rows)]


def _order(figures: Figures, found: Sequence[Profile]) -> Iterator[str]:
    sentences = list(order_in_words(figures, found))
    if sentences:
        yield f"What would have changed the order: {' '.join(sentences)}"


def _calls(one: Profile) -> tuple[int, ...]:
    calls = one.calls
    return calls.asked, calls.calls, calls.judged_calls, calls.alone, calls.judged_alone


def _distribution(figures: dict[str, GameAnalysis], bot: str) -> list[int]:
    counts = [0] * len(BANDS)
    for found in figures.values():
        for one in found.decisions:
            if one.bot == bot:
                counts[next(place for place, (end, _) in enumerate(BANDS) if one.loss / THOUSAND < end)] += 1
    return counts


def _mistake(mistake: Mistake) -> list[str]:
    made = mistake.decision
    return [
        f"{made.bot}: {_with_tens(screen.choices_in_words(made))}",
        f"{made.loss / THOUSAND:.2f}",
        f"{mistake.sure_loss:.2f}",
    ]
