"""FAULTS.md, gRPC server: the end of a stream does not say how the process left; both ends are heard, in any order."""

from harness.referee.ending import VERDICT_NS, Ending
from harness.referee.launcher import Ended


def test_nothing_has_ended():
    assert Ending().verdict(10 * VERDICT_NS) is None


def test_a_killed_process_is_a_crash_as_soon_as_its_stream_is_over():
    ending = Ending()
    ending.of_process(Ended(-9), now=5)
    assert ending.verdict(5) is None, "answers may still be on their way"
    ending.of_stream(now=6)
    fault = ending.verdict(6)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("CRASHED", "signal 9 (SIGKILL)")


def test_a_stream_that_ends_first_waits_for_the_exit_status():
    ending = Ending()
    ending.of_stream(now=5)
    assert ending.verdict(4 + VERDICT_NS) is None
    ending.of_process(Ended(3), now=4 + VERDICT_NS)
    fault = ending.verdict(4 + VERDICT_NS)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("CRASHED", "exit status 3")


def test_a_process_that_lives_on_is_disconnected():
    ending = Ending()
    ending.of_stream(now=5)
    fault = ending.verdict(5 + VERDICT_NS)
    assert fault is not None
    assert fault.kind == "DISCONNECTED"


def test_a_stream_that_strays_hold_open_does_not_hide_a_crash():
    ending = Ending()
    ending.of_process(Ended(4), now=5)
    fault = ending.verdict(5 + VERDICT_NS)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("CRASHED", "exit status 4")


def test_a_process_that_ends_well_in_mid_hand_has_left():
    """FAULTS.md, row 11: leaving in the middle of a hand is DISCONNECTED; a crash has a signal or another status."""
    ending = Ending()
    ending.of_stream(now=5)
    ending.of_process(Ended(0), now=6)
    fault = ending.verdict(6)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("DISCONNECTED", "exit status 0")
