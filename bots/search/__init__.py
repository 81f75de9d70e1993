"""What the searching bots share: quick habits for rollouts, what a finished hand is worth, how much to think.

A search looks to the end of the hand: what comes after is said by the scores (`worth`).
"""
