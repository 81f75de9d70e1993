"""A group of commands that meets an unknown name with our word for it, or with the nearest match."""

from __future__ import annotations

import click

from bowerbird.harness.cli.shared.errors import ExitCode


class CommandGroup(click.Group):
    """A group of commands; the error for an unknown one suggests what to use instead (`unknown_words`)."""

    @property
    def shown(self) -> list[str]:
        """The commands that help lists; hidden ones are left out."""
        return [name for name, command in self.commands.items() if not command.hidden]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order they were added."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. If there are none and the group needs a command, print its help; that is wrong usage."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            from bowerbird.harness.cli.shared.output import echo

            for line in ctx.get_help().splitlines():
                echo(line, err=True)
            ctx.exit(ExitCode.USAGE)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command at the start of `args`. Raises UsageError, with a suggestion, if there is none."""
        if args and args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            from bowerbird.harness.cli.shared.unknown_words import unknown_command

            raise click.UsageError(unknown_command(ctx.command_path, args[0], self.shown), ctx)
        return super().resolve_command(ctx, args)
