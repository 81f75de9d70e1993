"""The generated parts of tournament-file.md and bot-file.md: the lists of keys, from the schema.

`python -m tests.support.docs.file_pages` writes them anew. They stand between `<!-- begin NAME -->` and
`<!-- end NAME -->`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.tournament.config import schema
from harness.tournament.config.toml.keys import Key
from tests.support.docs.pages import DOCS, part_pattern

TOURNAMENT_PAGE = DOCS / "reference" / "tournament-file.md"
BOT_PAGE = DOCS / "reference" / "bot-file.md"
WIDTH = 78

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
        items += _wrapped(facts)
    return "\n".join(items)


def _wrapped(text: str) -> list[str]:
    """Return the lines of an item of a list; what stands in backquotes stays on one line."""
    kept = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        kept, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\0", " ") for line in lines]


def main() -> None:
    """Write all generated lists anew."""
    for page, parts in PARTS.items():
        text = page.read_text(encoding="utf-8")
        for name, keys in parts.items():
            text = part_pattern(name).sub(f"{key_list(keys)}\n".replace("\\", r"\\"), text)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
