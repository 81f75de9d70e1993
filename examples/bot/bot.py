"""A one-page bot: it counts trumps to bid, takes tricks cheaply, and leaves its partner's tricks alone."""

from bowerbird.engine import Action
from bowerbird.sdk import Bot, Decision, run

ENOUGH = 3
"""It makes trump with at least this many trumps in hand."""


class CounterBot(Bot):
    """A bot for every variant. If no rule below fits, it takes the first legal action."""

    def act(self, decision: Decision) -> Action:
        """Choose a card or a bid."""
        return play(decision) if decision.legal[0].kind == "play" else bid(decision)


def bid(decision: Decision) -> Action:
    """Return the bid for the suit with the most trumps in hand, or the first legal action, which is a pass."""
    best, most = decision.legal[0], ENOUGH - 1
    for action in decision.legal:
        suit = (decision.view.proposed or decision.view.upcard[-1:]) if action.kind == "order" else action.suit
        if suit and not action.how and (count := trumps_in_hand(decision, suit)) > most:
            best, most = action, count
    return best


def trumps_in_hand(decision: Decision, suit: str) -> int:
    """Return how many cards in the hand would be trumps, including bowers and jokers."""
    return len(set(decision.view.hand) & set(decision.cards.trumps(suit)))


def play(decision: Decision) -> Action:
    """Lead the strongest card, take the trick with the weakest card that takes it, or throw away the weakest card."""
    cards, winning = decision.cards, decision.cards.winning()
    by_strength = sorted(decision.legal, key=lambda action: strength(decision, action.card))
    if winning is None:
        return by_strength[-1]
    seat, card = winning
    takers = [action for action in by_strength if cards.beats(action.card, card)]
    return takers[0] if takers and seat not in decision.table.partners else by_strength[0]


def strength(decision: Decision, card: str) -> int:
    """Return a number that is higher for a stronger card; every trump is above every other card."""
    trumps = decision.cards.trumps()
    return 100 - trumps.index(card) if card in trumps else -"AKQJT98765432".find(card[0])


if __name__ == "__main__":
    run(CounterBot())
