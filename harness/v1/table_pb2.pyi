from harness.v1 import action_pb2 as _action_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FaultPolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_POLICY_UNSPECIFIED: _ClassVar[FaultPolicy]
    FAULT_POLICY_FORFEIT: _ClassVar[FaultPolicy]
    FAULT_POLICY_SUBSTITUTE: _ClassVar[FaultPolicy]

class FaultKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_KIND_UNSPECIFIED: _ClassVar[FaultKind]
    FAULT_KIND_ILLEGAL: _ClassVar[FaultKind]
    FAULT_KIND_TIMEOUT: _ClassVar[FaultKind]
    FAULT_KIND_DISCONNECTED: _ClassVar[FaultKind]
    FAULT_KIND_CRASHED: _ClassVar[FaultKind]
    FAULT_KIND_PROTOCOL: _ClassVar[FaultKind]
    FAULT_KIND_RESIGNED: _ClassVar[FaultKind]
    FAULT_KIND_NEVER_STARTED: _ClassVar[FaultKind]
FAULT_POLICY_UNSPECIFIED: FaultPolicy
FAULT_POLICY_FORFEIT: FaultPolicy
FAULT_POLICY_SUBSTITUTE: FaultPolicy
FAULT_KIND_UNSPECIFIED: FaultKind
FAULT_KIND_ILLEGAL: FaultKind
FAULT_KIND_TIMEOUT: FaultKind
FAULT_KIND_DISCONNECTED: FaultKind
FAULT_KIND_CRASHED: FaultKind
FAULT_KIND_PROTOCOL: FaultKind
FAULT_KIND_RESIGNED: FaultKind
FAULT_KIND_NEVER_STARTED: FaultKind

class OptionValue(_message.Message):
    __slots__ = ("flag", "number", "text")
    FLAG_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    flag: bool
    number: int
    text: str
    def __init__(self, flag: _Optional[bool] = ..., number: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class Option(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: OptionValue
    def __init__(self, name: _Optional[str] = ..., value: _Optional[_Union[OptionValue, _Mapping]] = ...) -> None: ...

class Clock(_message.Message):
    __slots__ = ("per_decision_ms", "bank_ms", "increment_ms")
    PER_DECISION_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    per_decision_ms: int
    bank_ms: int
    increment_ms: int
    def __init__(self, per_decision_ms: _Optional[int] = ..., bank_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ...) -> None: ...

class TableOpened(_message.Message):
    __slots__ = ("table_id", "seat", "players", "partners", "variant", "rules_version", "options", "clock", "fault_policy", "seed", "names")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    PARTNERS_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    FAULT_POLICY_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    seat: int
    players: int
    partners: _containers.RepeatedScalarFieldContainer[int]
    variant: str
    rules_version: str
    options: _containers.RepeatedCompositeFieldContainer[Option]
    clock: Clock
    fault_policy: FaultPolicy
    seed: bytes
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, table_id: _Optional[str] = ..., seat: _Optional[int] = ..., players: _Optional[int] = ..., partners: _Optional[_Iterable[int]] = ..., variant: _Optional[str] = ..., rules_version: _Optional[str] = ..., options: _Optional[_Iterable[_Union[Option, _Mapping]]] = ..., clock: _Optional[_Union[Clock, _Mapping]] = ..., fault_policy: _Optional[_Union[FaultPolicy, str]] = ..., seed: _Optional[bytes] = ..., names: _Optional[_Iterable[str]] = ...) -> None: ...

class HandEnded(_message.Message):
    __slots__ = ("table_id", "hand_number", "scores", "games", "ended", "events")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HAND_NUMBER_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    hand_number: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    games: _containers.RepeatedScalarFieldContainer[int]
    ended: str
    events: _containers.RepeatedCompositeFieldContainer[_action_pb2.Event]
    def __init__(self, table_id: _Optional[str] = ..., hand_number: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., games: _Optional[_Iterable[int]] = ..., ended: _Optional[str] = ..., events: _Optional[_Iterable[_Union[_action_pb2.Event, _Mapping]]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("seat", "kind", "detail")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    seat: int
    kind: FaultKind
    detail: str
    def __init__(self, seat: _Optional[int] = ..., kind: _Optional[_Union[FaultKind, str]] = ..., detail: _Optional[str] = ...) -> None: ...

class TableClosed(_message.Message):
    __slots__ = ("table_id", "ranks", "scores", "games", "ended", "faults")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    ranks: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedScalarFieldContainer[int]
    games: _containers.RepeatedScalarFieldContainer[int]
    ended: str
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    def __init__(self, table_id: _Optional[str] = ..., ranks: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[int]] = ..., games: _Optional[_Iterable[int]] = ..., ended: _Optional[str] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ...) -> None: ...

class OptionRule(_message.Message):
    __slots__ = ("name", "default_value", "allowed", "help")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    name: str
    default_value: OptionValue
    allowed: str
    help: str
    def __init__(self, name: _Optional[str] = ..., default_value: _Optional[_Union[OptionValue, _Mapping]] = ..., allowed: _Optional[str] = ..., help: _Optional[str] = ...) -> None: ...

class Variant(_message.Message):
    __slots__ = ("name", "title", "players", "options", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    players: int
    options: _containers.RepeatedCompositeFieldContainer[OptionRule]
    description: str
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., players: _Optional[int] = ..., options: _Optional[_Iterable[_Union[OptionRule, _Mapping]]] = ..., description: _Optional[str] = ...) -> None: ...
