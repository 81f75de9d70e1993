"""The generated parts of tournament-file.md, bot-file.md and league-file.md: the lists of keys, from the schema.

`python -m tests.support.docs.file_pages` regenerates them (`parts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from bowerbird.harness.extras.league import schema as league_schema
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.toml.keys import Key
from tests.support.docs.parts import write_parts
from tests.support.docs.wrap import wrapped
from tests.support.paths import DOCS

TOURNAMENT_PAGE = DOCS / "reference" / "tournament-file.md"
LEAGUE_PAGE = DOCS / "reference" / "league-file.md"
BOT_PAGE = DOCS / "reference" / "bot-file.md"

PARTS: Mapping[Path, Mapping[str, Sequence[Key]]] = {
    TOURNAMENT_PAGE: {
        "tournament-keys": schema.TOURNAMENT_TABLE.keys,
        "stop-keys": schema.STOP_TABLE.keys,
        "sprt-keys": schema.SPRT_TABLE.keys,
        "time-keys": schema.TIME_TABLE.keys,
        "variant-keys": schema.VARIANT_TABLE.keys,
        "bot-keys": schema.LOCAL_BOT_TABLE.keys,
        "remote-bot-keys": schema.REMOTE_BOT_TABLE.keys,
    },
    BOT_PAGE: {
        "bot-file-keys": [key for key in schema.BOT_FILE.keys if key is not schema.BOT_SANDBOX],
        "sandbox-keys": schema.SANDBOX_TABLE.keys,
    },
    LEAGUE_PAGE: {
        "league-keys": league_schema.LEAGUE_TABLE.keys,
        "drand-keys": league_schema.DRAND_TABLE.keys,
    },
}
"""The keys of each generated list, by its name and its page."""


def key_list(keys: Sequence[Key]) -> str:
    """Return the list of keys of a page: each with its values, its default, its sentences and an example."""
    items = []
    for key in keys:
        default = "Required" if key.required else f"Default: {key.default_text}"
        only = f" Only in {' and '.join(f'`{format_}`' for format_ in key.formats)}." if key.formats else ""
        value = f"{key.value_text[0].upper()}{key.value_text[1:]}"
        facts = f"`{key.name}`: {key.text} {value}. {default}.{only} Example: `{key.name} = {key.example}`."
        items.append(wrapped(f"- {facts}"))
    return "".join(items).rstrip()


def decided_list() -> str:
    """Return the list of the keys that a league file does not have, with the reason."""
    return "".join(wrapped(f"- `{key.name}`: {why}.") for key, why in league_schema.DECIDED.items()).rstrip()


def main() -> None:
    """Regenerate all generated lists."""
    write_parts(
        {page: {name: partial(key_list, keys) for name, keys in parts.items()} for page, parts in PARTS.items()}
    )
    write_parts({LEAGUE_PAGE: {"decided-keys": decided_list}})


if __name__ == "__main__":
    main()
