"""A bot with a network that runs once for all waiting tables. Copy this folder and replace the network with your own.

Idea: `features` turns a position into a row of numbers, the network scores every possible action, and the bot takes the
legal action with the highest score. The weights are the arrays `hidden` and `policy` of the file `weights.npz` in this
folder. Without that file they are random, and an untrained network plays badly.
"""

from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np

from bowerbird.engine import SeatView
from bowerbird.sdk import Bot, Decision, run

PACK = [*(rank + suit for rank in "AKQJT98765432" for suit in "shdc"), "X1", "X2", "X3", "Xr", "Xb"]
CARDS = {code: place for place, code in enumerate(PACK)}
SUITS = {suit: place for place, suit in enumerate(("s", "h", "d", "c", "nt", "low", ""))}
PLANES = 5
MOST_SEATS = 10
"""The most seats of any variant with any options: dirty clubs takes up to ten."""

NUMBERS = 4
INPUTS = PLANES * len(CARDS) + len(SUITS) + 2 * MOST_SEATS + NUMBERS
HIDDEN = 128
OUTPUTS = 512
"""More outputs than actions. An action uses the output that its token hashes to, so few actions share one."""


def features(view: SeatView) -> np.ndarray:
    """Return the position as the seat sees it, as INPUTS numbers. Seats are counted from the bot's own."""
    planes = np.zeros((PLANES, len(CARDS)), dtype=np.float32)
    played = [event.action.card for event in view.history if event.action.kind in ("play", "dictate")]
    upcard = [view.upcard] if view.upcard else []
    trick = [card for _, card in view.trick]
    for plane, cards in zip(planes, (view.hand, played, trick, upcard, [trick[0]] if trick else []), strict=True):
        for card in cards:
            plane[CARDS[card]] += 1
    trump = np.zeros(len(SUITS), dtype=np.float32)
    trump[SUITS[view.trump]] = 1
    seats = np.zeros((2, MOST_SEATS), dtype=np.float32)
    for seat, won in enumerate(view.tricks_won):
        seats[0, (seat - view.seat) % view.players] = won
    if view.maker is not None:
        seats[1, (view.maker - view.seat) % view.players] = 1
    numbers = np.array([view.contract, view.highest_bid, view.trick_number, view.scores[view.seat] / 10], np.float32)
    return np.concatenate([planes.ravel(), trump, seats.ravel(), numbers])


class NetworkBot(Bot):
    """A bot that answers a whole message with two matrix products."""

    def prepare(self) -> None:
        """Read the weights while the start-up clock runs."""
        file = Path(__file__).with_name("weights.npz")
        if file.exists():
            weights = np.load(file)
            self.hidden, self.policy = weights["hidden"], weights["policy"]
        else:
            chance = np.random.default_rng(1)
            self.hidden = chance.normal(scale=INPUTS**-0.5, size=(INPUTS, HIDDEN)).astype(np.float32)
            self.policy = chance.normal(scale=HIDDEN**-0.5, size=(HIDDEN, OUTPUTS)).astype(np.float32)

    def act_batch(self, decisions: Sequence[Decision]) -> list[int]:
        """Return the index of the best legal action at each table."""
        positions = np.stack([features(decision.view) for decision in decisions])
        scores = np.tanh(positions @ self.hidden) @ self.policy
        return [
            int(row[[crc32(action.token.encode()) % OUTPUTS for action in decision.legal]].argmax())
            for row, decision in zip(scores, decisions, strict=True)
        ]


if __name__ == "__main__":
    run(NetworkBot())
