"""Isolation tiers, which limit what a bot's process may see, do and use (faults.md, Isolation).

Input: a bot's specification and the tier of the run. Output: a `Launch`, which has the command that starts the confined
process, its environment and its limits. Open first: `launch` (the interface of a tier), then `tiers` (choose one by
name) and `sandbox`, which uses `sandbox_mounts` (the files that a bot sees), `staging` (its own copies of them) and
`seccomp` (system calls, by the table in `syscalls.txt`). The supervisor process imports `seccomp` and `keyring`, so
these use only the standard library.
"""
