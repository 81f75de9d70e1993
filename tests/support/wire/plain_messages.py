"""Views and requests built as plain protobuf messages, field by field, for comparison with spliced bytes."""

from __future__ import annotations

from bowerbird.engine import Action, SeatView
from bowerbird.seat.v1 import action_pb2, seat_pb2, view_pb2

SUIT = {"": 1, "s": 2, "h": 3, "d": 4, "c": 5, "nt": 6, "low": 7}
HOW = {"": 1, "alone": 2, "jambone": 3}
PLACE = {"": 1, "up": 2, "down": 3, "taken": 4, "out": 5}
MEMORY = {"dealt": 1, "upcard": 2, "discarded": 3, "gave": 4, "received": 5, "widow": 6, "left": 7}


def plain_action(action: Action) -> action_pb2.Action:
    return action_pb2.Action(
        token=action.token,
        kind=f"ACTION_KIND_{action.kind.upper()}",  # type: ignore[arg-type]  # names are taken at run time
        card=action.card,
        number=action.number,
        suit=SUIT[action.suit] if action.suit else None,  # type: ignore[arg-type]  # numbers are taken, too
        how=HOW[action.how] if action.how else None,  # type: ignore[arg-type]  # numbers are taken, too
        seat=action.seat,
    )


def plain_view(view: SeatView) -> view_pb2.SeatView:
    public = view_pb2.PublicView(
        hand_number=view.hand_number,
        dealer=view.dealer,
        scores=view.scores,
        games=view.games,
        drops=view.drops,
        stage=f"STAGE_{(view.stage or 'hidden').upper().replace(' ', '_')}",  # type: ignore[arg-type]  # names are taken at run time
        actor=view.actor,
        upcard=view.upcard,
        upcard_place=PLACE[view.upcard_place],  # type: ignore[arg-type]  # numbers are taken, too
        upcard_holder=view.upcard_holder,
        proposed=SUIT[view.proposed],  # type: ignore[arg-type]  # numbers are taken, too
        trump=SUIT[view.trump],  # type: ignore[arg-type]  # numbers are taken, too
        maker=view.maker,
        contract=view.contract,
        how=HOW[view.how],  # type: ignore[arg-type]  # numbers are taken, too
        lone_defender=view.lone_defender,
        highest_bid=view.highest_bid,
        highest_bidder=view.highest_bidder,
        active=view.active,
        sides=view.sides,
        leader=view.leader,
        trick=[view_pb2.PlayedCard(seat=seat, card=card) for seat, card in view.trick],
        tricks_won=view.tricks_won,
        trick_number=view.trick_number,
        laid=[view_pb2.LaidCards(cards=cards) for cards in view.laid],
        covered=view.covered,
        extra=[view_pb2.Fact(name=name, value=value) for name, value in view.extra],
        tricks=[
            view_pb2.Trick(
                leader=trick.leader,
                cards=[view_pb2.PlayedCard(seat=seat, card=card) for seat, card in trick.cards],
                winner=trick.winner,
            )
            for trick in view.tricks
        ],
        history=[action_pb2.Event(seat=event.seat, action=plain_action(event.action)) for event in view.history],
    )
    memory = [
        view_pb2.Memory(kind=MEMORY[known.what], cards=known.cards, seat=known.seat)  # type: ignore[arg-type]  # numbers are taken, too
        for known in view.memory
    ]
    return view_pb2.SeatView(public_view=public, own_view=view_pb2.OwnView(hand=view.hand, memory=memory))


def plain_request(table_id: str, view: SeatView, number: int, *clock: int) -> seat_pb2.DecisionRequest:
    """Return a request; `clock` is the decision's budget, the bank, and the last charge, in milliseconds."""
    budget_ms, bank_ms, charged_ms = clock
    return seat_pb2.DecisionRequest(
        table_id=table_id,
        decision_id=number,
        legal_actions=[plain_action(action) for action in view.legal],
        view=plain_view(view),
        budget_ms=budget_ms,
        bank_ms=bank_ms,
        charged_ms=charged_ms,
        remaining_ms=budget_ms + bank_ms,
    )
