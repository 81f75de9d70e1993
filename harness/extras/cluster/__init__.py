"""An executor on the workers of a Dask cluster (`--cluster ADDRESS`), each with a referee in a child process.

Input: jobs. Output: each game as it ends. Dask finds the workers, connects them and carries our calls, but runs no
tasks. A task bound to a checked worker would wait forever if that worker died, and an unbound task could go to an
unchecked worker. A call ends with its worker, and its results are never kept.

Open first: `executor`. It plays on the workers that `roll_call` admits, over a `connection`. What runs on each worker
is in `on_worker`. `examiner` verifies a run.
"""
