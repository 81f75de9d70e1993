"""No message from the referee has room for cards that a seat may not see (protocol.md, Decisions)."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from bowerbird.seat.v1 import seat_pb2

# Every field that carries a card, and why its reader may see it. A new one needs its reason here.
MAY_CARRY_CARDS = {
    "bowerbird.seat.v1.Action.card": "of an own legal action; in public the engine leaves private cards out",
    "bowerbird.seat.v1.Action.token": "the same as text",
    "bowerbird.seat.v1.PublicView.upcard": "turned up for all (rules.md A7)",
    "bowerbird.seat.v1.PlayedCard.card": "lies on the table",
    "bowerbird.seat.v1.LaidCards.cards": "lies face up",
    "bowerbird.seat.v1.OwnView.hand": "the reader's own",
    "bowerbird.seat.v1.Memory.cards": "seen by the reader itself (rules.md A9)",
    "bowerbird.seat.v1.Pack.cards": "the different cards of the game in canonical order, the same for all",
}
# Text that is not a card: names, words, ids, secrets of the connection, sentences.
OTHER_TEXT = {
    "table_id", "variant", "rules_version", "name", "text", "names", "ended", "detail", "stage", "value", "message",
    "hint", "session_secret", "seed", "features",
}  # fmt: skip
CONSTANTS = {"bowerbird.seat.v1.TableOpened.pack"}
"""Fields that are named after cards and tell of the game's rules, not of a deal."""

HIDDEN = ("pack", "talon", "kitty", "widow", "dummy", "stock", "hands", "opponent")


def reachable(message: Descriptor, seen: set[str]) -> Iterator[FieldDescriptor]:
    """Yield every field of a message and of all messages within it."""
    if message.full_name in seen:
        return
    seen.add(message.full_name)
    for field in message.fields:
        yield field
        if field.message_type is not None:
            yield from reachable(field.message_type, seen)


def from_play_response() -> list[FieldDescriptor]:
    return list(reachable(seat_pb2.PlayResponse.DESCRIPTOR, set()))


def message_name(field: FieldDescriptor) -> str:
    """Return the name of the message in a field; "" for a number, a string or an enum."""
    return field.message_type.name if field.message_type is not None else ""


def test_only_known_fields_can_carry_cards() -> None:
    textual = {FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES}
    unknown = [
        field.full_name
        for field in from_play_response()
        if field.type in textual and field.full_name not in MAY_CARRY_CARDS and field.name not in OTHER_TEXT
    ]
    assert not unknown, f"can these hold cards that their reader may not see? {unknown}"


def test_the_list_of_cards_names_real_fields() -> None:
    missing = set(MAY_CARRY_CARDS) - {field.full_name for field in from_play_response()}
    assert not missing


def test_no_reachable_message_is_named_after_hidden_cards() -> None:
    fields = [field for field in from_play_response() if field.full_name not in CONSTANTS]
    names = {field.full_name: {field.name, message_name(field).lower()} for field in fields}
    assert not [place for place, words in names.items() if any(word in name for word in HIDDEN for name in words)]


def test_the_pack_is_a_constant_of_the_game() -> None:
    """It is only in TableOpened, which is sent before a card is dealt."""
    holders = {field.full_name for field in from_play_response() if message_name(field) == "Pack"}
    assert holders == CONSTANTS


def test_only_the_own_view_holds_a_hand() -> None:
    """One message holds one hand, and a view holds that message once: there is no room for a second hand."""
    fields = from_play_response()
    assert [field.full_name for field in fields if field.name == "hand"] == ["bowerbird.seat.v1.OwnView.hand"]
    holders = [field for field in fields if message_name(field) == "OwnView"]
    assert [field.full_name for field in holders] == ["bowerbird.seat.v1.SeatView.own_view"]
    assert not any(field.is_repeated for field in holders)
    views = [field for field in fields if message_name(field) == "SeatView"]
    assert [field.full_name for field in views] == ["bowerbird.seat.v1.DecisionRequest.view"]
    assert not any(field.is_repeated for field in views)
