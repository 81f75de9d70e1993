"""The figures of a run on stdout, in 80 columns, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from textwrap import wrap

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.output import Column, output_width, recorded_command, table
from bowerbird.harness.extras.analysis.analysing import Plan
from bowerbird.harness.extras.analysis.comparison import ChangedDeal, Comparison, deals_in_words
from bowerbird.harness.extras.analysis.game_analysis import (
    ENDING,
    FOLLOW,
    STAGES,
    THOUSAND,
    Decision,
    GameAnalysis,
    SideHand,
)
from bowerbird.harness.extras.analysis.profile import Estimate, Habit, Mistake, ParSum, Profile
from bowerbird.harness.records.replay.words import in_words
from bowerbird.harness.records.values.query_results import RunRow

PAR = "result = par - own + others + rest"
"""A reminder of how the parts add up."""

PAR_IN_WORDS = (
    "Result and par are points ahead of the others, par with champion in all seats; own and others are the cost of "
    "mistakes; rest is the luck of the play."
)
"""An explanation of the parts."""

AT_LEAST = (
    "A mistake costs at least its cost less the ±. That orders the list, because the largest of many uncertain costs "
    "are mostly chance."
)
"""An explanation of the order of mistakes."""

FEW, BRIEF = 2, 3
"""With more than FEW bots on the screen, BRIEF mistakes of each are shown."""

HABITS = 5
"""How many habits of each bot are shown."""

NOTHING = 0.0005
"""A loss below this is shown as 0."""

SituationOf = Callable[[Mistake], str]
"""Returns a description of what the seat saw before a mistake (`situations`)."""


def document(row: RunRow, plan: Plan, found: Sequence[Profile]) -> dict[str, object]:
    """Return the figures for JSON. Points are per deal, except in `par`, which has sums in thousandths."""
    return {
        "run": row.fingerprint,
        "name": row.name,
        "judges": sorted(set(plan.judges.values())),
        "worlds": plan.worlds,
        "games": len(plan.judges),
        "left_out": plan.left_out,
        "bots": found,
    }


def lines(row: RunRow, plan: Plan, found: Sequence[Profile], db: Path, situation_of: SituationOf) -> Iterator[str]:
    """Yield the lines of the first screen."""
    yield f"run {row.name} ({row.fingerprint}): {counted(len(plan.judges), 'game')}, each decision judged by the bot"
    yield f"champion in {plan.worlds} deals of the hidden cards that fit what the seat knew"
    for sentence in plan.left_out:
        yield f"  {sentence}"
    yield ""
    yield "Points lost per deal, by stage (exchange: discards and cards that change"
    yield "hands; ending: the last two tricks). ± is half of a 95% interval, and a value"
    yield "below 0 is no worse than champion:"
    yield from table(_LOSSES, [_losses(one) for one in found], output_width())
    yield ""
    yield f"Luck and play, in points per deal: {PAR}."
    yield from wrap(PAR_IN_WORDS, output_width() or len(PAR_IN_WORDS))
    yield from table(_PARS, [par_cells(one) for one in found], output_width())
    for one in found:
        yield ""
        yield from _of_bot(one, shown_mistakes(one, found), db, situation_of)
    if any(shown_mistakes(one, found) for one in found):
        yield ""
        yield from wrap(AT_LEAST, output_width() or len(AT_LEAST))
    if len(found) > FEW:
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
    return [one.bot, str(one.deals), with_interval(one.loss), *(plain(one.stages[stage].mean) for stage in STAGES)]


def par_cells(one: Profile) -> list[str]:
    """Return the cells of a bot's par, per deal. They add up as shown."""
    return [one.bot, *_parts(one.par, max(one.deals, 1))]


def _parts(one: ParSum | SideHand, deals: int) -> list[str]:
    """Return result, par, own and others' losses and rest in points per deal, rounded so that they add up."""
    result, par, own, others = (
        round(value / THOUSAND / deals, 2) + 0.0  # not -0.00
        for value in (one.result, one.par, one.own, one.others)
    )
    rest = round(result - (par - own + others), 2) + 0.0  # absorbs the rounding error
    return [f"{result:+.2f}", f"{par:+.2f}", f"{own:.2f}", f"{others:.2f}", f"{rest:+.2f}"]


def hand_rows(found: GameAnalysis) -> Iterator[tuple[int, str, list[str]]]:
    """Yield, for each hand of a game and each side: the hand, the bots there, and the cells of its par."""
    bots: dict[tuple[int, int], list[str]] = {}
    first: dict[tuple[int, int], SideHand] = {}
    for one in found.hands:
        bots.setdefault((one.hand, one.side), []).append(f"{one.seat} {one.bot}")
        first.setdefault((one.hand, one.side), one)
    for key, one in first.items():
        yield key[0], ", ".join(bots[key]), _parts(one, 1)


def hand_lines(found: GameAnalysis) -> Iterator[str]:
    """Yield the lines with the par of each hand of a game, with a row for each side."""
    yield ""
    yield f"Points of each hand: {PAR}"
    columns = (Column("hand", right=True), Column("seats", cut=True), *_PARS[1:])
    rows = [[str(hand), seats, *parts] for hand, seats, parts in hand_rows(found)]
    yield from table(columns, rows, output_width())


def with_interval(found: Estimate) -> str:
    """Return a loss with half of its interval."""
    return plain(found.mean) if found.half is None else f"{plain(found.mean)} ±{found.half:.2f}"


def plain(points: float) -> str:
    """Return points with two decimals, and 0 without a sign for values near 0."""
    return f"{round(points, 2) + 0.0:.2f}" if abs(points) >= NOTHING else "0"


def shown_mistakes(one: Profile, found: Sequence[Profile]) -> Sequence[Mistake]:
    """Return which mistakes of a bot to show when these bots are on the screen."""
    return one.mistakes if len(found) <= FEW else one.mistakes[:BRIEF]


def _of_bot(one: Profile, mistakes: Sequence[Mistake], db: Path, situation_of: SituationOf) -> Iterator[str]:
    calls = one.calls
    yield (
        f"{one.bot}: called trump {calls.calls} of {calls.asked} times (champion would {calls.judged_calls}), "
        f"{calls.alone} alone ({calls.judged_alone})"
    )
    habits = shown_habits(one)
    if habits:
        yield "  what cost most, in points per deal:"
    for habit in habits:
        line = f"  {with_interval(habit.loss):>10}  {habit_of(habit)} ({habit.times} of {habit.of} times)"
        yield from wrap(line, output_width() or len(line), subsequent_indent=" " * 14)
    if mistakes:
        yield "  costliest mistakes, in points of the hand, by what they cost at least:"
    for mistake in mistakes:
        yield from _of_mistake(mistake, situation_of(mistake), db)


def shown_habits(one: Profile) -> list[Habit]:
    """Return which habits of a bot to show."""
    return [habit for habit in one.habits if habit.loss.mean >= NOTHING][:HABITS]


def habit_of(habit: Habit) -> str:
    """Return a bot's habit in words, and champion's choice."""
    return habit_in_words(habit.stage, habit.did, habit.better)


def habit_in_words(stage: str, did: str, better: str) -> str:
    """Return two kinds of choices in words: the bot's and champion's."""
    where = f"{stage}: " if stage in (FOLLOW, ENDING) else ""
    return f"{where}{did}, {_instead(did, better)}"


def _instead(did: str, better: str) -> str:
    return "where champion chooses another" if did == better else f"where champion would {better}"


def _of_mistake(mistake: Mistake, situation: str, db: Path) -> Iterator[str]:
    made = mistake.decision
    cost = f"  {made.loss / THOUSAND:>5.2f} ±{1.96 * made.error / THOUSAND:.2f}  "
    indent = " " * len(cost)
    for text in (f"{choices_in_words(made)} (seat {made.seat}, step {made.step})", situation):
        yield from wrap(
            text, output_width() or len(cost + text), initial_indent=cost or indent, subsequent_indent=f"{indent}  "
        )
        cost = ""
    yield f"      {recorded_command(db, 'replay', mistake.game, '--hand', str(made.hand))}"
    yield f"      {_ask(mistake, db)}"


def _ask(mistake: Mistake, db: Path) -> str:
    """Return the command that asks a bot for the decision."""
    made = mistake.decision
    return recorded_command(db, "ask", mistake.game, "BOT", "--hand", str(made.hand), "--step", str(made.step))


def choices_in_words(made: Decision) -> str:
    """Return a choice and champion's choice in words, such as "passes; champion orders up"."""
    return f"{in_words(made.token)}; champion {in_words(made.best)}"


def comparison_lines(found: Comparison, db: Path) -> Iterator[str]:
    """Yield the lines of a comparison."""
    yield deals_in_words(found)
    yield ""
    yield "Change in points lost, per hand and seat; below 0, the new one is better:"
    columns = (Column("", cut=True), Column("change", right=True))
    rows = [["all", _change(found.change)], *([stage, _change(found.stages[stage])] for stage in STAGES)]
    yield from table(columns, rows, output_width())
    if found.habits:
        yield ""
        yield "Where it comes from:"
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
    made = "" if deal.mistake is None else f", {'before' if deal.change < 0 else 'now'}: {_in_its_place(deal.mistake)}"
    yield f"  {deal.change:+.2f}  seat {deal.seat}{made}"
    for when, game in (("before", deal.old_game), ("now", deal.new_game)):
        yield f"      {when:<6}  {recorded_command(db, 'replay', game, '--hand', str(deal.hand))}"
    if deal.mistake is not None:
        yield f"      {'':<6}  {_ask(deal.mistake, db)}"


def _in_its_place(mistake: Mistake) -> str:
    return f"{choices_in_words(mistake.decision)} (step {mistake.decision.step})"
