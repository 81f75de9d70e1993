"""Reads what a league file says about beacons: `[league] beacon` and `[league.drand]`."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.harness.extras.drand.addresses import QUICKNET_ADDRESSES, is_address
from bowerbird.harness.extras.drand.rounds import QUICKNET, Chain
from bowerbird.harness.extras.drand.signature import INSTALL, is_installed, is_key
from bowerbird.harness.extras.league import schema
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.tournament.config.toml.table import TomlTable


@dataclass(frozen=True, slots=True)
class DrandTerms:
    """How the epochs of a league get their beacons.

    chain: whose rounds they are.
    addresses: where rounds are asked for, in this order.
    lead_ms: how long after the commitment the round of an epoch comes, in milliseconds.
    """

    chain: Chain
    addresses: tuple[str, ...]
    lead_ms: int


def read_drand(league: TomlTable) -> DrandTerms | None:
    """Return how epochs get their beacons; None if they have none. Raises ConfigError, also without the extra."""
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
    """Read the chain: quicknet, or one that is described as a whole, with its addresses."""
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
