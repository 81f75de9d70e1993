"""Processes of bots: starting, watching, weighing, freezing and ending them.

Input: the `Launch` of a bot (`bowerbird.harness.referee.isolation`). Output: a running process, its output, processor
time and exit status; no process is left once the referee is gone. Open first: `supervisor`, the referee's side under
trio. It talks to `supervisor_main`, the process that starts bots and is itself started by `supervisor_handle`.
`cgroups` limits and weighs each process, `freezer` stops an idle one.
"""
