"""The entry point of the installed command."""

import sys

from bowerbird.harness.process_settings import configure_garbage_collection, configure_grpc, configure_linear_algebra

INTERRUPTED = 130
"""The value of `ExitCode.INTERRUPTED`, whose module imports click."""


def main() -> None:
    """Run the command and exit with its code. An interrupt during its import exits without a traceback, too."""
    configure_garbage_collection()
    configure_grpc()
    configure_linear_algebra()
    try:
        from bowerbird.harness.cli.main import run
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(run(sys.argv[1:]))
