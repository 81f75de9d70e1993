from harness.v1 import action_pb2 as _action_pb2
from harness.v1 import table_pb2 as _table_pb2
from harness.v1 import view_pb2 as _view_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_CODE_UNSPECIFIED: _ClassVar[ErrorCode]
    ERROR_CODE_TOKEN: _ClassVar[ErrorCode]
    ERROR_CODE_VERSION: _ClassVar[ErrorCode]
    ERROR_CODE_PROTOCOL: _ClassVar[ErrorCode]
    ERROR_CODE_STARTUP: _ClassVar[ErrorCode]
    ERROR_CODE_ILLEGAL: _ClassVar[ErrorCode]
    ERROR_CODE_TIMEOUT: _ClassVar[ErrorCode]
    ERROR_CODE_REFEREE: _ClassVar[ErrorCode]

class GoodbyeReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GOODBYE_REASON_UNSPECIFIED: _ClassVar[GoodbyeReason]
    GOODBYE_REASON_FINISHED: _ClassVar[GoodbyeReason]
    GOODBYE_REASON_REPLACED: _ClassVar[GoodbyeReason]
    GOODBYE_REASON_FAULT: _ClassVar[GoodbyeReason]
    GOODBYE_REASON_INTERRUPTED: _ClassVar[GoodbyeReason]
ERROR_CODE_UNSPECIFIED: ErrorCode
ERROR_CODE_TOKEN: ErrorCode
ERROR_CODE_VERSION: ErrorCode
ERROR_CODE_PROTOCOL: ErrorCode
ERROR_CODE_STARTUP: ErrorCode
ERROR_CODE_ILLEGAL: ErrorCode
ERROR_CODE_TIMEOUT: ErrorCode
ERROR_CODE_REFEREE: ErrorCode
GOODBYE_REASON_UNSPECIFIED: GoodbyeReason
GOODBYE_REASON_FINISHED: GoodbyeReason
GOODBYE_REASON_REPLACED: GoodbyeReason
GOODBYE_REASON_FAULT: GoodbyeReason
GOODBYE_REASON_INTERRUPTED: GoodbyeReason

class Capabilities(_message.Message):
    __slots__ = ("max_tables", "max_batch", "wants_events", "wants_forced", "resume")
    MAX_TABLES_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_FIELD_NUMBER: _ClassVar[int]
    WANTS_EVENTS_FIELD_NUMBER: _ClassVar[int]
    WANTS_FORCED_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    max_tables: int
    max_batch: int
    wants_events: bool
    wants_forced: bool
    resume: bool
    def __init__(self, max_tables: _Optional[int] = ..., max_batch: _Optional[int] = ..., wants_events: _Optional[bool] = ..., wants_forced: _Optional[bool] = ..., resume: _Optional[bool] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("token", "protocol_versions", "bot_name", "bot_version", "capabilities", "session_secret")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    BOT_VERSION_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    SESSION_SECRET_FIELD_NUMBER: _ClassVar[int]
    token: str
    protocol_versions: _containers.RepeatedScalarFieldContainer[int]
    bot_name: str
    bot_version: str
    capabilities: Capabilities
    session_secret: str
    def __init__(self, token: _Optional[str] = ..., protocol_versions: _Optional[_Iterable[int]] = ..., bot_name: _Optional[str] = ..., bot_version: _Optional[str] = ..., capabilities: _Optional[_Union[Capabilities, _Mapping]] = ..., session_secret: _Optional[str] = ...) -> None: ...

class Ready(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Decision(_message.Message):
    __slots__ = ("table_id", "decision_id", "action_index", "action", "note")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_INDEX_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    decision_id: int
    action_index: int
    action: str
    note: str
    def __init__(self, table_id: _Optional[str] = ..., decision_id: _Optional[int] = ..., action_index: _Optional[int] = ..., action: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class Decisions(_message.Message):
    __slots__ = ("decisions",)
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[Decision]
    def __init__(self, decisions: _Optional[_Iterable[_Union[Decision, _Mapping]]] = ...) -> None: ...

class Resign(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class Pong(_message.Message):
    __slots__ = ("ping_id",)
    PING_ID_FIELD_NUMBER: _ClassVar[int]
    ping_id: int
    def __init__(self, ping_id: _Optional[int] = ...) -> None: ...

class BotFault(_message.Message):
    __slots__ = ("message", "detail")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    message: str
    detail: str
    def __init__(self, message: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class PlayRequest(_message.Message):
    __slots__ = ("hello", "ready", "decisions", "resign", "pong", "bot_fault")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    RESIGN_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    BOT_FAULT_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    ready: Ready
    decisions: Decisions
    resign: Resign
    pong: Pong
    bot_fault: BotFault
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., ready: _Optional[_Union[Ready, _Mapping]] = ..., decisions: _Optional[_Union[Decisions, _Mapping]] = ..., resign: _Optional[_Union[Resign, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ..., bot_fault: _Optional[_Union[BotFault, _Mapping]] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("max_tables", "max_batch", "max_message_bytes", "max_note_bytes")
    MAX_TABLES_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_NOTE_BYTES_FIELD_NUMBER: _ClassVar[int]
    max_tables: int
    max_batch: int
    max_message_bytes: int
    max_note_bytes: int
    def __init__(self, max_tables: _Optional[int] = ..., max_batch: _Optional[int] = ..., max_message_bytes: _Optional[int] = ..., max_note_bytes: _Optional[int] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("protocol_version", "session_secret", "limits", "startup_ms")
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    SESSION_SECRET_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    STARTUP_MS_FIELD_NUMBER: _ClassVar[int]
    protocol_version: int
    session_secret: str
    limits: Limits
    startup_ms: int
    def __init__(self, protocol_version: _Optional[int] = ..., session_secret: _Optional[str] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., startup_ms: _Optional[int] = ...) -> None: ...

class DecisionRequest(_message.Message):
    __slots__ = ("table_id", "decision_id", "legal_actions", "view", "budget_ms", "bank_ms", "charged_ms", "events")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    BUDGET_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    CHARGED_MS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    decision_id: int
    legal_actions: _containers.RepeatedCompositeFieldContainer[_action_pb2.Action]
    view: _view_pb2.SeatView
    budget_ms: int
    bank_ms: int
    charged_ms: int
    events: _containers.RepeatedCompositeFieldContainer[_action_pb2.Event]
    def __init__(self, table_id: _Optional[str] = ..., decision_id: _Optional[int] = ..., legal_actions: _Optional[_Iterable[_Union[_action_pb2.Action, _Mapping]]] = ..., view: _Optional[_Union[_view_pb2.SeatView, _Mapping]] = ..., budget_ms: _Optional[int] = ..., bank_ms: _Optional[int] = ..., charged_ms: _Optional[int] = ..., events: _Optional[_Iterable[_Union[_action_pb2.Event, _Mapping]]] = ...) -> None: ...

class DecisionRequests(_message.Message):
    __slots__ = ("requests", "deadline_ms")
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[DecisionRequest]
    deadline_ms: int
    def __init__(self, requests: _Optional[_Iterable[_Union[DecisionRequest, _Mapping]]] = ..., deadline_ms: _Optional[int] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ("ping_id",)
    PING_ID_FIELD_NUMBER: _ClassVar[int]
    ping_id: int
    def __init__(self, ping_id: _Optional[int] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("code", "message", "hint", "fatal", "table_id")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    FATAL_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    code: ErrorCode
    message: str
    hint: str
    fatal: bool
    table_id: str
    def __init__(self, code: _Optional[_Union[ErrorCode, str]] = ..., message: _Optional[str] = ..., hint: _Optional[str] = ..., fatal: _Optional[bool] = ..., table_id: _Optional[str] = ...) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ("reason", "grace_ms")
    REASON_FIELD_NUMBER: _ClassVar[int]
    GRACE_MS_FIELD_NUMBER: _ClassVar[int]
    reason: GoodbyeReason
    grace_ms: int
    def __init__(self, reason: _Optional[_Union[GoodbyeReason, str]] = ..., grace_ms: _Optional[int] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("welcome", "table_opened", "decision_requests", "hand_ended", "table_closed", "ping", "error", "goodbye")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    TABLE_OPENED_FIELD_NUMBER: _ClassVar[int]
    DECISION_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    HAND_ENDED_FIELD_NUMBER: _ClassVar[int]
    TABLE_CLOSED_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    table_opened: _table_pb2.TableOpened
    decision_requests: DecisionRequests
    hand_ended: _table_pb2.HandEnded
    table_closed: _table_pb2.TableClosed
    ping: Ping
    error: Error
    goodbye: Goodbye
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., table_opened: _Optional[_Union[_table_pb2.TableOpened, _Mapping]] = ..., decision_requests: _Optional[_Union[DecisionRequests, _Mapping]] = ..., hand_ended: _Optional[_Union[_table_pb2.HandEnded, _Mapping]] = ..., table_closed: _Optional[_Union[_table_pb2.TableClosed, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., error: _Optional[_Union[Error, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ...) -> None: ...

class ListVariantsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListVariantsResponse(_message.Message):
    __slots__ = ("variants", "rules_version")
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    variants: _containers.RepeatedCompositeFieldContainer[_table_pb2.Variant]
    rules_version: str
    def __init__(self, variants: _Optional[_Iterable[_Union[_table_pb2.Variant, _Mapping]]] = ..., rules_version: _Optional[str] = ...) -> None: ...
