"""Binds an epoch to a round of drand, if the league file says so (`[league] beacon`, `[league.drand]`).

The epoch promises a round that comes after the commitment, and waits for it. The stored run contains the promise before
the round exists. If the process is killed, the next one therefore waits for the same round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bowerbird.harness.extras.drand.rounds import QUICKNET, QUICKNET_ADDRESSES, Chain, Round, is_address, read_round
from bowerbird.harness.extras.drand.signature import INSTALL, is_installed, is_key
from bowerbird.harness.extras.league import schema
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.toml.table import TomlTable
from bowerbird.harness.tournament.plan import Plan, make_plan


@dataclass(frozen=True, slots=True)
class DrandTerms:
    """How the epochs of a league get their beacons.

    chain: the chain of the rounds.
    addresses: the addresses to ask for rounds, in this order.
    lead_ms: how long after the commitment the round of an epoch comes, in milliseconds.
    """

    chain: Chain
    addresses: tuple[str, ...]
    lead_ms: int


def read_drand(league: TomlTable) -> DrandTerms | None:
    """Return how epochs get their beacons, or None if they have none.

    Raises ConfigError, also if the extra is missing.
    """
    if not league.has(schema.BEACON):
        if league.has(schema.DRAND):
            raise league.error('the table is for beacon = "drand"; add that, or leave out the table', schema.DRAND)
        return None
    league.choice(schema.BEACON)
    if not is_installed():
        raise league.error(f"drand needs the extra bowerbird[beacon]; install it with: {INSTALL}", schema.BEACON)
    table = league.table(schema.DRAND)
    table.reject_unknown_keys([schema.LEAGUE_TABLE])
    addresses = table.strings(schema.ADDRESSES, QUICKNET_ADDRESSES)
    if not addresses:
        raise table.error("no address is given; add at least one", schema.ADDRESSES)
    for address in addresses:
        if not is_address(address):
            raise table.error(
                f"got {shown(address)!r}; must be the address of a chain, which begins with https:// or http://",
                schema.ADDRESSES,
            )
    return DrandTerms(_chain(table), addresses, table.duration_ms(schema.LEAD))


def _chain(table: TomlTable) -> Chain:
    """Read the chain: quicknet, or a chain with a complete description, including its addresses."""
    own = (schema.PUBLIC_KEY, schema.GENESIS, schema.PERIOD)
    if not any(map(table.has, own)):
        return QUICKNET
    for key in (*own, schema.ADDRESSES):
        if not table.has(key):
            raise table.error(
                f"{key.name!r} is missing; a chain other than quicknet needs its key, genesis, period and addresses",
                next(filter(table.has, own)),
            )
    public_key = table.string(schema.PUBLIC_KEY).lower()
    if not is_key(public_key):
        raise table.error("must be a point of G2 of BLS12-381 in 192 hexadecimal digits", schema.PUBLIC_KEY)
    return Chain(public_key, table.integer(schema.GENESIS), table.integer(schema.PERIOD))


def promised_round(terms: DrandTerms, moment: float) -> Round:
    """Return the round for a seed that is committed to at `now`, in seconds of Unix time."""
    return Round(terms.chain, terms.chain.first_from(moment + terms.lead_ms / 1000))


def is_waiting(plan: Plan) -> bool:
    """Return whether the run of an epoch is still without its promised beacon."""
    return plan.header.beacon == ""


def commit(plan: Plan, store: Store) -> str:
    """Store the run of an epoch with its commitment and its promise, unless it is stored.

    Return "", or why the round proves nothing: it must come after the commitment was stored.
    """
    header = plan.header
    if store[header.fingerprint].header() is None:
        with store.begin(header, plan.seed, plan.file.folder):
            pass  # the run is stored, but no card is dealt
    round_ = read_round(plan.file.beacon_source)
    stored = store.run(header.fingerprint).row.started
    return "" if round_.comes_after(stored) else f"its commitment was stored after {round_.title} came"


def promise(plan: Plan, epoch: int) -> str:
    """Return a sentence about the commitment and round of an epoch."""
    round_ = read_round(plan.file.beacon_source)
    return (
        f"epoch {epoch} commits to the seed {plan.header.commitment}, and its deals follow from that seed and "
        f"{round_.title}, due at {round_.at}"
    )


def with_beacon(plan: Plan, addresses: Callable[[], Sequence[str]], say: Callable[[str], None]) -> Plan:
    """Wait for the round of an epoch, and return its plan with the beacon (see `awaited_beacon`)."""
    from bowerbird.harness.extras.drand.waiting import awaited_beacon  # imports trio

    beacon = awaited_beacon(read_round(plan.file.beacon_source), addresses, say)
    return make_plan(replace(plan.file, beacon=beacon), plan.seed)
