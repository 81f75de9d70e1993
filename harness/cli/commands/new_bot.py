"""`bowerbird new-bot DIR --lang X`: copies a starter, a small bot in the chosen language."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import click

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import command_line, echo, print_json
from bowerbird.harness.resources import MANIFEST, proto_folder, starter_folder

LANGUAGES = ("python", "go", "rust", "java", "node", "cpp")

ALSO = {
    **{"py": "python", "python3": "python", "golang": "go", "rs": "rust", "c++": "cpp", "cxx": "cpp", "cc": "cpp"},
    **{"typescript": "node", "ts": "node", "javascript": "node", "js": "node", "nodejs": "node", "node.js": "node"},
}
"""Other names that people use for the languages."""

NAME_LINE = re.compile(r'^name = ".*"$', re.MULTILINE)


class Language(click.Choice[str]):
    """A choice of languages that also accepts their other common names."""

    def convert(self, value: str, parameter: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of the starter."""
        return super().convert(ALSO.get(value.lower(), value.lower()), parameter, ctx)


@click.command("new-bot", epilog=examples("new-bot mybot --lang python", "new-bot bots/fox --lang rust --name fox"))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--lang",
    required=True,
    type=Language(LANGUAGES),
    metavar="LANGUAGE",
    help=f"The language of the bot: {', '.join(LANGUAGES[:-1])} or {LANGUAGES[-1]}.",
)
@click.option("--name", metavar="NAME", help="The bot's name in standings. By default the folder's name.")
@json_option
@debug_option
def command(folder: Path, lang: str, name: str | None, as_json: bool) -> None:
    """Create a starter bot in the folder DIR. It plays every variant at random.

    The folder has everything the bot needs, so you can move it. In every language but Python it includes the protocol's
    .proto files; in Python Bowerbird's SDK replaces them.
    """
    manifest = copy_starter(lang, folder, name)
    if as_json:
        print_json({"folder": folder, "manifest": manifest, "language": lang})
        return
    echo(f"written: {folder}; read {folder / 'README.md'}")
    echo("Try next:")
    for arguments, why in (
        (["match", _as_bot(folder), "random", "--variant", "buck"], "play it"),
        (["play", "buck", "--with", _as_bot(folder)], "beat your own bot"),
        (["check-bot", _as_bot(folder)], "check it against the whole protocol"),
    ):
        echo(f"  # {why}")
        echo(f"  {command_line(arguments)}")


def _as_bot(folder: Path) -> str:
    """Return the folder as typed on a command line. A bare name would mean a bundled bot, so it gets a leading "./"."""
    return str(folder) if len(folder.parts) > 1 else f"./{folder}"


def copy_starter(language: str, folder: Path, name: str | None = None) -> Path:
    """Copy a language's starter and the protocol to `folder`. Return the path of its bot.toml.

    folder: new or empty.
    name: the bot's name; None for the folder's name.

    Raises InputError before writing anything if the folder is not empty or the name is not allowed for a bot, and later
    if a file cannot be written.
    """
    from bowerbird.harness.records.values.run import wrong_name
    from bowerbird.harness.tournament.config.fingerprint import EXCLUDED
    from bowerbird.harness.tournament.preparation.bot_copy import copy_folder
    from bowerbird.harness.tournament.preparation.build_place import STAMP

    bot = folder.absolute().name if name is None else name
    if wrong := wrong_name(bot):
        raise InputError(f"the bot's name {wrong}; give it one with --name")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file; name a folder that does not exist yet")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder}: this folder is not empty; name one that does not exist yet")
    try:
        copy_folder(starter_folder(language), folder, {*EXCLUDED, STAMP, "proto"})
        if language != "python":
            copy_folder(proto_folder(), folder / "proto", EXCLUDED)
    except shutil.Error as error:  # the error lists every file that failed; one is enough
        _, target, reason = error.args[0][0]
        raise InputError(f"{target}: cannot be written ({reason})") from error
    manifest = folder / MANIFEST
    manifest.write_text(
        NAME_LINE.sub(f'name = "{bot}"', manifest.read_text(encoding="utf-8"), count=1), encoding="utf-8"
    )
    # *.env: invitations from `bowerbird host` contain tokens
    lines = [*(f"{each}/" for each in sorted(EXCLUDED)), STAMP, "*.env"]
    (folder / ".gitignore").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return manifest
