"""The standard services of gRPC on a seat address: health checks, and reflection for tools without the proto files.

They need no token. `Watch` of the health service is left out, since a stranger could use it to keep a call open for any
length of time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from google.protobuf.message import DecodeError

from bowerbird.harness.http2.grpc_words import StatusCode

if TYPE_CHECKING:
    import grpc

HEALTH = "/grpc.health.v1.Health/"
REFLECTION = "/grpc.reflection."

_SERVED = ("Check", "List", "ServerReflectionInfo")


class _Registry:
    """A recipient of the handlers that a library registers with a server."""

    def __init__(self) -> None:
        self.handlers: list[grpc.GenericRpcHandler] = []

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        self.handlers.extend(handlers)

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        """Do nothing, since the generic handlers serve the same methods."""


@lru_cache(maxsize=4)
def _handlers(service: str) -> tuple[grpc.GenericRpcHandler, ...]:
    """Return the handlers of both services for a server of `service`.

    They are imported only now, since few runs are ever probed.
    """
    from grpc_health.v1 import health, health_pb2, health_pb2_grpc
    from grpc_reflection.v1alpha import reflection

    serving = health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)
    messages: Any = health_pb2  # its type stubs lack List so far

    class Health(health.HealthServicer):
        """The library's service, plus List, which the library lacks."""

        def List(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802  # gRPC's name
            return messages.HealthListResponse(statuses={"": serving, service: serving})

    registry: Any = _Registry()
    checks = Health()
    checks.set(service, serving.status)
    health_pb2_grpc.add_HealthServicer_to_server(checks, registry)
    reflection.enable_server_reflection((service, health.SERVICE_NAME, reflection.SERVICE_NAME), registry)
    return tuple(registry.handlers)


class CallEndedError(Exception):
    """The end of a call with a status other than OK, and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class _Details(NamedTuple):
    """The key for looking up a handler (`grpc.HandlerCallDetails`)."""

    method: str
    invocation_metadata: tuple[()] = ()


class _Context:
    """The part of `grpc.ServicerContext` that the services use."""

    def __init__(self) -> None:
        self.code: int = StatusCode.OK
        self.details = ""

    def set_code(self, code: grpc.StatusCode) -> None:
        self.code = code.value[0]

    def set_details(self, details: str) -> None:
        self.details = details


def probe(method: str, service: str, data: bytes) -> tuple[Collection[bytes], bool]:
    """Answer a message of a call without gRPC's server. Return the answers, and whether more messages may follow.

    Raises CallEndedError.
    """
    handler = _handler(method, service)
    if handler is None:
        raise CallEndedError(StatusCode.UNIMPLEMENTED, "Method not found!")
    try:
        request = handler.request_deserializer(data)
    except DecodeError as error:
        raise CallEndedError(StatusCode.INTERNAL, "Exception deserializing request!") from error
    context: Any = _Context()
    if handler.request_streaming:
        answers = list(handler.stream_stream(iter([request]), context))
    else:
        answers = [handler.unary_unary(request, context)]
    if context.code != StatusCode.OK:
        raise CallEndedError(context.code, context.details)
    return [handler.response_serializer(answer) for answer in answers], handler.request_streaming


def _handler(method: str, service: str) -> Any:
    """Return the library's handler for a method, or None if it is not served."""
    if method.rpartition("/")[2] not in _SERVED:
        return None
    details: Any = _Details(method)
    return next((made for handler in _handlers(service) if (made := handler.service(details)) is not None), None)
