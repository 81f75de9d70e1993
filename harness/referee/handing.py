"""Handing a program bytes that are no file: through a descriptor whose number stands in its command.

Standard library only: the launcher process uses it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

HANDED = "{handed}"
"""The first word of this kind in a command becomes the number of the descriptor."""


@contextmanager
def handing(argv: Sequence[str], content: bytes) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """The command with the number in it, and the descriptors that it must inherit; none where there is no content."""
    if not content:
        yield list(argv), ()
        return
    descriptor = os.memfd_create("handed")
    try:
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        place = list(argv).index(HANDED)
        yield [*argv[:place], str(descriptor), *argv[place + 1 :]], (descriptor,)
    finally:
        os.close(descriptor)
