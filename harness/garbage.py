"""How often our programs look for garbage: `collect_rarely` is the first thing that the command and a worker do."""

import gc

COLLECT_AFTER = 10_000
"""How many objects may be made before Python looks for garbage among the latest. After 700, as it is used to, it would
look a hundred times while a match is imported, where all that is made stays, and spend an eighth of the time on it; and
then at every few dozen decisions, of which next to nothing is garbage that only it can find."""


def collect_rarely() -> None:
    """For this process, until it ends."""
    gc.set_threshold(COLLECT_AFTER)
