"""Environments for learning agents, public as `bowerbird.envs`.

Input: the name of a variant, its options, seeds and action numbers. Output: observations, masks and rewards. Open
first: `pettingzoo`, one game at a time. `gymnasium` seats one agent, `vector` steps many games together, and
    `openspiel` makes each variant a game of OpenSpiel. Actions and observations come from `harness.features` and are
    the same in all environments and in the SDK.
"""
