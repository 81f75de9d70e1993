"""Who plays the jobs of a run: this process (`local`), or several worker processes of this machine (`pool`).

An executor is an async context manager with `roll_call()` and `play(jobs, on_game)` (`Executor`). Jobs and what comes
of them are pure values that can be pickled, so an executor for a cluster has to do what `pool` does and no more: hand
blocks of tables to processes that each have a referee of their own (`worker`), and play again what a lost one had.
"""
