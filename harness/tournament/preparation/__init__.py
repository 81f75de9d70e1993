"""Prepares a run: builds bots, chooses their isolation, grants networks, and invites remote bots.

Input: the bots of a tournament file. Output: bots that can be started, an isolation tier that works for all of them,
and an address for remote bots. Open first: `build`. It uses `build_place` (the bot's folder or a copy in the cache).
Then `isolation`, `network` and `hosting`.
"""
