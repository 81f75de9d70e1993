"""The description of a run in an archive: one canonical TOML text, strictly read.

It contains the run's identity, its seed once published, its bots, the void attempts at deal sets, and the machines on
which it was played, without their names. Its last table is the digest of all text before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.text.canonical import OnLines, differing_line, digest, with_digest
from bowerbird.harness.records.values.corrections import Correction, last_corrections, wrong_corrections
from bowerbird.harness.records.values.machines import LONGEST_CPU, MAX_SPEED, Machine, MachineTotal
from bowerbird.harness.records.values.placements import BYE, OPEN, MatchResult, Outcome, Placement, wrong_outcome
from bowerbird.harness.records.values.run import (
    PACKS,
    CpuTotal,
    Entrant,
    GameId,
    RunHeader,
    SetKey,
    commitment_of,
    wrong_name,
)
from bowerbird.harness.records.values.voids import VoidedSet, marked_past, wrong_voids

RUN_FORMAT = "bowerbird-run/1"

MAX_CHARACTERS = 1 << 22
"""Enough for a Swiss of a thousand bots and twenty rounds."""

FIRST_SCHEDULE = 1
"""The version of the rules of pairing and order for a run with a config that does not name one."""

_COMMITMENT = re.compile("sha256:[0-9a-f]{64}")
_SEED = re.compile("[0-9a-f]{64}")
_MOST = 10**18
"""Limit of every count in the text: below the largest integer of SQLite."""

_MOST_CPU_MS = 10**15
_MOST_PROCESSES = 10**9
"""Limits for one bot: 30,000 years, and far more processes than a run starts. Sums over all bots stay small, too."""


@dataclass(frozen=True, slots=True)
class ArchivedRun:
    """A run in an archive.

    `seed` is None while it is secret. `ended` is None if the run was not complete. Times are UTC, ISO 8601. `games`
    counts the records in the archive, `stories` the stories of faults, `notes` the notes of bots. `label` is the name
    that a person gave the run after it began, "" for none. `voids` are the attempts at deal sets that do not count, by
    deal set and attempt. `cpu` is the processor time of the local bots, by name. `machines` are the machines on which
    it was played, in order. `outcome` is open if the run was not complete. `corrections` are the organiser's
    corrections, in order; `games` does not count the games that they took out of the results, but `stories` and `notes`
    count those of all games. `unpaired` lists, for each round from 1, the bots that were not paired because they had
    been withdrawn.
    """

    header: RunHeader
    seed: bytes | None
    engine: str
    rules: str
    started: str
    ended: str | None
    games: int
    sets_after_seed: int = 0
    stories: int = 0
    label: str = ""
    voids: tuple[VoidedSet, ...] = ()
    cpu: tuple[CpuTotal, ...] = ()
    machines: tuple[MachineTotal, ...] = ()
    outcome: Outcome = OPEN
    corrections: tuple[Correction, ...] = ()
    notes: int = 0
    unpaired: Mapping[int, frozenset[str]] = field(default_factory=dict)

    @property
    def voided_games(self) -> int:
        """The number of games that corrections took out of the results."""
        return sum(one.games for one in self.corrections)


def run_text(run: ArchivedRun) -> str:
    """Return the run as TOML, with the digest of its config instead of the config. Equal runs have equal text."""
    header = run.header
    return with_digest(
        {
            "format": RUN_FORMAT,
            "fingerprint": header.fingerprint,
            "name": header.name,
            "label": run.label or None,
            "commitment": header.commitment,
            "seed": _hex(run.seed),
            "practice": header.practice,
            "packs": header.packs,
            "beacon": header.beacon,
            "sets_after_seed": run.sets_after_seed or None,
            "engine": run.engine,
            "rules": run.rules,
            "started": run.started,
            "ended": run.ended,
            "stopped": run.outcome.reason or None,
            "config_sha256": digest(header.config),
            "games": run.games,
            "stories": run.stories or None,
            "notes": run.notes or None,
            "bot": list(map(asdict, header.bots)),
            "void": list(map(_void_table, run.voids)),
            "cpu": list(map(asdict, run.cpu)),
            "machine": [
                {"cpu": total.machine.cpu, "speed": total.machine.speed or None, "sets": total.sets}
                for total in run.machines
            ],
            "correction": list(map(_correction_table, run.corrections)),
            "unpaired": [
                {"round": number, "bots": tuple(sorted(bots))} for number, bots in sorted(run.unpaired.items())
            ],
            "place": list(map(_place_table, run.outcome.places)),
            "match": list(map(_match_table, run.outcome.matches)),
        }
    )


def _hex(seed: bytes | None) -> str | None:
    return None if seed is None else seed.hex()


def _void_table(void: VoidedSet) -> dict[str, object]:
    return {
        "entry": void.key.entry,
        "lineup": void.key.lineup,
        "set": void.key.number,
        "correction": void.correction or None,
        "attempt": void.attempt,
        "bots": void.bots,
        "why": void.why,
        "saved": void.saved,
    }


def _correction_table(correction: Correction) -> dict[str, object]:
    return {
        "number": correction.number,
        "kind": correction.kind,
        "bot": correction.bot or None,
        "by": correction.by,
        "why": correction.why,
        "saved": correction.saved,
        "commitment": correction.commitment or None,
        "seed": _hex(correction.seed),
        "games": correction.games,
        "sets": OnLines(map(str, correction.sets)) if correction.sets else None,
    }


def _place_table(place: Placement) -> dict[str, object]:
    numbers = {name: _float(getattr(place, name)) for name in ("points", "share", "opponents")}
    return {**asdict(place), **numbers, "byes": place.byes or None, "remark": place.remark or None}


def _match_table(match: MatchResult) -> dict[str, object]:
    if match.is_bye:
        return {"round": match.round, "title": match.title, "bot": match.bot}
    return {**asdict(match), "won": _float(match.won), "winner": match.winner or None}


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def read_run_text(text: str, config: str, place: str) -> ArchivedRun:
    """Read text that `run_text` wrote, for a run with this `config`. `place` names the text for users.

    Raises StoreError for anything else: text that is not TOML, a missing, unknown or wrong value, another order or
        spacing, a wrong digest of the text or the config.
    """
    try:
        table = load_toml(text, MAX_CHARACTERS)
    except ValueError as error:
        raise StoreError(f"{place}: {error}") from None
    try:
        run = _run(table, config, place)
    except KeyError as error:
        raise StoreError(f"{place}: {error} is missing") from None
    except (TypeError, ValueError) as error:
        raise StoreError(f"{place}: a value is wrong: {error}") from None
    wanted = run_text(run)
    if wanted != text:
        line = differing_line(text, wanted)
        raise StoreError(f"{place}, line {line}: the text was changed after it was written")
    return run


def _run(table: Mapping[str, Any], config: str, place: str) -> ArchivedRun:
    if table["format"] != RUN_FORMAT:
        raise StoreError(f"{place}: got format {table['format']!r}; must be {RUN_FORMAT!r}")
    if table["packs"] not in PACKS:
        raise ValueError(f"packs = {table['packs']!r}; must be one of {', '.join(PACKS)}")
    bots = tuple(
        Entrant(_name(bot["name"]), str(bot["version"]), str(bot["fingerprint"]), str(bot["author"]))
        for bot in table.get("bot", ())
    )
    if len({bot.name for bot in bots}) < len(bots):
        raise ValueError("two bots have one name")
    tournament_table(config)
    header = RunHeader(
        name=_name(table["name"]),
        commitment=_commitment(table["commitment"]),
        practice=table["practice"] is True,
        config=config,
        bots=bots,
        packs=table["packs"],
        beacon=str(table["beacon"]) if "beacon" in table else None,
    )
    names = {bot.name for bot in bots}
    corrections = tuple(_correction(one, header.fingerprint) for one in _tables_of(table, "correction"))
    if wrong := wrong_corrections(corrections, names):
        raise ValueError(wrong)
    voids = _voids(table.get("void", ()), header.fingerprint, corrections)
    if wrong := wrong_voids(voids, names):
        raise ValueError(wrong)
    cpu = tuple(
        CpuTotal(str(used["bot"]), _count(used["cpu_ms"], _MOST_CPU_MS), _count(used["processes"], _MOST_PROCESSES))
        for used in table.get("cpu", ())
    )
    named = [used.bot for used in cpu]
    if named != sorted(set(named) & {bot.name for bot in bots}):
        raise ValueError("the processor times are not one for each of some bots of the run, in order of their names")
    outcome = _outcome(table)
    if wrong := wrong_outcome(outcome, {bot.name for bot in bots}):
        raise ValueError(wrong)
    seed = _seed(table["seed"]) if "seed" in table else None
    if seed is not None and commitment_of(seed) != header.commitment:
        raise ValueError("the seed is not the committed one")
    run = ArchivedRun(
        header=header,
        seed=seed,
        engine=str(table["engine"]),
        rules=str(table["rules"]),
        started=_moment(table["started"]),
        ended=_moment(table["ended"]) if "ended" in table else None,
        games=_count(table["games"]),
        sets_after_seed=_count(table.get("sets_after_seed", 0)),
        stories=_count(table.get("stories", 0)),
        label=_name(table["label"]) if "label" in table else "",
        voids=voids,
        cpu=cpu,
        machines=_machines(table.get("machine", ())),
        outcome=outcome,
        corrections=corrections,
        notes=_count(table.get("notes", 0)),
        unpaired=_unpaired(_tables_of(table, "unpaired"), names),
    )
    if run.sets_after_seed > (games := run.games + run.voided_games):
        raise ValueError(f"{run.sets_after_seed} deal sets were added after the seed, and there are {games} games")
    return run


def _correction(table: Mapping[str, Any], run: str) -> Correction:
    return Correction(
        number=_count(table["number"]),
        kind=_text(table["kind"]),
        bot=_text(table.get("bot", "")),
        by=_text(table["by"]),
        why=_text(table["why"]),
        saved=_moment(table["saved"]),
        commitment=_commitment(table["commitment"]) if "commitment" in table else "",
        seed=_seed(table["seed"]) if "seed" in table else None,
        sets=tuple(_set_key(run, key) for key in _list(table.get("sets", []))),
        games=_count(table["games"]),
    )


def _tables_of(table: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise TypeError(f"{key} is not a list of tables")
    return found


def _set_key(run: str, key: object) -> SetKey:
    found = GameId.parse(f"{run}/{_text(key)}/0").set_key
    _count(found.number)
    return found


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"{shown(str(value), 40)} is not a list")
    return value


def _seed(value: object) -> bytes:
    if not _SEED.fullmatch(_text(value)):
        raise ValueError(f"{shown(str(value), 40)!r} is not a seed, which has 64 hex digits")
    return bytes.fromhex(str(value))


def _voids(tables: Iterable[Mapping[str, Any]], run: str, corrections: Sequence[Correction]) -> tuple[VoidedSet, ...]:
    """Return the voids. Raises ValueError if they are out of order or name a correction that does not exist."""
    found = [_void(void, run) for void in tables]
    if found != sorted(found, key=lambda void: (void.key, void.correction, void.attempt)):
        raise ValueError("the voids are not sorted by deal set, correction and attempt")
    if wrong := [void for void in found if void.correction > len(corrections)]:
        raise ValueError(f"deal set {wrong[0].key} is void under correction {wrong[0].correction}, which is missing")
    return marked_past(found, last_corrections(corrections))


def _unpaired(tables: Iterable[Mapping[str, Any]], entered: Collection[str]) -> dict[int, frozenset[str]]:
    """Return the bots not paired in each round. Raises ValueError unless they are bots of the run, round by round."""
    found: dict[int, frozenset[str]] = {}
    for table in tables:
        number, bots = _count(table["round"]), frozenset(map(_text, _list(table["bots"])))
        if not bots or not bots <= set(entered):
            raise ValueError(f"the bots that were not paired in round {number} are not some bots of the run")
        if number <= max(found, default=0):
            raise ValueError("the rounds in which bots were not paired are not in order, from 1")
        found[number] = bots
    return found


def _outcome(table: Mapping[str, Any]) -> Outcome:
    outcome = Outcome(
        reason=_text(table.get("stopped", "")),
        places=tuple(map(_place, table.get("place", ()))),
        matches=tuple(map(_match, table.get("match", ()))),
    )
    if outcome != OPEN and "ended" not in table:
        raise ValueError("a run that has not ended has no places, no matches, and no reason why it stopped")
    return outcome


def _place(table: Mapping[str, Any]) -> Placement:
    return Placement(
        place=table["place"],
        bot=table["bot"],
        points=_real(table["points"]) if "points" in table else None,
        share=_real(table["share"]) if "share" in table else None,
        opponents=_real(table["opponents"]) if "opponents" in table else None,
        byes=table.get("byes", 0),
        remark=table.get("remark", ""),
    )


def _match(table: Mapping[str, Any]) -> MatchResult:
    bot = table["bot"]
    if "opponent" not in table:
        return MatchResult(table["round"], table["title"], bot, "", 0.0, 0, bot, BYE)
    return MatchResult(
        round=table["round"],
        title=table["title"],
        bot=bot,
        opponent=table["opponent"],
        won=_real(table["won"]),
        games=table["games"],
        winner=table.get("winner", ""),
        decided_by=table["decided_by"],
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{shown(str(value), 40)} is not a text")
    return value


def _real(value: object) -> float:
    """Return a number with a decimal point, as `run_text` writes it. Raises ValueError for anything else."""
    if not isinstance(value, float):
        raise TypeError(f"{shown(str(value), 40)} is not a number with a decimal point")
    return value


def _machines(tables: Iterable[Mapping[str, Any]]) -> tuple[MachineTotal, ...]:
    totals = tuple(
        MachineTotal(Machine(_cpu(table["cpu"]), _count(table.get("speed", 0), MAX_SPEED)), _count(table["sets"]))
        for table in tables
    )
    machines = [total.machine for total in totals]
    if machines != sorted(set(machines)):
        raise ValueError("the machines are not listed once for each processor and speed, in that order")
    if any(total.sets == 0 for total in totals):
        raise ValueError("a machine has played no deal set")
    return totals


def _cpu(value: object) -> str:
    cpu = str(value)
    if not 1 <= len(cpu) <= LONGEST_CPU:
        raise ValueError(f"the model of a processor has 1 to {LONGEST_CPU} characters, not {len(cpu)}")
    return cpu


def _void(table: Mapping[str, Any], run: str) -> VoidedSet:
    number = _count(table["set"])
    place = GameId.parse(f"{run}/{table['entry']}/{table['lineup']}/{number}/0")
    return VoidedSet(
        key=SetKey(place.entry, place.lineup, number),
        attempt=_count(table["attempt"]),
        bots=tuple(map(str, table["bots"])),
        why=str(table["why"]),
        saved=_moment(table["saved"]),
        correction=_count(table.get("correction", 0)),
    )


def _name(value: object) -> str:
    if wrong := wrong_name(str(value)):
        raise ValueError(wrong)
    return str(value)


def _commitment(value: object) -> str:
    if not _COMMITMENT.fullmatch(str(value)):
        raise ValueError(f"{shown(str(value))!r} is not a commitment to a seed")
    return str(value)


def _moment(value: object) -> str:
    return datetime.fromisoformat(str(value)).isoformat(timespec="milliseconds")


def _count(value: object, most: int = _MOST) -> int:
    """Return a whole number from 0 to `most`, a power of ten. Raises ValueError for anything else."""
    if not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{shown(str(value))} is not a whole number from 0 to 10^{len(str(most)) - 1}")
    return value


def tournament_table(config: str) -> Mapping[str, Any]:
    """Return the table [tournament] of a run's config. Raises ValueError if the config is not a resolved file."""
    table = _document(config).get("tournament")
    if not isinstance(table, dict):
        raise ValueError("the run's config has no table [tournament]")
    return table


def schedule_of(table: Mapping[str, Any]) -> int:
    """Return the version of the rules of pairing and order under which a run is played, by default FIRST_SCHEDULE.

    table: [tournament] of its config. Raises ValueError for anything that is not a version.
    """
    schedule = table.get("schedule", FIRST_SCHEDULE)
    if type(schedule) is not int or schedule < FIRST_SCHEDULE:
        raise ValueError(f"the run's config: schedule is {shown(str(schedule), 40)}; must be a whole number from 1")
    return schedule


def beacon_source(config: str) -> str:
    """Return the source of a run's beacon, according to its config; "" if the config does not state it.

    Raises ValueError as `tournament_table` does.
    """
    return str(tournament_table(config).get("beacon_source", ""))


def networked_bots(config: str) -> frozenset[str]:
    """Return the names of the bots with a network, according to a run's config.

    Raises ValueError as `tournament_table` does. A bot without a name in its entry (in a config of an early version)
    has no network.
    """
    bots = _document(config).get("bot", [])
    entries = [one for one in bots if isinstance(one, dict)] if isinstance(bots, list) else []
    return frozenset(str(one["name"]) for one in entries if one.get("network") and "name" in one)


def _document(config: str) -> Mapping[str, Any]:
    try:
        return load_toml(config)
    except ValueError as error:
        raise ValueError(f"the run's config: {error}") from None
