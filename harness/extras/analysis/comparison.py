"""Compares a new version of a bot with the old one on the deals that both played. Pure.

They are compared deal by deal (same entry, deal set, hand and seat), so that both have the same luck of the cards.
Packs must be common (`packs = "common"`, the default).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bowerbird.engine import counted
from bowerbird.harness.extras.analysis.game_analysis import STAGES, THOUSAND, Decision
from bowerbird.harness.extras.analysis.profile import Estimate, Figures, Mistake, estimate, set_of
from bowerbird.harness.records.errors import StoreError

DEALS = 5
"""How many deals of each kind are shown."""

ROUNDING = 2
"""By how many thousandths of a point losses of the same position may differ, since networks evaluate it with others."""

Place = tuple[str, int, int, int]
"""Entry, number of the deal set, hand and seat."""


@dataclass(frozen=True, slots=True)
class ChangedDeal:
    """A deal on which the loss changed, with the game of each version.

    Attributes:
        old_game, new_game, hand, seat: where both played it.
        change: the change in points. Below 0, the new version is better.
        mistake: the costliest mistake of the version that lost more that the other did not also make; None if there is
            none.
    """

    old_game: str
    new_game: str
    hand: int
    seat: int
    change: float
    mistake: Mistake | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The new version against the old one.

    Attributes:
        old, new: their names.
        deals: how many deals both played, counting each seat of a deal.
        change: the loss of the new version minus the loss of the old version, in points per seat and deal. Below 0 the
            new one is better.
        stages: the same by stage.
        habits: the sources of the change in points per seat and deal, by (stage, bot's choice, judge's choice), the
            largest change first.
        mended, broken: the deals that changed most.
    """

    old: str
    new: str
    deals: int
    change: Estimate
    stages: Mapping[str, Estimate]
    habits: tuple[tuple[str, str, str, float], ...]
    mended: tuple[ChangedDeal, ...]
    broken: tuple[ChangedDeal, ...]


class _Played:
    """The losses of one version by place. A place that several line-ups played counts with its mean."""

    def __init__(self, figures: Figures, bot: str) -> None:
        self.losses: defaultdict[Place, list[Counter[str]]] = defaultdict(list)
        self.habits: defaultdict[Place, list[Counter[tuple[str, str, str]]]] = defaultdict(list)
        self.games: dict[Place, str] = {}
        self.mistakes: dict[Place, list[Mistake]] = {}
        for game, found in figures.items():
            for one in found.hands:
                if one.bot == bot:
                    place = (*set_of(game), one.hand, one.seat)
                    made = [each for each in found.decisions if (each.hand, each.seat) == (one.hand, one.seat)]
                    wrong = [each for each in made if each.token != each.best and each.loss > 0]
                    if self.games.setdefault(place, game) == game:
                        self.mistakes[place] = [Mistake(game, each) for each in wrong]
                    losses: Counter[str] = Counter()
                    habits: Counter[tuple[str, str, str]] = Counter()
                    for each in made:
                        losses[each.stage] += each.loss
                        if each.token != each.best:
                            habits[each.stage, each.did, each.better] += each.loss
                    self.losses[place].append(losses)
                    self.habits[place].append(habits)

    def loss(self, place: Place, stage: str) -> int:
        """Return the loss at a place in a stage, in thousandths."""
        found = self.losses[place]
        return round(sum(losses[stage] for losses in found) / len(found))


def compared(figures: Figures, old: str, new: str) -> Comparison:
    """Compare two bots. Raises StoreError if they have no deal in common."""
    before, after = _Played(figures, old), _Played(figures, new)
    places = sorted(before.losses.keys() & after.losses.keys())
    if not places:
        raise StoreError(
            f"{old} and {new} have no deal in common: both must have sat at the same seat of the same deal, in a run "
            "with common packs"
        )
    changes = {
        stage: {place: after.loss(place, stage) - before.loss(place, stage) for place in places} for stage in STAGES
    }
    total = {place: sum(changes[stage][place] for stage in STAGES) for place in places}
    number = len(places)
    ordered = sorted(places, key=lambda place: (total[place], place))
    return Comparison(
        old=old,
        new=new,
        deals=number,
        change=_estimate(total),
        stages={stage: _estimate(changes[stage]) for stage in STAGES},
        habits=_habits(before, after, places),
        mended=tuple(_deal(before, after, place, total[place]) for place in ordered[:DEALS] if total[place] < 0),
        broken=tuple(_deal(before, after, place, total[place]) for place in ordered[::-1][:DEALS] if total[place] > 0),
    )


def _deal(before: _Played, after: _Played, place: Place, change: int) -> ChangedDeal:
    worse, better = (before, after) if change < 0 else (after, before)
    own = [one for one in worse.mistakes[place] if not _is_among(one.decision, better.mistakes[place])]
    mistake = max(own, key=lambda one: one.decision.loss, default=None)
    return ChangedDeal(before.games[place], after.games[place], place[2], place[3], change / THOUSAND, mistake)


def _is_among(one: Decision, others: Iterable[Mistake]) -> bool:
    """Return whether another version made the same choice in the same position, at the same cost."""
    return any(
        (one.step, one.token, one.best) == (other.decision.step, other.decision.token, other.decision.best)
        and abs(one.loss - other.decision.loss) <= ROUNDING
        for other in others
    )


def _estimate(changes: Mapping[Place, int]) -> Estimate:
    losses: Counter[tuple[str, int]] = Counter()
    deals: Counter[tuple[str, int]] = Counter()
    for place, change in changes.items():
        losses[place[:2]] += change
        deals[place[:2]] += 1
    return estimate(losses, deals)


def _habits(before: _Played, after: _Played, places: list[Place]) -> tuple[tuple[str, str, str, float], ...]:
    sums: defaultdict[tuple[str, str, str], float] = defaultdict(float)
    for played, sign in ((before, -1), (after, 1)):
        for place in places:
            found = played.habits[place]
            for habits in found:
                for key, loss in habits.items():
                    sums[key] += sign * loss / len(found)
    made = [(*key, change / THOUSAND / len(places)) for key, change in sums.items()]
    return tuple(sorted(made, key=lambda one: (-abs(one[3]), one[:3]))[:DEALS])


def deals_in_words(found: Comparison) -> str:
    """Return the heading of a comparison."""
    return f"{found.new} against {found.old}: {counted(found.deals, 'deal')} that both played at the same seat"
