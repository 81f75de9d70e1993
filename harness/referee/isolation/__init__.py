"""Isolation tiers: what a bot's process may see, do and use (faults.md, Isolation).

Input: a bot's specification and the tier of the run.
Output: a `Launch`: the command that starts the process confined, its environment and its bounds.
Open first: `launch` (what a tier is), then `tiers` (choose one by name) and `sandbox`, which uses `sandbox_mounts` (the
files that a bot sees), `staging` (its own copies of them) and `seccomp` (system calls, by the table in `syscalls.txt`).
The supervisor process imports `seccomp` and `keyring`, so these use the standard library alone.
"""
