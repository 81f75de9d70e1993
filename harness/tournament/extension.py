"""Whether a run may be gone on with by another file: the same, or one that only adds to it (CLI.md, Store).

Added can be bots, variants, deal sets, rounds of a Swiss tournament, challengers, and time or decisions before a stop.
What was played stays and counts. In formats that pair bots by results only rounds can be added, since every match
follows from all that came before.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence

from harness.records.quoting import quote
from harness.records.run import RunHeader
from harness.tournament.errors import RunConflictError
from harness.tournament.format_terms import KNOCKOUT, PAIRED, SWISS

SPEED = frozenset({"tables", "slots", "processes"})
"""Keys that say how fast a run is played and not what."""

SAID_BY_GAMES = frozenset({"isolation"})
"""Keys of which only the games that were played under them count, and each of those says it (`choose_tier`)."""

GROWING = frozenset({"sets", "rounds", "time", "decisions", "settled"})
"""Keys of [tournament] and of its stop whose value may grow."""

ADDABLE = {SWISS: "only rounds can be added", KNOCKOUT: "nothing can be added to a knockout"}
"""What the formats that pair bots by results let be added, in words."""

Table = Mapping[str, object]


def check_beacon(stored: RunHeader | None, new: RunHeader) -> None:
    """Refuse to play before the beacon is known, or with one that was known before the commitment (RATINGS.md).

    Raises RunConflictError.
    """
    if new.beacon == "":
        raise RunConflictError(
            f'run {new.name!r} waits for its beacon: enter it as beacon = "..." in the file when it is known'
        )
    if new.beacon is not None and stored is None:
        raise RunConflictError(
            f"a beacon that is known before run {new.name!r} has committed to a seed proves nothing: begin with "
            'beacon = "", publish the commitment, enter the beacon when it is known, and go on with --resume'
        )


def check_continues(stored: RunHeader, new: RunHeader) -> None:
    """Refuse to go on with a run by a file that changes it. Raises RunConflictError with the key that was changed."""
    _Comparison(stored, new).check()


class _Comparison:
    """A stored run and the file that is to go on with it, both as their resolved copies."""

    def __init__(self, stored: RunHeader, new: RunHeader) -> None:
        self._stored = stored
        self._new = new
        self._old_file: Table = tomllib.loads(stored.config)
        self._new_file: Table = tomllib.loads(new.config)
        main = self._old_file["tournament"]
        assert isinstance(main, dict)
        self._format = str(main["format"])

    def check(self) -> None:
        """Raise RunConflictError at the first difference that is no addition."""
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
                f"{self._run} with {others} of bot {bot.name!r}, take another name or seed for the tournament"
            )

    def _check_table(self, old: Table, new: Table, where: str, *, growing: bool = False) -> None:
        """Refuse what differs in two tables, but for `growing` values where these are allowed."""
        for key in sorted({*old, *new} - SPEED - SAID_BY_GAMES, key=[*old, *new].index):
            before, now = old.get(key), new.get(key)
            if before == now or (growing and self._is_addition(key, before, now)):
                continue
            if isinstance(before, dict) and isinstance(now, dict):
                self._check_table(before, now, f" in {key}{where}", growing=growing)
                continue
            had, has = (f"{key} = {_shown(value)}" if value is not None else f"no {key}" for value in (before, now))
            self._refuse(f"which had {had}{where} where this one has {has}")

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

    def _check_variants(self, old: Sequence[Table], new: Sequence[Table]) -> None:
        """Entries of one variant are told apart by their order, so more of it can only follow those that are there."""
        for name in dict.fromkeys(str(entry["name"]) for entry in (*old, *new)):
            before, now = ([entry for entry in entries if entry["name"] == name] for entries in (old, new))
            if len(now) < len(before):
                self._refuse(f"which had {len(before)} of {name!r} where this one has {len(now)}")
            if len(now) > len(before) and self._format in PAIRED:
                self._refuse(f"to which {name!r} is added, and in {self._format!r} every match has all variants")
            for number, (entry, other) in enumerate(zip(before, now, strict=False)):
                self._check_table(entry, other, f" in variant {name}-{number}")

    def _check_bots(self, old: Sequence[Table], new: Sequence[Table]) -> None:
        """The bots that are there keep their order, which line-ups are named by."""
        before, now = [str(bot["name"]) for bot in old], [str(bot["name"]) for bot in new]
        for name in before:
            if name not in now:
                self._refuse(f"which had bot {name!r} where this one has not")
        kept = [name for name in now if name in before]
        if kept != before:
            self._refuse(f"which had the bots in the order {', '.join(before)}")
        if len(now) > len(before) and self._format in PAIRED:
            added = next(name for name in now if name not in before)
            self._refuse(f"to which bot {added!r} is added, and in {self._format!r} who meets whom is settled")
        for bot, entry in zip(before, old, strict=True):
            other = new[now.index(bot)]
            self._check_table({**entry, "path": None}, {**other, "path": None}, f" in bot {bot}")

    @property
    def _run(self) -> str:
        return f"run {self._stored.name!r} ({self._stored.fingerprint}) is stored"

    def _refuse(self, difference: str) -> None:
        allowed = ADDABLE.get(self._format, "only bots, variants and sets can be added")
        raise RunConflictError(
            f"{self._run} from another file, {difference}; {allowed}, take another name or seed for the tournament"
        )


def _table(file: Table, key: str) -> Table:
    found = file.get(key, {})
    assert isinstance(found, dict)
    return found


def _tables(file: Table, key: str) -> list[Table]:
    found = file.get(key, [])
    assert isinstance(found, list)
    return found


def _shown(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_shown(one)}' for key, one in value.items())} }}"
    return str(value)
