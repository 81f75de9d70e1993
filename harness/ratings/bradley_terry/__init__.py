"""The rating of record: a penalised Bradley-Terry fit of side means and seat advantages, with clustered errors.

Input: results of games. Output: a `Fit`, which returns each rating and each difference as an `Estimate`.
Open first: `fit`. Then `observations` (pairs as arrays) and `connectivity` (which bots can be compared); `likelihood`,
which finds the maximum with `maximum` and `design`; and the errors: `contrasts` (of any difference, even after nearly
perfect scores), `linking` (how many deal sets support it) and `separation` (after perfect scores).
"""
