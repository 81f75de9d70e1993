"""Games that a seat cannot distinguish from the real one, each equally likely (rules.md A9).

Input: a `SeatView`. Output: games (`Sampler.draw`). `sampler` counts and draws worlds, `shadow` replays the hand with
symbols for unknown cards, and `counting` assigns unseen cards to places. Open `sampler` first.
"""
