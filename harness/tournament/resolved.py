"""The resolved copy of a tournament file: every default written out, the same text on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.records.quoting import quote
from harness.records.record import OptionValue
from harness.referee.keeping import PROCESSES
from harness.tournament.config import TournamentFile
from harness.tournament.format_terms import PAIRED, FormatTerms, StopRules
from harness.tournament.remote_bot import remote_lines


def resolved_text(file: TournamentFile) -> str:
    """The file as canonical TOML, stored with its run; it can be read as a tournament file again.

    Paths stand as they were typed. The seed is left out, since the run's commitment stands for it; so is what
    depends on the machine alone (`isolation`, `slots`) where it was not typed.
    """
    return "\n".join(_lines(file)) + "\n"


def _lines(file: TournamentFile) -> Iterator[str]:
    yield "[tournament]"
    yield f"name = {quote(file.name)}"
    yield f"format = {quote(file.format)}"
    yield f"unit = {quote(file.unit)}"
    yield f"sets = {file.sets}"
    yield from _format_lines(file.terms)
    if file.stop is not None:
        yield f"stop = {_stop(file.stop)}"
    yield f"instances = {quote(file.instances)}"
    yield f"packs = {quote(file.packs)}"
    yield f"tables = {file.tables}"
    if file.beacon is not None:
        yield f"beacon = {quote(file.beacon)}"
    yield f"copies = {_value(file.copies)}"
    yield f"max_restarts = {file.limits.max_restarts}"
    yield f"max_faults = {file.limits.max_faults}"
    if file.isolation:
        yield f"isolation = {quote(file.isolation)}"
    if file.slots:
        yield f"slots = {file.slots}"
    if file.processes != PROCESSES:
        yield f"processes = {file.processes}"
    yield from ("", "[time]")
    for key in ("per_decision", "bank", "increment", "startup", "margin"):
        yield f'{key} = "{getattr(file.time, f"{key}_ms")}ms"'
    for entry in file.variants:
        yield from ("", "[[variant]]")
        yield f"name = {quote(entry.variant)}"
        yield f"options = {_inline(entry.options)}"
        yield f"lineup = {quote(entry.lineups[0].kind)}"
        yield f"on_fault = {quote(entry.on_fault)}"
    for bot, spec in zip(file.entered, file.bots, strict=True):
        yield from ("", "[[bot]]")
        if spec.remote:
            yield from remote_lines(spec)
            continue
        yield f"path = {quote(bot.path)}"
        yield f"name = {quote(bot.name)}"
        yield f"arguments = [{', '.join(quote(argument) for argument in bot.arguments)}]"


def _format_lines(terms: FormatTerms) -> Iterator[str]:
    if terms.challengers:
        yield f"challengers = {_list(terms.challengers)}"
    if terms.rounds:
        yield f"rounds = {terms.rounds}"
    if terms.name in PAIRED:
        yield f"seeding = {quote(terms.seeding)}"


def _stop(rules: StopRules) -> str:
    """The rules as an inline table; times in milliseconds, numbers as exact as they were read."""
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
            f"sprt = {{ bots = {_list(test.bots)}, {numbers}, scale = {quote(test.scale)}, "
            f"measure = {quote(test.measure)} }}"
        )
    return f"{{ {', '.join(parts)} }}"


def _list(words: Sequence[str]) -> str:
    return f"[{', '.join(quote(word) for word in words)}]"


def _inline(options: Mapping[str, OptionValue]) -> str:
    return f"{{ {', '.join(f'{key} = {_value(options[key])}' for key in sorted(options))} }}"


def _value(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote(value) if isinstance(value, str) else str(value)
