"""One game as the referee sees it: rules, clocks and faults. It uses no threads, no trio and no gRPC.

Input: a table's specification, then answers with the time that they took. Output: the due decision, faults, and finally
the game's record. Open first: `table` (one game). Then `clock` (the cost of a decision, and when it is late), `faults`
(a fault, and the kinds that end a process), `fault_ledger` (withdrawn bots).
"""
