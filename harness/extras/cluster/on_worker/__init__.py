"""The code on a Dask worker: a run's site there, with its bots and a referee.

Input: bots as archives, a referee's setup, blocks of tables. Output: a description of the worker, and each block's
games.

Open first: `site`, which the run calls. It unpacks each `bot_archive`, plays in a `session` with a referee process, and
describes the machine (`worker_facts`). The run's side is the folder above.
"""
