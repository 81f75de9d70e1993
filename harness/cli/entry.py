"""The entry point of the installed command."""

import sys

INTERRUPTED = 130
"""The value of `ExitCode.INTERRUPTED`, repeated here because that module imports click."""


def main() -> None:
    """Run the command and exit with its code. An interrupt never shows a traceback."""
    sys.exit(_code())


def _code() -> int:
    try:
        import io
        import signal

        if hasattr(signal, "pthread_sigmask"):  # a league starts its epochs with the signal blocked
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        from bowerbird.harness.process_settings import (
            configure_garbage_collection,
            configure_grpc,
            configure_linear_algebra,
        )

        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # a terminal with another encoding shows the characters it has
                stream.reconfigure(errors="replace")
        configure_garbage_collection()
        configure_grpc()
        configure_linear_algebra()
        from bowerbird.harness.cli.main import run

        code = run(sys.argv[1:])
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the interpreter is left to end
    except KeyboardInterrupt:  # while a command loads, or a second Ctrl-C while the first is being reported
        return INTERRUPTED
    return code
