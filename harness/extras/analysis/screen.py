"""The figures of a run on stdout, in 80 columns, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.output import Column, output_width, recorded_command, table
from bowerbird.harness.extras.analysis.analysing import Plan
from bowerbird.harness.extras.analysis.comparison import ChangedDeal, Comparison, deals_in_words
from bowerbird.harness.extras.analysis.game_analysis import ENDING, FOLLOW, STAGES, THOUSAND, GameAnalysis, SideHand
from bowerbird.harness.extras.analysis.profile import Estimate, Habit, Mistake, ParSum, Profile
from bowerbird.harness.records.values.query_results import RunRow

PAR = "result = par - own + others + rest"
"""How the parts add up."""

PAR_IN_WORDS = "par: what champion makes of the cards; own, others: mistakes; rest: luck of play"
"""What the parts are."""

BRIEF = 3
"""Mistakes of each bot that are shown when more than two bots are."""

HABITS = 5
"""Habits of each bot that are shown."""

NOTHING = 0.0005
"""A loss below this is shown as 0."""


def document(row: RunRow, plan: Plan, found: Sequence[Profile]) -> dict[str, object]:
    """Return the figures for JSON. Points are per deal, but for `par`, which has sums in thousandths."""
    return {
        "run": row.fingerprint,
        "name": row.name,
        "judges": sorted(set(plan.judges.values())),
        "worlds": plan.worlds,
        "games": len(plan.judges),
        "left_out": plan.left_out,
        "bots": found,
    }


def lines(row: RunRow, plan: Plan, found: Sequence[Profile], db: Path) -> Iterator[str]:
    """Yield the lines of the first screen."""
    games = counted(len(plan.judges), "game")
    yield f"run {row.name} ({row.fingerprint}): {games}, judged by champion in {plan.worlds} worlds for each decision"
    for sentence in plan.left_out:
        yield f"  {sentence}"
    yield ""
    yield "Points lost per deal, by stage; ± is half of a 95% interval:"
    yield from table(_LOSSES, [_losses(one) for one in found], output_width())
    yield ""
    yield "Points per deal: result = par - own losses + others' losses + rest"
    yield from table(_PARS, [par_cells(one) for one in found], output_width())
    for one in found:
        yield ""
        yield from _of_bot(one, db, most=len(one.mistakes) if len(found) <= 2 else BRIEF)
    if len(found) > 2:
        yield ""
        yield f"ten mistakes of one bot: {recorded_command(db, 'analyse', row.fingerprint, 'BOT')}"


_LOSSES = (
    Column("bot", cut=True),
    Column("deals", right=True),
    Column("loss", right=True),
    *(Column(stage, right=True) for stage in STAGES),
)
_PARS = (
    Column("bot", cut=True),
    *(Column(title, right=True) for title in ("result", "par", "own", "others", "rest")),
)


def _losses(one: Profile) -> list[str]:
    return [one.bot, str(one.deals), with_interval(one.loss), *(_plain(one.stages[stage].mean) for stage in STAGES)]


def par_cells(one: Profile) -> list[str]:
    """Return the cells of a bot's par, per deal; they add up as shown."""
    return [one.bot, *_parts(one.par, max(one.deals, 1))]


def _parts(one: ParSum | SideHand, deals: int) -> list[str]:
    """Return result, par, own and others' losses and rest in points per deal, so rounded that they add up."""
    result, par, own, others = (
        round(value / THOUSAND / deals, 2) for value in (one.result, one.par, one.own, one.others)
    )
    rest = round(result - (par - own + others), 2)  # takes up what rounding left
    return [f"{result:+.2f}", f"{par:+.2f}", f"{own:.2f}", f"{others:.2f}", f"{rest + 0.0:+.2f}"]


def hand_rows(found: GameAnalysis) -> Iterator[tuple[int, str, list[str]]]:
    """Yield for each hand of a game and each side: the hand, who sits there, and the cells of its par."""
    bots: dict[tuple[int, int], list[str]] = {}
    first: dict[tuple[int, int], SideHand] = {}
    for one in found.hands:
        bots.setdefault((one.hand, one.side), []).append(f"{one.seat} {one.bot}")
        first.setdefault((one.hand, one.side), one)
    for key, one in first.items():
        yield key[0], ", ".join(bots[key]), _parts(one, 1)


def hand_lines(found: GameAnalysis) -> Iterator[str]:
    """Yield the lines with the par of each hand of a game, a row for each side."""
    yield ""
    yield "Points of each hand: result = par - own losses + others' losses + rest"
    columns = (Column("hand", right=True), Column("seats", cut=True), *_PARS[1:])
    rows = [[str(hand), seats, *parts] for hand, seats, parts in hand_rows(found)]
    yield from table(columns, rows, output_width())


def with_interval(found: Estimate) -> str:
    """Return a loss with half of its interval."""
    return _plain(found.mean) if found.half is None else f"{_plain(found.mean)} ±{found.half:.2f}"


def _plain(points: float) -> str:
    return f"{round(points, 2) + 0.0:.2f}" if abs(points) >= NOTHING else "0"


def _of_bot(one: Profile, db: Path, most: int) -> Iterator[str]:
    calls = one.calls
    yield (
        f"{one.bot}: called {calls.calls} times of {calls.asked} (champion {calls.judged_calls}), "
        f"{calls.alone} alone (champion {calls.judged_alone})"
    )
    habits = shown_habits(one)
    if habits:
        yield "  what cost most, in points per deal:"
    for habit in habits:
        line = f"  {with_interval(habit.loss):>10}  {in_words(habit)} ({habit.times} of {habit.of})"
        yield from wrap(line, output_width() or len(line), subsequent_indent=" " * 14)
    shown = one.mistakes[:most]
    if shown:
        yield "  costliest mistakes, in points of the hand:"
    for mistake in shown:
        yield from _of_mistake(mistake, db)


def shown_habits(one: Profile) -> list[Habit]:
    """Return the habits of a bot that are shown."""
    return [habit for habit in one.habits if habit.loss.mean >= NOTHING][:HABITS]


def in_words(habit: Habit) -> str:
    """Return what a bot does, and what champion would do."""
    return habit_in_words(habit.stage, habit.did, habit.better)


def habit_in_words(stage: str, did: str, better: str) -> str:
    """Return the kinds of two choices in words: what was done, and what champion would do."""
    where = f"{stage}: " if stage in (FOLLOW, ENDING) else ""
    return f"{where}{did}, {_instead(did, better)}"


def _instead(did: str, better: str) -> str:
    return "where champion chooses another" if did == better else f"where champion would {better}"


def _of_mistake(mistake: Mistake, db: Path) -> Iterator[str]:
    made = mistake.decision
    yield (
        f"  {made.loss / THOUSAND:>5.2f} ±{1.96 * made.error / THOUSAND:.2f}  {made.stage}: {made.token}, "
        f"better {made.best} (seat {made.seat}, step {made.step})"
    )
    yield f"      {recorded_command(db, 'replay', mistake.game, '--hand', str(made.hand))}"


def comparison_lines(found: Comparison, db: Path) -> Iterator[str]:
    """Yield the lines of a comparison."""
    yield deals_in_words(found)
    yield ""
    yield "Change of the points lost, per hand and seat; below 0, the new one is better:"
    columns = (Column("", cut=True), Column("change", right=True))
    rows = [["all", _change(found.change)], *([stage, _change(found.stages[stage])] for stage in STAGES)]
    yield from table(columns, rows, output_width())
    if found.habits:
        yield ""
        yield "What it comes from:"
    for stage, did, better, change in found.habits:
        yield f"  {change:+.3f}  {habit_in_words(stage, did, better)}"
    for title, deals in (("mended", found.mended), ("broken", found.broken)):
        if deals:
            yield ""
            yield f"Deals that were {title}:"
        for deal in deals:
            yield from _of_deal(deal, db)


def _change(found: Estimate) -> str:
    return f"{found.mean:+.3f}" if found.half is None else f"{found.mean:+.3f} ±{found.half:.3f}"


def _of_deal(deal: ChangedDeal, db: Path) -> Iterator[str]:
    yield f"  {deal.change:+.2f}  seat {deal.seat}: before, and now"
    for game in (deal.old_game, deal.new_game):
        yield f"      {recorded_command(db, 'replay', game, '--hand', str(deal.hand))}"
