"""Where the installed command begins: an interrupt that comes while it is loaded ends it as any other does."""

import sys

INTERRUPTED = 130
"""As `errors.Ending` has it, which is not there before click is."""


def main() -> None:
    """Load the command and carry it out; click takes a moment to be imported."""
    try:
        from harness.cli.main import main as command
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    command()
