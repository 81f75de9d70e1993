"""faults.md, gRPC server: the end of a stream does not say how the process ended. Both ends may arrive in any order."""

from bowerbird.harness.referee.connection.exit_cause import VERDICT_NS, ExitCause
from bowerbird.harness.referee.process.supervisor import ExitStatus


def test_nothing_has_ended() -> None:
    assert ExitCause().fault(10 * VERDICT_NS) is None


def test_a_killed_process_is_a_crash_as_soon_as_its_stream_is_over() -> None:
    ending = ExitCause()
    ending.process_ended(ExitStatus(-9), now_ns=5)
    assert ending.fault(5) is None, "answers may still be on their way"
    ending.stream_ended(now_ns=6)
    fault = ending.fault(6)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("CRASHED", "signal 9 (SIGKILL)")


def test_a_stream_that_ends_first_waits_for_the_exit_status() -> None:
    ending = ExitCause()
    ending.stream_ended(now_ns=5)
    assert ending.fault(4 + VERDICT_NS) is None
    ending.process_ended(ExitStatus(3), now_ns=4 + VERDICT_NS)
    fault = ending.fault(4 + VERDICT_NS)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("CRASHED", "exit status 3")


def test_a_process_that_lives_on_is_disconnected() -> None:
    ending = ExitCause()
    ending.stream_ended(now_ns=5)
    fault = ending.fault(5 + VERDICT_NS)
    assert fault is not None
    assert fault.kind == "DISCONNECTED"


def test_a_stream_that_strays_hold_open_does_not_hide_a_crash() -> None:
    ending = ExitCause()
    ending.process_ended(ExitStatus(4), now_ns=5)
    fault = ending.fault(5 + VERDICT_NS)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("CRASHED", "exit status 4")


def test_a_process_that_ends_well_in_mid_hand_has_left() -> None:
    """faults.md row 11: leaving in the middle of a hand is DISCONNECTED. A crash has a signal or another status."""
    ending = ExitCause()
    ending.stream_ended(now_ns=5)
    ending.process_ended(ExitStatus(0), now_ns=6)
    fault = ending.fault(6)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("DISCONNECTED", "exit status 0")
