"""The clock of the host, without stalls, for which no bot is charged (faults.md, Stalls of the host).

Input: readings of the system's clocks and processor times, about every 50 ms. Output: times without the stalls in them,
and whether a process was lost in a stall. Open first: `host_clock`, which measures all deadlines. Then `stall_log` (the
stalls so far), `readings` (system readings) and `running_time` (waits under trio that a stall does not use up).
"""
