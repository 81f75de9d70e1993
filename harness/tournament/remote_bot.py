"""A `[[bot]]` with `remote = true`: an entrant that runs elsewhere and dials in (PROTOCOL.md, "Who talks to whom")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.records.quoting import quote
from harness.records.run import REMOTE
from harness.referee.spec import BotSpec
from harness.tournament.bot_file import MOST_TABLES, check_name, check_variants
from harness.tournament.errors import RemoteBotError
from harness.tournament.section import Section
from harness.tournament.source import Source

DEFAULT_TABLES = 16
"""How many tables a remote bot may be given at once; it says itself, in its Hello, if it can do fewer."""


def read_remote(source: Source, section: Section) -> BotSpec:
    """The rest of such a `[[bot]]`: what a bot.toml would say stands here. Raises ConfigError."""
    name = section.text("name")
    check_name(source, section.where("name"), name)
    spec = BotSpec(
        name=name,
        version=section.text("version", "0"),
        author=section.text("author", ""),
        command=(),
        cwd=Path(),
        build=(),
        environment={},
        variants=check_variants(source, section.where("variants"), section.texts("variants", ("*",))),
        tables=section.integer("tables", DEFAULT_TABLES, low=1, high=MOST_TABLES),
        memory_mb=0,
        read=(),
        source=Path(source.label),
        fingerprint=REMOTE,
        remote=True,
    )
    for key in ("path", "arguments"):
        if section.has(key):
            raise source.error(section.where(key), f"bot {name!r} is remote and runs elsewhere, leave {key!r} out")
    section.done()
    return spec


def remote_lines(bot: BotSpec) -> Iterator[str]:
    """The entry as canonical TOML; it can be read again."""
    yield "remote = true"
    yield f"name = {quote(bot.name)}"
    yield f"version = {quote(bot.version)}"
    yield f"author = {quote(bot.author)}"
    yield f"variants = [{', '.join(quote(variant) for variant in bot.variants)}]"
    yield f"tables = {bot.tables}"


def check_all_local(bots: Sequence[BotSpec]) -> None:
    """Refuse to play remote bots where nobody can dial in. Raises RemoteBotError."""
    remote = [bot for bot in bots if bot.remote]
    if remote:
        raise RemoteBotError(
            f"{remote[0].source}: bot {remote[0].name!r} is remote: only `bowerbird host` lets it in, "
            "play the file with that"
        )
