"""Jobs: from the line-ups of bots and numbers of deal sets to what an executor plays.

Input: bots, variants and a seed. Output: jobs, in an order that depends on the tournament file alone.
Open first: `job` and `schedule`; `DealSeeds` says how the rest of a corrected run is dealt.
"""
