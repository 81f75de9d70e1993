"""Checks of what a user named against what a run holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.cli.errors import InputError

if TYPE_CHECKING:
    from harness.records.rows import RunRow
    from harness.records.store import Store


def variants_of(store: Store, run: RunRow) -> list[str]:
    """The variants of which the run holds games, in the order of their names."""
    return sorted({game.variant for game in store.games(run.fingerprint)})


def check_variant(store: Store, run: RunRow, variant: str | None) -> None:
    """Raises InputError if `variant` is named and the run holds no game of it."""
    if variant is not None and variant not in (known := variants_of(store, run)):
        from engine.wording import unknown

        raise InputError(f"run {run.fingerprint}: {unknown('variant', variant, known)}")


def check_bot(store: Store, run: RunRow, bot: str | None) -> None:
    """Raises InputError if `bot` is named and did not enter the run."""
    if bot is not None and bot not in (known := [each.name for each in store.bots(run.fingerprint)]):
        from engine.wording import unknown

        raise InputError(f"run {run.fingerprint}: {unknown('bot', bot, known)}")
