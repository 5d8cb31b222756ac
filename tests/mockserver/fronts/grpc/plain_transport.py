"""A client's transport whose one call takes a message of no known service."""

from typing import Any

from google.protobuf import empty_pb2


class PlainGrpcTransport:
    DEFAULT_HOST = "example.googleapis.com"

    def __init__(self, *, channel: Any) -> None:
        self._logged_channel = channel

    @property
    def call_it(self) -> Any:
        return self._logged_channel.unary_unary(
            "/google.example.v1.Plain/CallIt",
            request_serializer=empty_pb2.Empty.SerializeToString,
            response_deserializer=empty_pb2.Empty.FromString,
        )
