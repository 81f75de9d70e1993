"""Jobs, which executors play: line-ups of bots with numbers of deal sets.

Input: bots, variants and a seed. Output: jobs, in an order that depends on the tournament file alone. Open first: `job`
and `schedule`; `DealSeeds` decides how the rest of a corrected run is dealt.
"""
