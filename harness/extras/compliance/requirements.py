"""The numbered requirements for a bot that follows the protocol (seat.proto), each with its check."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from bowerbird.engine import variant_names
from bowerbird.harness.extras.compliance.checks import answering, leaving, resuming, starting, tables
from bowerbird.harness.extras.compliance.checks.tables import plays
from bowerbird.harness.extras.compliance.driver.bot_under_test import BotUnderTest, claimed_variants
from bowerbird.harness.referee.spec import BotSpec

Check = Callable[[BotUnderTest], Awaitable[str]]
"""Checks one requirement and returns the findings in words. Raises CheckFailedError or NotReachedError."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement of the protocol. It can be checked only if the requirements numbered in `needs` hold."""

    number: int
    text: str
    check: Check
    needs: tuple[int, ...]


STARTED = (4,)
PLAYS = (8,)
TOLERATES_ALL = (8, 14, 17)
RESUMES = (26,)

REQUIREMENTS = (
    Requirement(1, "It starts, dials BOWERBIRD_ADDRESS and says Hello in time.", starting.says_hello, ()),
    Requirement(2, "Its Hello carries the token of BOWERBIRD_TOKEN.", starting.sends_the_token, (1,)),
    Requirement(3, "Its Hello names protocol version 1.", starting.names_the_version, (2,)),
    Requirement(4, "After Welcome it says Ready in time.", starting.gets_ready, (3,)),
    Requirement(5, "It answers a Ping with a Pong of the same id.", starting.answers_a_ping, STARTED),
    Requirement(6, "It answers each decision, by its table_id and decision_id.", answering.names_the_decision, STARTED),
    Requirement(7, "It chooses a legal action, by its index or its token.", answering.chooses_legally, (6,)),
    Requirement(8, "It answers each decision once.", answering.answers_once, (7,)),
    Requirement(9, "It answers within a small budget when the bank is empty.", answering.keeps_a_small_budget, PLAYS),
    Requirement(10, "It plays several tables at once, if it says that it can.", tables.keeps_tables_apart, PLAYS),
    Requirement(11, "It answers several decisions at once, if it says that it can.", tables.answers_several, (10,)),
    Requirement(12, "It handles the most tables and decisions that it claims.", tables.answers_the_most, (11,)),
    Requirement(13, "It tolerates a table that closes while it decides.", tables.tolerates_a_closed_table, PLAYS),
    Requirement(14, "It tolerates an Error that is not fatal.", tables.tolerates_an_error, PLAYS),
    Requirement(15, "It ignores messages of a kind that it does not know.", tables.ignores_messages, PLAYS),
    Requirement(16, "It keeps playing after much output to stdout and stderr.", tables.plays_on_after_output, PLAYS),
    Requirement(17, "After Goodbye it exits with code 0.", leaving.exits_on_goodbye, STARTED),
    Requirement(18, "It leaves no process behind.", leaving.leaves_no_process, (17,)),
    Requirement(19, "It dials a TCP address as well as a Unix socket.", starting.dials_tcp, PLAYS),
    Requirement(20, "It finds its version among several in BOWERBIRD_PROTOCOLS.", starting.finds_its_version, STARTED),
    Requirement(21, "When the stream ends without a Goodbye, it exits with code 0.", leaving.exits_at_the_end, PLAYS),
    Requirement(22, "When the connection breaks, it exits with code 0.", leaving.exits_when_cut, PLAYS),
    Requirement(23, "It refuses a protocol version that it does not speak.", starting.refuses_a_version, STARTED),
    Requirement(
        24, "It ignores fields that it does not know, in every message.", leaving.ignores_fields, TOLERATES_ALL
    ),
    Requirement(25, "It tolerates enum values that it does not know.", leaving.tolerates_values, TOLERATES_ALL),
    Requirement(26, "It resumes its session, if it says that it can.", resuming.resumes, PLAYS),
    Requirement(
        27, "It resumes with its latest secret after a half-open break.", resuming.sends_the_latest_secret, RESUMES
    ),
    Requirement(28, "It says Ready again if a later Welcome asks for it.", resuming.says_ready_again, RESUMES),
    Requirement(29, "It says Ready once unless a later Welcome asks for it.", resuming.says_ready_once, RESUMES),
    Requirement(30, "It resumes again if the new stream breaks at once.", resuming.returns_again_at_once, RESUMES),
    Requirement(31, "It dials again no sooner than Error.retry_after_ms allows.", resuming.waits_when_told, RESUMES),
    Requirement(
        32, "It exits with code 1 after a fatal Error that is not retryable.", resuming.ends_when_refused, (14, 26)
    ),
    Requirement(33, "It plays over TLS, if it says that it can resume.", resuming.plays_over_tls, RESUMES),
    Requirement(
        34, "Over TLS it dials again if its stream breaks before Welcome.", resuming.dials_again_over_tls, (33,)
    ),
)
"""The requirements in the order of their checks, which is the order in which an author reads failures."""


def requirements_for(bot: BotSpec) -> tuple[Requirement, ...]:
    """Return REQUIREMENTS and one for each variant that the bot claims. A variant has the same number for every bot."""
    after = len(REQUIREMENTS) + 1
    claimed = claimed_variants(bot)
    return (
        *REQUIREMENTS,
        *(
            Requirement(number, f"It plays {name} at every seat.", partial(plays, name), PLAYS)
            for number, name in enumerate(variant_names(), start=after)
            if name in claimed
        ),
    )


def with_needs(requirements: Sequence[Requirement], numbers: Collection[int]) -> tuple[Requirement, ...]:
    """Return the requirements with these numbers and all they need, in order.

    Raises KeyError for an unknown number.
    """
    by_number = {requirement.number: requirement for requirement in requirements}
    wanted: set[int] = set()
    to_add = list(numbers)
    while to_add:
        number = to_add.pop()
        if number not in wanted:
            wanted.add(number)
            to_add.extend(by_number[number].needs)
    return tuple(by_number[number] for number in sorted(wanted))
