"""The options that optional parts add to commands so that they can play or work on other machines."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from bowerbird.harness.extensions import offers

if TYPE_CHECKING:
    from bowerbird.harness.tournament.executors.other_machines import MachineOptions


def machine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command that plays. It gets `machines`: an OtherMachines, or None for this machine."""
    return _with_options(command, plays=True)


def work_machine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command that works on games already played, as `machine_options` does."""
    return _with_options(command, plays=False)


def _with_options(command: Callable[..., Any], *, plays: bool) -> Callable[..., Any]:
    modules: list[MachineOptions] = list(offers("machines"))

    @wraps(command)
    def with_machines(**given: Any) -> Any:
        named = [one for module in modules if (one := module.taken_from(given)) is not None]
        if len(named) > 1:
            raise click.UsageError(f"{named[0].option} and {named[1].option} are two ways to play: use only one")
        if named and given.get("jobs", 1) != 1:
            raise click.UsageError(f"--jobs is for this machine alone: leave it out with {named[0].option}")
        return command(machines=named[0] if named else None, **given)

    decorated: Callable[..., Any] = with_machines
    for module in reversed(modules):
        for option in reversed(module.options(plays=plays)):
            decorated = option(decorated)
    return decorated
