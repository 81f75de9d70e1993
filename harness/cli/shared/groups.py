"""A group of commands that answers an unknown name with the nearest match."""

from __future__ import annotations

import click


class CommandGroup(click.Group):
    """A group of commands; the error for an unknown one names the nearest match."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which they were added."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command at the start of `args`. Raises UsageError, with the nearest match, if there is none."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            from engine import unknown

            raise click.UsageError(unknown("command", args[0], known), ctx)
        return super().resolve_command(ctx, args)
