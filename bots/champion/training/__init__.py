"""Trains the networks of champion by self-play: `make champion ARGS="VARIANT …"`.

Input: the rules of a variant, a seed and a number of rounds. Output: `networks/VARIANT.npz`. The same seed with the
same numpy on the same kind of processor gives the same network.

A round consists of some steps of many games, from which the networks then learn. In the first rounds the policy learns
to decide like greedy (`bots.greedy`), from games of greedy with some random actions. In all later rounds it plays
against itself, and an action becomes likelier the more it gained (PPO: J. Schulman et al., "Proximal policy
optimization algorithms", 2017). A second network, which sees all hands, measures this gain and separates it from the
luck of the deal (as in J. Li et al., "Suphx: mastering Mahjong with deep reinforcement learning", 2020).

Open first: `train`. Then read `games`, which plays, `learning`, which changes networks, and `rounding`, which makes
them small.
"""
