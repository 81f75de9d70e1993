"""An executor on the workers of a Dask cluster (`--cluster ADDRESS`), each with a referee in a child process.

Input: jobs. Output: each game as it ends. Dask finds the workers, connects them and carries our calls; we give it no
tasks. A task that is bound to a checked worker waits forever if that worker dies, and one that is not may go to a
worker that nobody has checked; a call ends with its worker, and its results are never kept.

Open first: `executor`. It plays on the workers that `roll_call` admits, over a `connection`. What runs on each worker
is in `on_worker`. `examiner` verifies a run.
"""
