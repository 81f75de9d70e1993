"""The long-lived process of a league, which starts one process for each epoch and waits for it.

It has no games and no bots, so it does not grow, and an epoch that fails damages nothing else. A new version of
Bowerbird plays from the next epoch on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from bowerbird.harness.extras.league.accepted_file import Say
from bowerbird.harness.extras.league.epoch import Ended
from bowerbird.harness.process_settings import without_interrupts

INTERRUPTED = 130
"""The exit code of a command that a signal ended."""

CHECK_S = 1.0
"""How often a paused league checks whether it may continue."""

RETRY_S = 10.0
"""How long a league with too few bots waits before it checks again."""

FIRST_WAIT_S, LONGEST_WAIT_S = 5.0, 300.0
"""How long a league waits after an epoch's process has failed. The wait doubles each time."""


class EpochLoop:
    """Keeps a league going until a signal."""

    def __init__(
        self, command: Sequence[str], say: Say, *, pause_s: Callable[[], float], inherited: Sequence[int] = ()
    ) -> None:
        """Prepare the processes of the epochs.

        command: the command line that plays one epoch.
        pause_s: returns how many seconds to rest between two epochs.
        inherited: the file descriptors that these processes inherit.
        """
        self._command = command
        self._say = say
        self._pause_s = pause_s
        self._inherited = inherited
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._said = Ended.PLAYED

    def run(self) -> None:
        """Play epoch after epoch. Return after SIGINT, SIGTERM or SIGHUP, when the process of the epoch has ended."""
        failures = 0
        with self._signals():
            while not self._stopping.is_set():
                code = self._play_one()
                if code == INTERRUPTED or self._stopping.is_set():
                    return
                known = code in set(Ended)
                failures = 0 if known else failures + 1
                self._stopping.wait(self._wait_s(Ended(code)) if known else self._after_failure_s(code, failures))

    def _wait_s(self, ended: Ended) -> float:
        """Return how long to wait, in seconds. Print the reason, unless it was the last one printed."""
        news, self._said = ended != self._said, ended
        if ended is Ended.PLAYED:
            return self._pause_s()
        if ended is Ended.PAUSED:
            if news:
                self._say("the league is paused; to continue: bowerbird league resume")
            return CHECK_S
        if news:
            self._say("the league waits for bots, and keeps checking its file")
        return RETRY_S

    def _after_failure_s(self, code: int, failures: int) -> float:
        wait_s = min(FIRST_WAIT_S * 2.0 ** min(failures - 1, 10), LONGEST_WAIT_S)
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self._say(f"the process of the epoch {how}; what is stored is kept, and it continues in {wait_s:g} s")
        return wait_s

    def _play_one(self) -> int:
        """Run the process of an epoch, and return its exit code.

        It ends when this process ends, for whatever reason.
        """
        with without_interrupts():  # until our entry point runs, a signal shows a traceback
            process = subprocess.Popen(self._command, stdin=subprocess.PIPE, process_group=0, pass_fds=self._inherited)
        with process:
            self._process = process
            if self._stopping.is_set():
                process.terminate()
            try:
                return process.wait()
            finally:
                self._process = None

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Pass ending signals on to the process of the epoch. Stop and continue it together with this process."""
        ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.getsignal(number) for number in (*ending, signal.SIGTSTP)}
        for number in ending:
            if before[number] is not signal.SIG_IGN:  # as under nohup
                signal.signal(number, self._end)
        signal.signal(signal.SIGTSTP, self._stop)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self._stopping.set()
        self._send(number)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        """Stop this process and that of the epoch after Ctrl-Z, and continue the latter when this one is continued."""
        self._send(signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        self._send(signal.SIGCONT)

    def _send(self, number: int) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(number)
