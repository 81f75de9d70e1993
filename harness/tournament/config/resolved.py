"""The resolved copy of a tournament file: canonical TOML with every default, the same text on every machine."""

from __future__ import annotations

from collections.abc import Iterator

from bowerbird.harness.records.quoting import quote, toml_text
from bowerbird.harness.records.text.run_text import FIRST_SCHEDULE
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.records.values.placements import SHARED_PLACE
from bowerbird.harness.records.values.run import NOT_RATED
from bowerbird.harness.referee.spec import MAX_PROCESSES, MAX_SHARE, BotSpec, FaultLimits
from bowerbird.harness.tournament.config.bot_entries import BotEntry, remote_lines
from bowerbird.harness.tournament.config.format_keys import FormatTerms, StopRules
from bowerbird.harness.tournament.config.schema import ADAPTIVE, ELO, PAIRED
from bowerbird.harness.tournament.config.tournament_file import TournamentFile


def resolved_text(file: TournamentFile) -> str:
    """Return the text that is stored with the run, which can be read as a tournament file again.

    Paths are as typed, except that a folder's name gets "./" in front. The seed is left out: the run's commitment
    stands for it. `isolation` and `slots`, whose defaults depend on the machine, are left out if they were not typed.
    """
    return "\n".join(_lines(file)) + "\n"


def _lines(file: TournamentFile) -> Iterator[str]:
    yield "[tournament]"
    yield f"name = {quote(file.name)}"
    yield f"format = {quote(file.format)}"
    if file.stage is not None:
        yield f"stage = {{ run = {quote(file.stage.run)}, best = {file.stage.best} }}"
    yield f"unit = {quote(file.unit)}"
    yield from _ranking_lines(file)
    if file.format != ADAPTIVE:
        yield f"sets = {file.sets}"
    if not file.rated:
        yield NOT_RATED
    yield from _format_lines(file.terms)
    if file.stop is not None:
        yield f"stop = {_stop(file.stop)}"
    yield f"instances = {quote(file.instances)}"
    yield f"packs = {quote(file.packs)}"
    yield f"tables = {file.tables}"
    yield from _beacon_lines(file)
    yield f"copies = {toml_text(file.copies)}"
    yield f"max_restarts = {file.limits.max_restarts}"
    yield f"max_faults = {file.limits.max_faults}"
    if file.limits.reconnect_ms != FaultLimits().reconnect_ms:
        yield f'reconnect = "{file.limits.reconnect_ms}ms"'
    yield from _machine_lines(file)
    yield from _time_lines(file.time)
    for entry in file.variants:
        yield from ("", "[[variant]]")
        yield f"name = {quote(entry.variant)}"
        yield f"options = {toml_text(dict(sorted(entry.options.items())))}"
        yield f"lineup = {quote(entry.lineups[0].kind)}"
        yield f"on_fault = {quote(entry.on_fault)}"
        if entry.weight != 1:  # older copies have none
            yield f"weight = {entry.weight!r}"
    for bot, spec in zip(file.bot_entries, file.bots, strict=True):
        yield from ("", "[[bot]]")
        if spec.remote:
            yield from remote_lines(spec)
            yield from _own_time_lines(spec)
            if file.format == ADAPTIVE:  # other formats never wrote it
                yield from _prior_lines(bot)
            continue
        yield f"path = {quote(bot.path)}"
        yield f"name = {quote(bot.name)}"
        yield f"arguments = {toml_text(bot.arguments)}"
        yield from _own_time_lines(spec)
        yield from _prior_lines(bot)
        if bot.network:
            yield f"network = {quote(bot.network)}"
        if bot.secrets:
            yield f"secrets = {toml_text(bot.secrets)}"


def _ranking_lines(file: TournamentFile) -> Iterator[str]:
    if file.rank_by != ELO:
        yield f"rank_by = {quote(file.rank_by)}"
    if file.anchors:
        yield f"anchors = {toml_text(dict(file.anchors))}"


def _beacon_lines(file: TournamentFile) -> Iterator[str]:
    if file.beacon is not None:
        yield f"beacon = {quote(file.beacon)}"
    if file.beacon_source:
        yield f"beacon_source = {quote(file.beacon_source)}"


def _own_time_lines(bot: BotSpec) -> Iterator[str]:
    if bot.time is not None:  # older copies have none
        clock = bot.time
        times = {
            "per_decision": clock.per_decision_ms,
            "bank": clock.bank_ms,
            "increment": clock.increment_ms,
            "game": clock.game_ms,
        }
        yield f"time = {toml_text({key: f'{ms}ms' for key, ms in times.items()})}"


def _prior_lines(bot: BotEntry) -> Iterator[str]:
    if bot.rating is not None:
        yield f"rating = {bot.rating}"
    if bot.deviation is not None:
        yield f"deviation = {bot.deviation}"


def _machine_lines(file: TournamentFile) -> Iterator[str]:
    if file.isolation:
        yield f"isolation = {quote(file.isolation)}"
    if file.slots:
        yield f"slots = {file.slots}"
    if file.processes != MAX_PROCESSES:
        yield f"processes = {file.processes}"
    if file.ponder:
        yield "ponder = true"
    if file.max_share != MAX_SHARE:
        yield f"max_share = {file.max_share!r}"


def _time_lines(time: TimeControl) -> Iterator[str]:
    yield from ("", "[time]")
    for key in ("per_decision", "bank", "increment", "startup", "margin"):
        yield f'{key} = "{getattr(time, f"{key}_ms")}ms"'
    if time.game_ms:
        yield f'game = "{time.game_ms}ms"'


def _format_lines(terms: FormatTerms) -> Iterator[str]:
    if terms.equal_places != SHARED_PLACE:  # older copies have none
        yield f"equal_places = {quote(terms.equal_places)}"
    if terms.challengers:
        yield f"challengers = {toml_text(terms.challengers)}"
    if terms.name == ADAPTIVE:
        yield f"total_sets = {terms.total_sets}"
        yield f"round_sets = {terms.round_sets}"
    if terms.rounds:
        yield f"rounds = {terms.rounds}"
    if terms.name in PAIRED:
        yield f"seeding = {quote(terms.seeding)}"
    if terms.schedule > FIRST_SCHEDULE:  # older copies have none
        yield f"schedule = {terms.schedule}"


def _stop(rules: StopRules) -> str:
    """Return the rules as an inline table; times in milliseconds, numbers in full precision."""
    parts = [f"every = {rules.every}"]
    if rules.time_ms:
        parts.append(f'time = "{rules.time_ms}ms"')
    if rules.decisions:
        parts.append(f"decisions = {rules.decisions}")
    if rules.settled:
        parts.append(f"settled = {rules.settled!r}")
    if rules.sprt is not None:
        test = rules.sprt
        numbers = ", ".join(f"{key} = {getattr(test, key)!r}" for key in ("elo0", "elo1", "alpha", "beta"))
        parts.append(
            f"sprt = {{ bots = {toml_text(test.bots)}, {numbers}, scale = {quote(test.scale)}, "
            f"measure = {quote(test.measure)} }}"
        )
    return f"{{ {', '.join(parts)} }}"
