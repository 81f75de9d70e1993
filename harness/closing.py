"""Objects that are closed at the end of a `with` block."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """A context manager that returns itself and always closes itself at the end."""

    def close(self) -> None:
        """Release its resources."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Return self."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()
