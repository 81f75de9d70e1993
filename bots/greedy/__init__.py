"""A plain, deterministic player that counts the tricks it may expect.

Idea: unseen cards lie anywhere with equal chance, so each own card has a chance to take a trick (`odds`); their sum is
what a hand is worth under a trump (`strength`). From it follow calls, bids, staying (`calling`, `staying`), discards
and exchanges (`exchanging`). In the play (`play`) a card is worth its chance to win now less what it may bring later.
How bold all that is, a table says by variant (`temper`). No search, no memory, no chance: same view, same action.

Measured against `random` in mirrored deals (300 or 100 deals at each place; share of wins, in brackets a fair share):
euchre 1.00 (.50), buck .63 ± .03 (.25), wager .75, turn-up .62, dirty clubs .61, three-handed buck 1.00 (.33), bid-102
1.00 (.25), other team games .99 and more, two players .95 to 1.00, three-handed and cut-throat .77 (.33), king
cut-throat .99, five-handed .79 (.20), seven-handed .32 (.14; all win that a random bidder of 20 fails against).
"""
