"""Decides whether a stored run may be resumed with a changed file: only if the file adds to it (database.md).

A file may add bots, variants, deal sets, rounds of a Swiss tournament, challengers, and time or decisions before a
stop. Everything played stays and counts. A format that pairs bots by results accepts only more rounds, since every
match depends on all earlier ones. An adaptive run accepts only more deal sets and time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bowerbird.engine import rules_of
from bowerbird.harness.records.quoting import quote, toml_text
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.values.run import RunHeader
from bowerbird.harness.referee.spec import FaultLimits
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config.schema import ADAPTIVE, BY_RESULTS, KNOCKOUT, PAIRED, SWISS
from bowerbird.harness.tournament.config.toml.document import TomlData
from bowerbird.harness.tournament.errors import RunConflictError

SPEED = frozenset({"tables", "slots", "processes", "max_share"})
"""Keys that change only the speed of a run."""

RECORDED_BY_GAMES = frozenset({"isolation"})
"""Keys that each game records for itself; `choose_tier` compares them with the stored games."""

GROWING = frozenset({"sets", "total_sets", "rounds", "time", "decisions", "settled"})
"""Keys of [tournament] and of its stop rules whose values may grow."""

ADDED_LATER: Mapping[str, object] = {
    "copies": True,
    "max_restarts": FaultLimits().max_restarts,
    "max_faults": FaultLimits().max_faults,
}
"""Keys that a resolved copy of store version 1 lacks, with their defaults. All later copies have them."""

ADDABLE = {
    SWISS: "only rounds can be added",
    KNOCKOUT: "nothing can be added to a knockout",
    ADAPTIVE: "only total_sets and time can be added",
}
"""The allowed additions, in words, for formats in which results decide who meets."""

_EVERY_VARIANT = "every match plays all variants"
_WHY_NO_VARIANT = {SWISS: _EVERY_VARIANT, KNOCKOUT: _EVERY_VARIANT, ADAPTIVE: "earlier sets would have been different"}


def check_beacon(stored: RunHeader | None, new: RunHeader) -> None:
    """Raise RunConflictError if the beacon is unknown, or was known before the commitment (ratings.md, Deal sets).

    `stored` is the header of the stored run; None if nothing is stored.
    """
    if new.beacon == "":
        raise RunConflictError(
            f'run {new.name!r} waits for its beacon: enter it as beacon = "..." in the file when it is known'
        )
    if new.beacon is not None and stored is None:
        raise RunConflictError(
            f"a beacon known before run {new.name!r} commits to a seed proves nothing: begin with "
            'beacon = "", publish the commitment, enter the beacon when it is known, and continue with --resume'
        )


def check_resume(stored: RunHeader, new: RunHeader) -> None:
    """Raise RunConflictError, naming the changed key, if the new file does more than add to the stored run."""
    _Comparison(stored, new).check()


class _Comparison:
    """A stored run and the file to resume it with, as their resolved copies."""

    def __init__(self, stored: RunHeader, new: RunHeader) -> None:
        self._stored = stored
        self._new = new
        self._old_file: TomlData = load_toml(stored.config)
        self._new_file: TomlData = load_toml(new.config)
        self._format = str(_table(self._old_file, "tournament")["format"])

    def check(self) -> None:
        """Raise RunConflictError for the first difference that is not an addition."""
        self._check_entrants()
        self._check_table(_table(self._old_file, "tournament"), _table(self._new_file, "tournament"), "", growing=True)
        self._check_table(_table(self._old_file, "time"), _table(self._new_file, "time"), " in [time]")
        self._check_variants(_tables(self._old_file, "variant"), _tables(self._new_file, "variant"))
        self._check_bots(_tables(self._old_file, "bot"), _tables(self._new_file, "bot"))
        for key in sorted({*self._old_file, *self._new_file} - {"tournament", "time", "variant", "bot"}):
            if self._old_file.get(key) != self._new_file.get(key):
                self._refuse(f"which had another table [{key}]")

    def _check_entrants(self) -> None:
        known = {bot.name: bot for bot in self._stored.bots}
        for bot in self._new.bots:
            old = known.get(bot.name)
            if old is None or old == bot:
                continue
            what = "version" if old.version != bot.version else "author" if old.author != bot.author else ""
            others = f"another {what}" if what else "other files or arguments"
            raise RunConflictError(
                f"{self._run} with {others} of bot {bot.name!r}{self._bundled(bot.name)}: "
                "restore it, or use another name or seed"
            )

    def _bundled(self, bot: str) -> str:
        """Return a hint if the new file names a bundled bot: older versions may have read the name as a folder."""
        paths = {str(entry["name"]): str(entry.get("path")) for entry in _tables(self._new_file, "bot")}
        path = paths[bot]
        return f" (path = {quote(path)} is the bundled bot, './{path}' a folder)" if path in bundled_bots() else ""

    def _check_table(self, old: TomlData, new: TomlData, where: str, *, growing: bool = False) -> None:
        """Refuse any difference between two tables, except for additions if the table is `growing`."""
        for key in sorted({*old, *new} - SPEED - RECORDED_BY_GAMES, key=[*old, *new].index):
            before, now = old.get(key, ADDED_LATER.get(key)), new.get(key)
            if before == now or (growing and self._is_addition(key, before, now)):
                continue
            if isinstance(before, dict) and isinstance(now, dict):
                self._check_table(before, now, f" in {key}{where}", growing=growing)
                continue
            had, has = (f"{key} = {toml_text(value)}" if value is not None else f"no {key}" for value in (before, now))
            self._refuse(f"which had {had}{where}, where this one has {has}")

    def _is_addition(self, key: str, before: object, now: object) -> bool:
        if key == "challengers" and isinstance(before, list) and isinstance(now, list):
            return set(before) <= set(now)
        if key == "beacon":
            return before == ""
        if key not in GROWING or (key == "sets" and self._format in PAIRED):
            return False
        if isinstance(before, str) and isinstance(now, str):  # a time, in milliseconds
            return now.endswith("ms") and int(now.removesuffix("ms")) > int(before.removesuffix("ms"))
        return isinstance(before, (int, float)) and isinstance(now, (int, float)) and now > before

    def _check_variants(self, old: Sequence[TomlData], new: Sequence[TomlData]) -> None:
        """Check the variants.

        Entries of a variant are numbered in order, so new entries can only follow the old ones.
        """
        for name in dict.fromkeys(str(entry["name"]) for entry in (*old, *new)):
            before, now = ([entry for entry in entries if entry["name"] == name] for entries in (old, new))
            if len(now) < len(before):
                self._refuse(f"which had {len(before)} of {name!r}, where this one has {len(now)}")
            if len(now) > len(before) and self._format in BY_RESULTS:
                self._refuse(f"to which this adds {name!r}, but in {self._format!r} {_WHY_NO_VARIANT[self._format]}")
            for number, (entry, other) in enumerate(zip(before, now, strict=False)):
                self._check_table(_with_added_options(entry), other, f" in variant {name}-{number}")

    def _check_bots(self, old: Sequence[TomlData], new: Sequence[TomlData]) -> None:
        """Check the bots. The old bots must keep their order, since it is part of the names of line-ups."""
        before, now = [str(bot["name"]) for bot in old], [str(bot["name"]) for bot in new]
        for name in before:
            if name not in now:
                raise RunConflictError(
                    f"{self._run} with bot {name!r}, which this file does not list; enter it again and withdraw it "
                    f"with 'bowerbird withdraw {self._stored.fingerprint} {name} --why TEXT', or use another name or "
                    "seed"
                )
        kept = [name for name in now if name in before]
        if kept != before:
            self._refuse(f"which had the bots in the order {', '.join(before)}")
        if len(now) > len(before) and self._format in BY_RESULTS:
            added = next(name for name in now if name not in before)
            self._refuse(f"to which this adds bot {added!r}, but in {self._format!r} the pairings are fixed")
        for bot, entry in zip(before, old, strict=True):
            other = new[now.index(bot)]
            self._check_table({**entry, "path": None}, {**other, "path": None}, f" in bot {bot}")

    @property
    def _run(self) -> str:
        return f"run {self._stored.name!r} ({self._stored.fingerprint}) was started"

    def _refuse(self, difference: str) -> None:
        allowed = ADDABLE.get(self._format, "only bots, variants and sets can be added")
        raise RunConflictError(
            f"{self._run} from another file, {difference}; {allowed}; otherwise use another name or seed"
        )


def _with_added_options(entry: TomlData) -> TomlData:
    """Return a variant of a stored file, with defaults for the options that did not exist when it was stored."""
    options, rules = _table(entry, "options"), rules_of(str(entry["name"]))
    added = {name: option.default for name, option in rules.options.items() if option.added}
    return {**entry, "options": {**added, **options}}


def _table(file: TomlData, key: str) -> TomlData:
    found = file.get(key, {})
    assert isinstance(found, dict)  # a resolved copy is well-formed: it was written by `resolved_text`
    return found


def _tables(file: TomlData, key: str) -> list[TomlData]:
    found = file.get(key, [])
    assert isinstance(found, list)  # see `_table`
    return found
