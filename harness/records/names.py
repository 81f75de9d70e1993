"""What a run and a bot may be called, so that the name can stand in an id such as "4f1c9a/buck-0/greedy+pimc/12/3"."""

from __future__ import annotations

import re

LONGEST_NAME = 40
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}}")


def wrong_name(name: str) -> str:
    """Why nothing can be called so; "" if it can."""
    if _NAME.fullmatch(name):
        return ""
    return (
        f"{name!r} is not allowed, a name has 1 to {LONGEST_NAME} letters, digits, dots, dashes and underscores "
        "and begins with a letter or digit"
    )
