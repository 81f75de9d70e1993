"""Counts over hands dealt by the engine: where is the right bower when the upcard's suit becomes trump?"""

import random
import sys
from collections import Counter

from bowerbird.engine import Game, SeatView, new_game, sample_game

SEED = bytes(32)
"""Any 32 bytes; the same seed gives the same deals on every machine."""

PLAYERS = 4


def deals(number: int) -> Counter[str]:
    """Return how often the right bower of the upcard's suit is in each place, over `number` deals of euchre."""
    places: Counter[str] = Counter()
    for deal in range(number):
        game = new_game("euchre", first_dealer=3, seed=SEED, set_number=deal)
        places[place_of(f"J{game.view(0).upcard[1]}", game)] += 1
    return places


def place_of(card: str, game: Game) -> str:
    """Return where a card is after the deal: "upcard", "hand" or "stock"."""
    if game.view(0).upcard == card:
        return "upcard"
    return "hand" if any(card in game.view(seat).hand for seat in range(PLAYERS)) else "stock"


def partners_share(view: SeatView, card: str, number: int) -> float:
    """Return the share of sampled games in which the partner holds `card`. All of them look like `view` to its seat."""
    rng = random.Random(2)
    partner = (view.seat + 2) % PLAYERS
    return sum(card in sample_game(view, rng).view(partner).hand for _ in range(number)) / number


def main(number: int) -> None:
    """Print both counts, each with the expected probability."""
    exact = {"upcard": 4 / 24, "hand": 20 / 24 * 20 / 23, "stock": 20 / 24 * 3 / 23}
    places = deals(number)
    for place, expected in exact.items():
        print(f"right bower in the {place:<6}  {places[place] / number:6.1%}  expected {expected:6.1%}")
    view = new_game("euchre", first_dealer=3, seed=SEED).view(0)
    hidden = next(card for card in ("Js", "Jh", "Jd", "Jc") if card not in {*view.hand, view.upcard})
    share = partners_share(view, hidden, number)
    print(f"partner holds the {hidden}        {share:6.1%}  expected {5 / 18:6.1%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
