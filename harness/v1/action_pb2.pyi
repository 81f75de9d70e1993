from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Suit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUIT_UNSPECIFIED: _ClassVar[Suit]
    SUIT_SPADES: _ClassVar[Suit]
    SUIT_HEARTS: _ClassVar[Suit]
    SUIT_DIAMONDS: _ClassVar[Suit]
    SUIT_CLUBS: _ClassVar[Suit]
    SUIT_NO_TRUMP: _ClassVar[Suit]

class How(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOW_UNSPECIFIED: _ClassVar[How]
    HOW_ALONE: _ClassVar[How]
    HOW_JAMBONE: _ClassVar[How]

class ActionKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTION_KIND_UNSPECIFIED: _ClassVar[ActionKind]
    ACTION_KIND_PASS: _ClassVar[ActionKind]
    ACTION_KIND_ORDER: _ClassVar[ActionKind]
    ACTION_KIND_CALL: _ClassVar[ActionKind]
    ACTION_KIND_BID: _ClassVar[ActionKind]
    ACTION_KIND_DISCARD: _ClassVar[ActionKind]
    ACTION_KIND_ALONE: _ClassVar[ActionKind]
    ACTION_KIND_DECLINE: _ClassVar[ActionKind]
    ACTION_KIND_SWAP: _ClassVar[ActionKind]
    ACTION_KIND_KEEP: _ClassVar[ActionKind]
    ACTION_KIND_TAKE: _ClassVar[ActionKind]
    ACTION_KIND_EXCHANGE: _ClassVar[ActionKind]
    ACTION_KIND_DEFEND: _ClassVar[ActionKind]
    ACTION_KIND_ASK: _ClassVar[ActionKind]
    ACTION_KIND_GIVE: _ClassVar[ActionKind]
    ACTION_KIND_CLAIM: _ClassVar[ActionKind]
    ACTION_KIND_DICTATE: _ClassVar[ActionKind]
    ACTION_KIND_STAY: _ClassVar[ActionKind]
    ACTION_KIND_DROP: _ClassVar[ActionKind]
    ACTION_KIND_PARTNER: _ClassVar[ActionKind]
    ACTION_KIND_LEAD: _ClassVar[ActionKind]
    ACTION_KIND_PLAY: _ClassVar[ActionKind]
SUIT_UNSPECIFIED: Suit
SUIT_SPADES: Suit
SUIT_HEARTS: Suit
SUIT_DIAMONDS: Suit
SUIT_CLUBS: Suit
SUIT_NO_TRUMP: Suit
HOW_UNSPECIFIED: How
HOW_ALONE: How
HOW_JAMBONE: How
ACTION_KIND_UNSPECIFIED: ActionKind
ACTION_KIND_PASS: ActionKind
ACTION_KIND_ORDER: ActionKind
ACTION_KIND_CALL: ActionKind
ACTION_KIND_BID: ActionKind
ACTION_KIND_DISCARD: ActionKind
ACTION_KIND_ALONE: ActionKind
ACTION_KIND_DECLINE: ActionKind
ACTION_KIND_SWAP: ActionKind
ACTION_KIND_KEEP: ActionKind
ACTION_KIND_TAKE: ActionKind
ACTION_KIND_EXCHANGE: ActionKind
ACTION_KIND_DEFEND: ActionKind
ACTION_KIND_ASK: ActionKind
ACTION_KIND_GIVE: ActionKind
ACTION_KIND_CLAIM: ActionKind
ACTION_KIND_DICTATE: ActionKind
ACTION_KIND_STAY: ActionKind
ACTION_KIND_DROP: ActionKind
ACTION_KIND_PARTNER: ActionKind
ACTION_KIND_LEAD: ActionKind
ACTION_KIND_PLAY: ActionKind

class Action(_message.Message):
    __slots__ = ("token", "kind", "card", "number", "suit", "how", "seat")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SUIT_FIELD_NUMBER: _ClassVar[int]
    HOW_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    token: str
    kind: ActionKind
    card: str
    number: int
    suit: Suit
    how: How
    seat: int
    def __init__(self, token: _Optional[str] = ..., kind: _Optional[_Union[ActionKind, str]] = ..., card: _Optional[str] = ..., number: _Optional[int] = ..., suit: _Optional[_Union[Suit, str]] = ..., how: _Optional[_Union[How, str]] = ..., seat: _Optional[int] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("seat", "action")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    seat: int
    action: Action
    def __init__(self, seat: _Optional[int] = ..., action: _Optional[_Union[Action, _Mapping]] = ...) -> None: ...
