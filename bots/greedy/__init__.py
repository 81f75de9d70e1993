"""A plain, deterministic player that counts the tricks it can expect. Start with `player`.

Idea: each unseen card is equally likely to be anywhere, so each of its own cards has a chance to take a trick (`odds`).
Their sum is the value of a hand under a trump (`evaluation`). Calls, bids and staying in (`bidding`), discards and
exchanges (`exchanging`) follow from it. In the play (`play`), a card's value is its chance to win now minus what it may
win later. A table by variant sets how boldly to play (`thresholds`). The bot uses no search, memory or chance, so the
same view leads to the same action.

Measured against `random` in mirrored deals (300 or 100 deals at each place; share of wins, in brackets a fair share):
euchre 1.00 (.50), buck .63 ± .03 (.25), wager .75, turn-up .62, dirty clubs .61, three-handed buck 1.00 (.33), bid-102
1.00 (.25), other team games .99 and more, two players .95 to 1.00, three-handed and cut-throat .77 (.33), king
cut-throat .99, five-handed .79 (.20), seven-handed .32 (.14; when a random bidder of 20 fails, all others win). Points
a deal above `random` (200 deals): bid-euchre 21.2 ± 0.9, hasenpfeffer 7.4 ± 0.4, buck-auction 2.8 ± 0.3.
"""
