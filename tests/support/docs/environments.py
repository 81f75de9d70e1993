"""The generated parts of environments.md: the numbers of actions and the fields of observations of one variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bowerbird.envs import action_numbers, layout_of
from tests.support.docs.parts import write_parts
from tests.support.paths import DOCS

PAGE = DOCS / "reference" / "environments.md"
VARIANT = "two-handed"


def actions_text() -> str:
    """Return the table of action numbers."""
    rows = (line.strip().split(maxsplit=1) for line in str(action_numbers(VARIANT)).splitlines())
    return "\n".join(["| number | action |", "|---|---|", *(f"| {numbers} | {tokens} |" for numbers, tokens in rows)])


def observation_text() -> str:
    """Return the table of fields, and the sentence after it."""
    layout = layout_of(VARIANT)
    rows = []
    for field in layout.fields.values():
        last = field.offset + field.length - 1
        places = str(last) if field.length == 1 else f"{field.offset}-{last}"
        star = " \\*" if field.part == "seats" else ""
        values = f": {', '.join(field.values)}" if field.values else ""
        rows.append(f"| {field.part} | {places}{star} | `{field.name}` | {field.meaning}{values} |")
    table = "\n".join(["| part | places | field | meaning |", "|---|---|---|---|", *rows])
    blocks = f"The block of the other seat begins {layout.block} places later."
    return f"{table}\n\n{blocks} There are {layout.size} numbers,\n{layout.bits} of them ones and zeros."


PARTS: Mapping[str, Callable[[], str]] = {"action numbers": actions_text, "observation": observation_text}


def main() -> None:
    """Regenerate the parts."""
    write_parts({PAGE: PARTS})


if __name__ == "__main__":
    main()
