"""One game as the referee sees it: rules, clocks and faults. Pure: no threads, no trio, no gRPC.

Input: a table's specification, then answers with the time that they took.
Output: the due decision, faults, and at the end the game's record.
Open first: `table` (one game). Then `clock` (what a decision costs, and when it is late), `faults` (a fault, and
which kinds end a process), `fault_ledger` (who is withdrawn).
"""
