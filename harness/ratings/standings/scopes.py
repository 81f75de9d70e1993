"""Scopes: which results may be rated together (ratings.md, What the standings say).

A scope is a variant with its unit (whole games or single hands), its options and its time controls. Single hands depend
less on luck than whole games, and a different target or clock makes a different contest. Results of different scopes
are therefore never fitted together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.text.run_text import FIRST_SCHEDULE, schedule_of
from bowerbird.harness.records.values.game_record import OptionValue, option_text

GAMES, DEALS = "games", "deals"
"""The units of a deal set: whole games, or single hands."""

UNIT_WORDS = {GAMES: "in whole games", DEALS: "in single hands"}

MAX_HANDS = "max_hands"
"""The option that limits the hands of a game."""

BUDGETS = {
    "per_decision": "for a decision",
    "bank": "in the bank",
    "increment": "added for a hand",
    "game": "for a game",
}
"""The keys of `[time]` that are part of a scope, with the words for them.

The other keys allow for a slow start or network.
"""

Terms = tuple[tuple[str, OptionValue], ...]
"""Names and values, sorted by name."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The terms of play that results must share to be rated together.

    options: every option of the variant with its value; () if they are not stored, as for a run of another program.
    time: the time control: the keys of BUDGETS with their values as text, "250ms"; () likewise.
    own_times: the bots with their own time control, sorted by name, each with the keys that differ from `time`.
    """

    variant: str
    unit: str = GAMES
    options: Terms = ()
    time: Terms = ()
    own_times: tuple[tuple[str, Terms], ...] = ()

    @property
    def order(self) -> str:
        """The sort key for a stable order of scopes."""
        return repr((self.variant, self.unit != GAMES, self.options, self.time, self.own_times))

    def against(self, others: Iterable[Scope]) -> str:
        """Return the variant and the terms in which this scope differs from `others`: "euchre in single hands"."""
        known = list(others)
        options = {
            name
            for other in known
            for name in _differing(self.options, other.options)
            if name != MAX_HANDS or other.unit == self.unit  # a single hand has max_hands = 1 in any case
        }
        times = {name for other in known for name in _differing(self.time, other.time)}
        parts = [self.variant]
        if any(other.unit != self.unit for other in known):
            parts.append(UNIT_WORDS[self.unit])
        if options:
            parts.append(
                "with " + ", ".join(f"{name} = {option_text(value)}" for name, value in self.options if name in options)
            )
        if times:
            parts.append("with " + ", ".join(f"{value} {BUDGETS[name]}" for name, value in self.time if name in times))
        if any(other.own_times != self.own_times for other in known):
            parts += [f"with {_budgets(own)} for {bot}" for bot, own in self.own_times]
        return " ".join(parts)

    @property
    def odds(self) -> str:
        """A sentence about the clocks of bots that have their own; "" if all use the same clock."""
        named = [f"{bot} has {_budgets(own)}" for bot, own in self.own_times]
        if not named:
            return ""
        more = len(named) - MOST_NAMED
        told = "; ".join(named[:MOST_NAMED]) + (f"; and {more} more bots have clocks of their own" if more > 0 else "")
        differing = {key for _, own in self.own_times for key, _ in own}
        usual = {"game": "0ms", **dict(self.time)}
        others = tuple((key, value) for key, value in usual.items() if key in differing)
        return f"clocks of their own: {told}; all others have {_budgets(others)}"


MOST_NAMED = 6
"""The most bots whose clocks a sentence names."""


def _budgets(time: Terms) -> str:
    """Return `250ms for a decision, 2s in the bank`."""
    order = [*BUDGETS]
    return ", ".join(f"{value} {BUDGETS[name]}" for name, value in sorted(time, key=lambda one: order.index(one[0])))


def _differing(terms: Terms, others: Terms) -> list[str]:
    """Return the names whose values differ between scopes."""
    theirs = dict(others)
    return [name for name, value in terms if theirs.get(name) != value]


def scopes_of_run(config: str, entries: Iterable[tuple[str, str]]) -> dict[str, Scope]:
    """Return the scope of each variant entry of a run, by its id, such as "buck-0".

    config: the resolved copy of the tournament file that is stored with the run.
    entries: id and variant of each entry. An entry that is not in the copy gets a scope without options and times.
    """
    try:
        data = load_toml(config)
    except ValueError:
        data = {}
    unit = _table(data.get("tournament")).get("unit")
    time = _time_terms(_table(data.get("time")))
    own_times = _own_times(data.get("bot"), time)
    described = _described(data.get("variant"))
    return {
        entry: Scope(
            variant=variant,
            unit=DEALS if unit == DEALS else GAMES,
            options=_options(variant, described.get(entry)),
            time=time,
            own_times=own_times,
        )
        for entry, variant in entries
    }


def _time_terms(table: Mapping[str, object]) -> Terms:
    return tuple(sorted((key, str(table[key])) for key in BUDGETS if key in table))


def _own_times(bots: object, time: Terms) -> tuple[tuple[str, Terms], ...]:
    """Return the bots of a stored file that have their own time control, each with the keys that differ from `time`."""
    usual = {"game": "0ms", **dict(time)}
    entries = map(_table, bots if isinstance(bots, list) else ())
    named = {str(bot.get("name")): _time_terms(_table(bot["time"])) for bot in entries if "time" in bot}
    differing = {bot: tuple(one for one in own if usual.get(one[0]) != one[1]) for bot, own in named.items()}
    return tuple(sorted((bot, own) for bot, own in differing.items() if own))


def ranking_of(config: str) -> str:
    """Return the measure that ranks the bots of a run, "elo" or "points", from its stored tournament file."""
    return "points" if _tournament(config).get("rank_by") == "points" else "elo"


def format_of(config: str) -> tuple[str, int]:
    """Return the format of a run and the version of its pairing rules, from its stored tournament file.

    If the file does not state them or is wrong, return "" and the first version, because standings must not fail.
    """
    table = _tournament(config)
    try:
        schedule = schedule_of(table)
    except ValueError:
        schedule = FIRST_SCHEDULE
    return str(table.get("format", "")), schedule


def sets_of(config: str) -> tuple[str, int] | None:
    """Return the key, with its value, that sets the number of deal sets in a run's tournament file.

    The key is `sets`, for each line-up, or `total_sets` for an adaptive run. Return None if more deal sets would settle
    nothing, as in formats with matches.
    """
    table = _tournament(config)
    form = table.get("format", "round-robin")
    key = {"round-robin": "sets", "gauntlet": "sets", "adaptive": "total_sets"}.get(str(form), "")
    value = table.get(key)
    return (key, value) if isinstance(value, int) else None


def _tournament(config: str) -> Mapping[str, object]:
    """Return the table `[tournament]` of a stored file; an empty one if it has none."""
    try:
        return _table(load_toml(config).get("tournament"))
    except ValueError:
        return {}


def weights_of(config: str) -> dict[str, float]:
    """Return the weights of variants in the mean, by variant, from the stored tournament file."""
    try:
        variants = load_toml(config).get("variant")
    except ValueError:
        return {}
    entries = map(_table, variants if isinstance(variants, list) else ())
    found = {str(entry.get("name")): entry.get("weight") for entry in entries}
    return {name: float(weight) for name, weight in found.items() if isinstance(weight, (int, float)) and weight > 0}


def anchors_of(config: str) -> dict[str, float]:
    """Return the anchors of a run with their given ratings, from its stored tournament file; {} for none."""
    try:
        given = _table(_table(load_toml(config).get("tournament")).get("anchors"))
    except ValueError:
        return {}
    return {bot: float(rating) for bot, rating in given.items() if isinstance(rating, (int, float))}


def _described(variants: object) -> dict[str, Mapping[str, object]]:
    """Return the options of each variant entry of a stored file, by the entry's id."""
    counts: dict[str, int] = {}
    found: dict[str, Mapping[str, object]] = {}
    for entry in variants if isinstance(variants, list) else ():
        table = _table(entry)
        name = str(table.get("name"))
        number = counts.get(name, 0)
        counts[name] = number + 1
        found[f"{name}-{number}"] = _table(table.get("options"))
    return found


def _options(variant: str, written: Mapping[str, object] | None) -> Terms:
    """Return every option of a variant: those in the file, and the defaults of options that are newer than the run."""
    if written is None:
        return ()
    from bowerbird.engine import rules_of, variant_names

    defaults = (
        {name: option.default for name, option in rules_of(variant).options.items()}
        if variant in variant_names()
        else {}
    )
    return tuple(sorted((name, _plain(value)) for name, value in {**defaults, **written}.items()))


def _plain(value: object) -> OptionValue:
    return value if isinstance(value, (bool, int, str)) else str(value)


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def main_scopes(sets: Mapping[Scope, int]) -> dict[str, Scope]:
    """Return, for each variant, the scope with the most deal sets. `Scope.order` decides ties.

    sets: the number of deal sets of each scope.
    """
    found: dict[str, Scope] = {}
    for scope in sorted(sets, key=lambda scope: (scope.variant, -sets[scope], scope.order)):
        found.setdefault(scope.variant, scope)
    return found


def apart_sentence(apart: Sequence[tuple[str, Sequence[str]]], where: str, many: int = 2) -> str:
    """Return one line about the separately rated scopes and where to find them; "" for none.

    apart: a description of each scope (`Scope.against`) and the names of its runs. where: can contain {them}, which is
        replaced by the scopes. many: the most scopes to name; the others are only counted.
    """
    if not apart:
        return ""
    named = [f"{what} ({'run' if len(runs) == 1 else 'runs'} {_few(runs)})" if runs else what for what, runs in apart]
    more = len(named) - many
    text = ", ".join(named[:many]) + (f" and {more} more" if more > 0 else "")
    verb, them = ("is", "it") if len(named) == 1 else ("are", "them")
    return f"{text} {verb} rated apart: {where.replace('{them}', them)}"


def _few(runs: Sequence[str]) -> str:
    return ", ".join(runs[:2]) + (", …" if len(runs) > 2 else "")
