from harness.v1 import action_pb2 as _action_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class UpcardPlace(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UPCARD_PLACE_UNSPECIFIED: _ClassVar[UpcardPlace]
    UPCARD_PLACE_UP: _ClassVar[UpcardPlace]
    UPCARD_PLACE_DOWN: _ClassVar[UpcardPlace]
    UPCARD_PLACE_TAKEN: _ClassVar[UpcardPlace]
    UPCARD_PLACE_OUT: _ClassVar[UpcardPlace]

class MemoryKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_KIND_UNSPECIFIED: _ClassVar[MemoryKind]
    MEMORY_KIND_DEALT: _ClassVar[MemoryKind]
    MEMORY_KIND_UPCARD: _ClassVar[MemoryKind]
    MEMORY_KIND_DISCARDED: _ClassVar[MemoryKind]
    MEMORY_KIND_GAVE: _ClassVar[MemoryKind]
    MEMORY_KIND_RECEIVED: _ClassVar[MemoryKind]
    MEMORY_KIND_WIDOW: _ClassVar[MemoryKind]
    MEMORY_KIND_LEFT: _ClassVar[MemoryKind]
UPCARD_PLACE_UNSPECIFIED: UpcardPlace
UPCARD_PLACE_UP: UpcardPlace
UPCARD_PLACE_DOWN: UpcardPlace
UPCARD_PLACE_TAKEN: UpcardPlace
UPCARD_PLACE_OUT: UpcardPlace
MEMORY_KIND_UNSPECIFIED: MemoryKind
MEMORY_KIND_DEALT: MemoryKind
MEMORY_KIND_UPCARD: MemoryKind
MEMORY_KIND_DISCARDED: MemoryKind
MEMORY_KIND_GAVE: MemoryKind
MEMORY_KIND_RECEIVED: MemoryKind
MEMORY_KIND_WIDOW: MemoryKind
MEMORY_KIND_LEFT: MemoryKind

class PlayedCard(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: str
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[str] = ...) -> None: ...

class LaidCards(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cards: _Optional[_Iterable[str]] = ...) -> None: ...

class Fact(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class Memory(_message.Message):
    __slots__ = ("kind", "cards", "seat")
    KIND_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    kind: MemoryKind
    cards: _containers.RepeatedScalarFieldContainer[str]
    seat: int
    def __init__(self, kind: _Optional[_Union[MemoryKind, str]] = ..., cards: _Optional[_Iterable[str]] = ..., seat: _Optional[int] = ...) -> None: ...

class PublicView(_message.Message):
    __slots__ = ("hand_number", "dealer", "scores", "games", "drops", "stage", "actor", "upcard", "upcard_place", "upcard_holder", "proposed", "trump", "maker", "contract", "how", "lone_defender", "highest_bid", "highest_bidder", "active", "sides", "leader", "trick", "tricks_won", "trick_number", "laid", "covered", "extra", "history")
    HAND_NUMBER_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    DROPS_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    UPCARD_FIELD_NUMBER: _ClassVar[int]
    UPCARD_PLACE_FIELD_NUMBER: _ClassVar[int]
    UPCARD_HOLDER_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_FIELD_NUMBER: _ClassVar[int]
    TRUMP_FIELD_NUMBER: _ClassVar[int]
    MAKER_FIELD_NUMBER: _ClassVar[int]
    CONTRACT_FIELD_NUMBER: _ClassVar[int]
    HOW_FIELD_NUMBER: _ClassVar[int]
    LONE_DEFENDER_FIELD_NUMBER: _ClassVar[int]
    HIGHEST_BID_FIELD_NUMBER: _ClassVar[int]
    HIGHEST_BIDDER_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    SIDES_FIELD_NUMBER: _ClassVar[int]
    LEADER_FIELD_NUMBER: _ClassVar[int]
    TRICK_FIELD_NUMBER: _ClassVar[int]
    TRICKS_WON_FIELD_NUMBER: _ClassVar[int]
    TRICK_NUMBER_FIELD_NUMBER: _ClassVar[int]
    LAID_FIELD_NUMBER: _ClassVar[int]
    COVERED_FIELD_NUMBER: _ClassVar[int]
    EXTRA_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    hand_number: int
    dealer: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    games: _containers.RepeatedScalarFieldContainer[int]
    drops: _containers.RepeatedScalarFieldContainer[int]
    stage: str
    actor: int
    upcard: str
    upcard_place: UpcardPlace
    upcard_holder: int
    proposed: _action_pb2.Suit
    trump: _action_pb2.Suit
    maker: int
    contract: int
    how: _action_pb2.How
    lone_defender: int
    highest_bid: int
    highest_bidder: int
    active: _containers.RepeatedScalarFieldContainer[int]
    sides: _containers.RepeatedScalarFieldContainer[int]
    leader: int
    trick: _containers.RepeatedCompositeFieldContainer[PlayedCard]
    tricks_won: _containers.RepeatedScalarFieldContainer[int]
    trick_number: int
    laid: _containers.RepeatedCompositeFieldContainer[LaidCards]
    covered: _containers.RepeatedScalarFieldContainer[int]
    extra: _containers.RepeatedCompositeFieldContainer[Fact]
    history: _containers.RepeatedCompositeFieldContainer[_action_pb2.Event]
    def __init__(self, hand_number: _Optional[int] = ..., dealer: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., games: _Optional[_Iterable[int]] = ..., drops: _Optional[_Iterable[int]] = ..., stage: _Optional[str] = ..., actor: _Optional[int] = ..., upcard: _Optional[str] = ..., upcard_place: _Optional[_Union[UpcardPlace, str]] = ..., upcard_holder: _Optional[int] = ..., proposed: _Optional[_Union[_action_pb2.Suit, str]] = ..., trump: _Optional[_Union[_action_pb2.Suit, str]] = ..., maker: _Optional[int] = ..., contract: _Optional[int] = ..., how: _Optional[_Union[_action_pb2.How, str]] = ..., lone_defender: _Optional[int] = ..., highest_bid: _Optional[int] = ..., highest_bidder: _Optional[int] = ..., active: _Optional[_Iterable[int]] = ..., sides: _Optional[_Iterable[int]] = ..., leader: _Optional[int] = ..., trick: _Optional[_Iterable[_Union[PlayedCard, _Mapping]]] = ..., tricks_won: _Optional[_Iterable[int]] = ..., trick_number: _Optional[int] = ..., laid: _Optional[_Iterable[_Union[LaidCards, _Mapping]]] = ..., covered: _Optional[_Iterable[int]] = ..., extra: _Optional[_Iterable[_Union[Fact, _Mapping]]] = ..., history: _Optional[_Iterable[_Union[_action_pb2.Event, _Mapping]]] = ...) -> None: ...

class OwnView(_message.Message):
    __slots__ = ("hand", "memory")
    HAND_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    hand: _containers.RepeatedScalarFieldContainer[str]
    memory: _containers.RepeatedCompositeFieldContainer[Memory]
    def __init__(self, hand: _Optional[_Iterable[str]] = ..., memory: _Optional[_Iterable[_Union[Memory, _Mapping]]] = ...) -> None: ...

class SeatView(_message.Message):
    __slots__ = ("public_view", "own_view")
    PUBLIC_VIEW_FIELD_NUMBER: _ClassVar[int]
    OWN_VIEW_FIELD_NUMBER: _ClassVar[int]
    public_view: PublicView
    own_view: OwnView
    def __init__(self, public_view: _Optional[_Union[PublicView, _Mapping]] = ..., own_view: _Optional[_Union[OwnView, _Mapping]] = ...) -> None: ...
