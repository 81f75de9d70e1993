"""The clock of the host: how long it stood still, so that no bot is charged for that (faults.md, Stalls of the host).

Input: readings of the system's clocks and processor times, about every 50 ms. Output: times without the stalls in
them, and whether a process was lost in a stall.
Open first: `host_clock` (every judgement of a deadline asks it). Then `stall_log` (the stalls so far), `readings` (what
the system reports) and `running_time` (waits under trio that a stall does not use up).
"""
