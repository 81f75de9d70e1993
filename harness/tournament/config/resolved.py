"""The resolved copy of a tournament file: canonical TOML with every default, the same text on every machine."""

from __future__ import annotations

from dataclasses import asdict

from bowerbird.harness.records.text.canonical import Table, toml_lines
from bowerbird.harness.records.text.run_text import FIRST_SCHEDULE
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.records.values.placements import SHARED_PLACE
from bowerbird.harness.referee.spec import MAX_PROCESSES, MAX_SHARE, BotSpec, FaultLimits
from bowerbird.harness.tournament.config.bot_entries import BotEntry
from bowerbird.harness.tournament.config.format_keys import StopRules
from bowerbird.harness.tournament.config.schema import ADAPTIVE, ELO, PAIRED
from bowerbird.harness.tournament.config.tournament_file import TournamentFile


def resolved_text(file: TournamentFile) -> str:
    """Return the text that is stored with the run. It is a valid tournament file.

    Paths are as written, except that a folder's name gets a leading "./". The seed is left out, since the run stores a
    commitment to it instead. `isolation` and `slots`, whose defaults depend on the machine, are left out unless they
    were given.
    """
    return "\n".join(toml_lines(_document(file))).removeprefix("\n") + "\n"


def _document(file: TournamentFile) -> dict[str, object]:
    """Return the values of the copy.

    Keys with the value None are left out. Keys that older copies lack are None when they have their default.
    """
    terms, limits = file.terms, file.limits
    is_adaptive = file.format == ADAPTIVE
    return {
        "tournament": Table(
            name=file.name,
            format=file.format,
            stage=None if file.stage is None else {"run": file.stage.run, "best": file.stage.best},
            unit=file.unit,
            rank_by=file.rank_by if file.rank_by != ELO else None,
            anchors=dict(file.anchors) or None,
            sets=None if is_adaptive else file.sets,
            rated=None if file.rated else False,
            equal_places=terms.equal_places if terms.equal_places != SHARED_PLACE else None,
            challengers=terms.challengers or None,
            total_sets=terms.total_sets if is_adaptive else None,
            round_sets=terms.round_sets if is_adaptive else None,
            rounds=terms.rounds or None,
            seeding=terms.seeding if terms.name in PAIRED else None,
            schedule=terms.schedule if terms.schedule > FIRST_SCHEDULE else None,
            stop=None if file.stop is None else _stop(file.stop),
            instances=file.instances,
            packs=file.packs,
            tables=file.tables,
            beacon=file.beacon,
            beacon_source=file.beacon_source or None,
            copies=file.copies,
            max_restarts=limits.max_restarts,
            max_faults=limits.max_faults,
            reconnect=f"{limits.reconnect_ms}ms" if limits.reconnect_ms != FaultLimits().reconnect_ms else None,
            isolation=file.isolation or None,
            slots=file.slots or None,
            processes=file.processes if file.processes != MAX_PROCESSES else None,
            ponder=file.ponder or None,
            max_share=file.max_share if file.max_share != MAX_SHARE else None,
        ),
        "time": Table(
            _times(file.time, "per_decision", "bank", "increment", "startup", "margin"),
            game=f"{file.time.game_ms}ms" if file.time.game_ms else None,
        ),
        "variant": [
            {
                "name": entry.variant,
                "options": dict(sorted(entry.options.items())),
                "lineup": entry.lineups[0].kind,
                "on_fault": entry.on_fault,
                "weight": entry.weight if entry.weight != 1 else None,
            }
            for entry in file.variants
        ],
        "bot": [
            _remote(bot, spec, has_prior=is_adaptive) if spec.remote else _local(bot, spec)
            for bot, spec in zip(file.bot_entries, file.bots, strict=True)
        ],
    }


def _local(bot: BotEntry, spec: BotSpec) -> dict[str, object]:
    return {
        "path": bot.path,
        "name": bot.name,
        "arguments": bot.arguments,
        "time": _own_time(spec),
        "rating": bot.rating,
        "deviation": bot.deviation,
        "network": bot.network or None,
        "secrets": bot.secrets or None,
    }


def _remote(bot: BotEntry, spec: BotSpec, *, has_prior: bool) -> dict[str, object]:
    """Return a remote bot's entry. `has_prior`: whether to write its rating, which only some formats do."""
    return {
        "remote": True,
        "name": spec.name,
        "version": spec.version,
        "author": spec.author,
        "variants": spec.variants,
        "tables": spec.tables,
        "time": _own_time(spec),
        "rating": bot.rating if has_prior else None,
        "deviation": bot.deviation if has_prior else None,
    }


def _own_time(bot: BotSpec) -> dict[str, str] | None:
    return None if bot.time is None else _times(bot.time, "per_decision", "bank", "increment", "game")


def _times(clock: TimeControl, *keys: str) -> dict[str, str]:
    return {key: f"{getattr(clock, f'{key}_ms')}ms" for key in keys}


def _stop(rules: StopRules) -> dict[str, object]:
    """Return the rules that are set; times are in milliseconds."""
    rows: dict[str, object] = {
        "every": rules.every,
        "time": rules.time_ms and f"{rules.time_ms}ms",
        "decisions": rules.decisions,
        "settled": rules.settled,
        "sprt": rules.sprt and asdict(rules.sprt),
    }
    return {key: value for key, value in rows.items() if value}
