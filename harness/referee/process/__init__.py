"""Processes of bots: how they are started, isolated, watched and ended.

Enters: a bot's specification and the isolation tier of the run.
Leaves: a running process, its output and exit status; no process is left once the referee is gone.
Open first: `supervisor`, the referee's side under trio. It talks to `supervisor_main`, the process that starts bots and
is itself started by `supervisor_handle`. Then `isolation` (what a tier is), `tiers` (choose one by name), `sandbox`.
"""
