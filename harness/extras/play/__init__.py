"""A person at a seat, who plays one recorded game against bots in the terminal or the browser (`bowerbird play`).

Input: a `Setup`, and the person's choices. Output: a recorded run of one game, and the table as the person may see it.
The game itself is an ordinary run in its own process (`run_process`), whose bot `human` passes each decision to a
`Session`. `Follower` makes frames of the table from the actions that the run reports. Open first: `session`.
"""
