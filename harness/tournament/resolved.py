"""The resolved copy of a tournament file: every default written out, the same text on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.records.quoting import quote
from harness.records.record import OptionValue
from harness.tournament.config import TournamentFile


def resolved_text(file: TournamentFile) -> str:
    """The file as canonical TOML, stored with its run.

    Paths stand as they were typed. The seed is left out, since the run's commitment stands for it; so is what
    depends on the machine alone (`slots`) where it was not typed.
    """
    return "\n".join(_lines(file)) + "\n"


def _lines(file: TournamentFile) -> Iterator[str]:
    yield "[tournament]"
    yield f"name = {quote(file.name)}"
    yield f"format = {quote(file.format)}"
    yield f"unit = {quote(file.unit)}"
    yield f"sets = {file.sets}"
    yield f"instances = {quote(file.instances)}"
    yield f"packs = {quote(file.packs)}"
    yield f"tables = {file.tables}"
    if file.slots:
        yield f"slots = {file.slots}"
    yield from ("", "[time]")
    for key in ("per_decision", "bank", "increment", "startup", "margin"):
        yield f'{key} = "{getattr(file.time, f"{key}_ms")}ms"'
    for entry in file.variants:
        yield from ("", "[[variant]]")
        yield f"name = {quote(entry.variant)}"
        yield f"options = {_inline(entry.options)}"
        yield f"lineup = {quote(entry.lineups[0].kind)}"
        yield f"on_fault = {quote(entry.on_fault)}"
    for bot, path in zip(file.bots, file.paths, strict=True):
        yield from ("", "[[bot]]")
        yield f"path = {quote(path)}"
        yield f"name = {quote(bot.name)}"


def _inline(options: Mapping[str, OptionValue]) -> str:
    return f"{{ {', '.join(f'{key} = {_value(options[key])}' for key in sorted(options))} }}"


def _value(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote(value) if isinstance(value, str) else str(value)


def first_difference(stored: str, new: str) -> tuple[str, str]:
    """The first lines in which two resolved copies differ, "nothing" standing for a line that one of them lacks."""
    old_lines, new_lines = _placed(stored), _placed(new)
    for index in range(max(len(old_lines), len(new_lines))):
        old = old_lines[index] if index < len(old_lines) else "nothing"
        now = new_lines[index] if index < len(new_lines) else "nothing"
        if old != now:
            return old, now
    raise ValueError("the two texts are equal")


def _placed(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]
