"""Prepares a run: builds bots, chooses their isolation, and invites remote bots.

Enters: the bots of a tournament file. Leaves: bots that can be started, an isolation tier that works for all of them,
and an address that remote bots connect to.
Open first: `build`. Then `isolation` and `hosting`.
"""
