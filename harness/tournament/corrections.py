"""Corrections of a stored run: which deal sets an organiser's decision removes from the results (faults.md).

`bowerbird void`, `withdraw` and `reinstate` call these functions. The store does the rest in one transaction
(`store.corrections`): it draws the seed that the sets are dealt from when the run is resumed, or puts annulled sets
back into the results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from bowerbird.engine import did_you_mean, unknown
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.corrections import Decision, correct_run
from bowerbird.harness.records.store.sidecar import SeedFile
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.run_text import tournament_table
from bowerbird.harness.records.values.corrections import (
    LONGEST_BY,
    LONGEST_WHY,
    REINSTATE,
    VOID,
    WITHDRAW,
    Correction,
    annulled_sets,
    wrong_sentence,
)
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.run import GameId, SetKey
from bowerbird.harness.records.values.voids import left_out_of
from bowerbird.harness.referee.game.fault_ledger import FaultLedger
from bowerbird.harness.referee.spec import FaultLimits
from bowerbird.harness.tournament.errors import CorrectionError
from bowerbird.harness.tournament.formats.dependents import dependents, rounds_of

SHOWN = 3
"""How many ids an error lists."""

COMPARED = 1000
"""The most ids that are compared with a wrong one. Comparing them takes a tenth of a second."""

PARTS_OF_A_GAME = 5
"""The number of parts, separated by slashes, in the id of a game."""


@dataclass(frozen=True, slots=True)
class CorrectionPlan:
    """The deal sets that a correction takes out of the results. Nothing is changed yet.

    chosen, added: as in `Corrected`.
    games: how many games of these sets are stored.
    back: the annulled deal sets that count again, sorted.
    unpaired_from: as in `store.corrections.Decision`.
    """

    chosen: tuple[SetKey, ...]
    added: tuple[SetKey, ...]
    games: int
    back: tuple[SetKey, ...] = ()
    unpaired_from: int = 0


@dataclass(frozen=True, slots=True)
class Corrected:
    """A correction that was made.

    correction: as stored.
    chosen: the deal sets that the decision itself takes out, sorted.
    added: the deal sets that are taken out because a Swiss or a knockout paired their bots by results that no longer
        count, sorted; () in other formats.
    back: the annulled deal sets that count again, sorted.
    """

    correction: Correction
    chosen: tuple[SetKey, ...]
    added: tuple[SetKey, ...]
    back: tuple[SetKey, ...] = ()


def void_games(run: StoredRun, games: Sequence[str], *, why: str, by: str) -> Corrected:
    """Take the deal sets of these games out of the results of a run.

    games: ids of games or deal sets (a deal set may have been left out), or prefixes of ids that match only one deal
        set; the run's id in front is optional.
    why: the reason, one sentence.
    by: who decides.

    Raises CorrectionError, and changes nothing, if a game is not in the results, or a string is not one line;
    StoreError if the run was imported or is being played, or if reading or writing fails.
    """
    _check_texts(why, by)
    return _correct(run, VOID, "", lambda: plan_void(run, games), why=why, by=by)


def plan_void(run: StoredRun, games: Sequence[str]) -> CorrectionPlan:
    """Return what `void_games` would take out of the results. Raises CorrectionError as it does for `games`."""
    named = _NamedSets(run)
    chosen = tuple(sorted({named.find(game) for game in games}))
    if not chosen:
        raise CorrectionError(f"run {run.fingerprint}: name at least one game to void")
    return _plan(run, chosen)


def reinstate_bot(run: StoredRun, bot: str, *, why: str, by: str, with_faults: bool = False) -> Corrected:
    """Take a withdrawn bot back into a run. The deal sets of the games that it missed are taken out of the results.

    Its annulled deal sets count again, with the packs that they had, unless they are annulled for another bot too. Its
    failures so far no longer count against its limits. Games that were missed only because of another withdrawn bot
    stay. In a Swiss, the rounds that were paired without the bot are paired again.

    with_faults: also take out the deal sets in which this bot has a fault.
    why, by, errors: as for `void_games`; CorrectionError also if the bot is not withdrawn.
    """
    _check_texts(why, by)

    def plan() -> CorrectionPlan:
        return plan_reinstatement(run, bot, with_faults=with_faults)

    return _correct(run, REINSTATE, bot, plan, why=why, by=by)


def withdraw_bot(run: StoredRun, bot: str, *, why: str, by: str, annul: bool = False) -> Corrected:
    """Withdraw a bot from a run: it misses the games not played yet.

    annul: also take its finished games out of the results, as whole deal sets. Nothing is replayed, and in a format
        that pairs bots by results the later rounds stand.
    why, by, errors: as for `void_games`; CorrectionError also if the bot is not in the run, or is withdrawn already
        with nothing left to annul.
    """
    _check_texts(why, by)
    return _correct(run, WITHDRAW, bot, lambda: plan_withdrawal(run, bot, annul=annul), why=why, by=by)


def plan_withdrawal(run: StoredRun, bot: str, *, annul: bool = False) -> CorrectionPlan:
    """Return what `withdraw_bot` takes out of the results. Raises CorrectionError as it does for `bot`."""
    entered = [one.name for one in run.bots()]
    if bot not in entered:
        raise CorrectionError(f"run {run.fingerprint}: {unknown('bot', shown(bot), entered)}")
    chosen = _finished_sets(run, bot) if annul else ()
    if bot in withdrawn_bots(run) and not chosen:
        hint = "and none of its games counts" if annul else "--annul takes out its finished games, too"
        raise CorrectionError(
            f"bot {bot!r} is already withdrawn in run {run.fingerprint}; bowerbird reinstate undoes it; {hint}"
        )
    stored = dict(run.sets())
    return CorrectionPlan(chosen, (), sum(stored.get(key, 0) for key in chosen))


def _finished_sets(run: StoredRun, bot: str) -> tuple[SetKey, ...]:
    """Return the deal sets with finished games of a bot that are not yet annulled for it, sorted.

    Those annulled for another bot are included, so that they do not count again when that bot is reinstated.
    """
    finished = {game.id.set_key for game in run.results() if game.rated and bot in game.bots}
    annulled = annulled_sets(run.corrections())
    of_others = {key for key, bots in annulled.items() if bot in key.lineup.split("+") and bot not in bots}
    return tuple(sorted(finished | of_others))


def plan_reinstatement(run: StoredRun, bot: str, *, with_faults: bool = False) -> CorrectionPlan:
    """Return what `reinstate_bot` would take out of the results. Raises CorrectionError as it does for `bot`."""
    withdrawn = withdrawn_bots(run)
    if bot not in withdrawn:
        entered = [one.name for one in run.bots()]
        if bot not in entered:
            raise CorrectionError(f"run {run.fingerprint}: {unknown('bot', shown(bot), entered)}")
        who = f"withdrawn there: {', '.join(withdrawn)}" if withdrawn else "no bot is"
        raise CorrectionError(f"bot {bot!r} is not withdrawn in run {run.fingerprint}; {who}")
    faulty = {fault.game for fault in run.faults() if fault.bot == bot}
    missed = {game.id for game in run.games(bot=bot) if game.ended == WITHDRAWN}
    for record in run.annulled_records():
        if any(record.seats[fault.seat].bot == bot for fault in record.faults):
            faulty.add(record.id)
            if record.result.ended == WITHDRAWN:
                missed.add(record.id)
    games = faulty if with_faults else faulty & missed
    chosen = {GameId.parse(game).set_key for game in games}
    annulled = annulled_sets(run.corrections())
    back = {key for key, bots in annulled.items() if bots == {bot}} - chosen
    first = min((number for number, bots in run.unpaired().items() if bot in bots), default=0)
    return _plan(run, tuple(sorted(chosen)), back=back, paired_without=first)


def withdrawn_bots(run: StoredRun) -> tuple[str, ...]:
    """Return the bots that would play no more games if the run were resumed now, in the order of the file.

    A bot is included as soon as it exceeds its limits, even if it had no game left to miss.
    """
    ledger = FaultLedger(_limits(run), run.conduct())
    return tuple(one.name for one in run.bots() if ledger.withdrawn(one.name) is not None)


def _plan(
    run: StoredRun, chosen: tuple[SetKey, ...], *, back: Iterable[SetKey] = (), paired_without: int = 0
) -> CorrectionPlan:
    """Return the plan that takes out the `chosen` deal sets, and all sets that depend on them.

    back: the annulled deal sets that count again, unless they are taken out too.
    paired_without: the first round that was paired without the reinstated bot and is paired again; 0 for none.
    """
    table = tournament_table(run.row.config)
    form, sets = str(table.get("format")), int(table.get("sets", 0))
    stored = dict(run.sets())
    played = {*stored, *_voided_now(run), *annulled_sets(run.corrections())}
    if paired_without:
        chosen = tuple(sorted({*chosen, *(key for key in played if rounds_of(form, sets, [key]) == (paired_without,))}))
    added = dependents(form, sets, chosen, played)
    rounds = rounds_of(form, sets, chosen)
    again = [*(number + 1 for number in rounds), *([paired_without] if paired_without else [])]
    return CorrectionPlan(
        chosen=chosen,
        added=added,
        games=sum(stored.get(key, 0) for key in (*chosen, *added)),
        back=tuple(sorted(set(back).difference(chosen, added))),
        unpaired_from=min(again, default=0),
    )


def _correct(
    run: StoredRun, kind: str, bot: str, make_plan: Callable[[], CorrectionPlan], *, why: str, by: str
) -> Corrected:
    """Make a plan while nobody else can change the run, and store the correction that takes out its deal sets."""
    plans: list[CorrectionPlan] = []

    def decide() -> Decision:
        plans.append(plan := make_plan())
        sets = tuple(sorted({*plan.chosen, *plan.added}))
        return Decision(kind=kind, bot=bot, by=by, why=why, sets=sets, unpaired_from=plan.unpaired_from)

    correction = correct_run(run.store.path, run.fingerprint, decide, digest_of)
    return Corrected(correction, plans[0].chosen, plans[0].added, plans[0].back)


def later_rounds(run: StoredRun, added: Iterable[SetKey]) -> tuple[int, ...]:
    """Return the rounds, from 1, of the deal sets that are taken out because of others; each round once."""
    table = tournament_table(run.row.config)
    return rounds_of(str(table["format"]), int(table.get("sets", 0)), added)


def _voided_now(run: StoredRun) -> Iterable[SetKey]:
    """Return the deal sets with voids under their present seed. The next attempt of some may not be stored yet."""
    return (void.key for void in run.voids() if not void.is_past)


def _limits(run: StoredRun) -> FaultLimits:
    """Return the limits of a run's bots. Runs of older versions store none and get the defaults."""
    table, default = tournament_table(run.row.config), FaultLimits()
    return FaultLimits(
        max_restarts=int(table.get("max_restarts", default.max_restarts)),
        max_faults=int(table.get("max_faults", default.max_faults)),
    )


def _check_texts(why: str, by: str) -> None:
    for name, text, longest in (("reason", why, LONGEST_WHY), ("name of the person who decided", by, LONGEST_BY)):
        if wrong := wrong_sentence(text, longest):
            raise CorrectionError(f"the {name}: {wrong}")


class _NamedSets:
    """The deal sets of a run that can be void, by their ids and their games' ids."""

    def __init__(self, run: StoredRun) -> None:
        self._stored = run
        self._run = run.fingerprint
        self._sets = {f"{self._run}/{key}": (key, games) for key, games in run.sets()}
        """Each set and the number of its games, by id."""
        for key in left_out_of(run.voids()):
            self._sets[f"{self._run}/{key}"] = key, 0
        for one in run.corrections():
            if one.commitment and one.seed is None and SeedFile(run.store.path, self._run, one.number).read() is None:
                # its sets can be played only from the seed of another correction
                lost = {f"{self._run}/{key}": (key, 0) for key in one.sets}
                self._sets = lost | self._sets

    def find(self, ref: str) -> SetKey:
        """Return the deal set that is meant. Raises CorrectionError if no set or more than one set matches."""
        whole = ref if ref.startswith(f"{self._run}/") else f"{self._run}/{ref}"
        id_ = whole.removesuffix("/")
        if ref and id_ in self._sets:
            return self._sets[id_][0]
        set_id, _, rotation = whole.rpartition("/")
        if rotation and set_id in self._sets and self._begins_a_game(set_id, rotation):
            return self._sets[set_id][0]
        if taken_out := self._taken_out(ref, whole):  # otherwise this could be the beginning of another id: 1 of set 12
            raise CorrectionError(taken_out)
        found = [id_ for id_ in self._sets if ref and id_.startswith((whole, ref))]
        if len(found) == 1:
            return self._sets[found[0]][0]
        if found:
            raise CorrectionError(f"game {shown(ref)!r} could be {_listed(found)}; give more characters")
        raise CorrectionError(self._unknown(ref, whole))

    def _begins_a_game(self, set_id: str, rotation: str) -> bool:
        """Return whether the number of one of the set's rotations begins with this string."""
        return any(str(number).startswith(rotation) for number in range(self._sets[set_id][1]))

    def _taken_out(self, ref: str, whole: str) -> str:
        """Return a sentence if a correction took the deal set out and no replacement is stored; else ""."""
        for one in reversed(self._stored.corrections()):
            for key in one.sets:
                named = f"{self._run}/{key}"
                if named not in self._sets and f"{whole.removesuffix('/')}/".startswith(f"{named}/"):
                    if one.kind == WITHDRAW:
                        return (
                            f"game {shown(ref)!r} no longer counts: correction {one.number} annulled it; "
                            f"bowerbird reinstate {self._run} {one.bot} counts it again"
                        )
                    return (
                        f"game {shown(ref)!r} no longer counts: correction {one.number} removed its deal set, "
                        "which has not been played again yet"
                    )
        return ""

    def _unknown(self, ref: str, whole: str) -> str:
        hint = did_you_mean(whole, self._like(whole))
        return f"run {self._run} has no game {shown(ref)!r}{hint}; bowerbird matches {self._run} lists them"

    def _like(self, whole: str) -> list[str]:
        """Return at most COMPARED ids that share the longest sequence of leading parts with `whole`.

        They are game ids if `whole` has as many parts as a game id, else ids of deal sets.
        """
        parts = whole.split("/")
        for right in range(len(parts) - 1, 0, -1):
            begun = "".join(f"{part}/" for part in parts[:right])
            found = [id_ for id_ in self._sets if f"{id_}/".startswith(begun)][:COMPARED]
            if found and len(parts) == PARTS_OF_A_GAME:
                found = [f"{id_}/{number}" for id_ in found for number in range(self._sets[id_][1])][:COMPARED]
            if found:
                return found
        return []


def _listed(ids: Collection[str]) -> str:
    more = ", …" if len(ids) > SHOWN else ""
    return ", ".join(sorted(ids)[:SHOWN]) + more
