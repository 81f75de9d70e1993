"""Tournament formats: which line-ups meet in which round, and when enough has been played.

Input: a tournament file, and results as they are stored. Output: rounds of jobs, and finally the outcome. Open first:
`rounds`, the contract of a format. Then `catalogue`, the formats by name; `swiss` and `knockout`, which pair bots by
`matches`; `absences`, the bots that are not paired; `stop_rules`.
"""
