"""Trains the networks of champion by self-play: `make champion ARGS="VARIANT …"`.

Input: the rules of a variant, a seed and a number of rounds. Output: `networks/VARIANT.npz`. The same seed with the
same numpy on the same kind of processor gives the same network.

A round is some steps of many games together, from which the network then learns. In the first rounds it learns to
decide as greedy does (`bots.greedy`), from games of greedy with some random actions. In all others it plays against
itself, and an action becomes likelier the more it brought (PPO: J. Schulman et al., "Proximal policy optimization
algorithms", 2017). What an action brought is measured by a second network, which sees all hands and is needed for
training alone: it tells an action apart from the luck of the deal (as in J. Li et al., "Suphx: mastering Mahjong with
deep reinforcement learning", 2020).

Open first: `train`. Read `games`, which plays, then `learning`, which changes networks, and `rounding`, which makes
them small.
"""
