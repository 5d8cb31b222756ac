"""What the gRPC listener is held against: grpcio, and a handler that knows one answer."""

import sys
from typing import Any

import grpc
import uvloop
from google.cloud.logging_v2.types import ListLogEntriesRequest, ListLogEntriesResponse
from grpc import aio

REQUEST, RESPONSE = ListLogEntriesRequest.pb(), ListLogEntriesResponse.pb()


class Constant(grpc.GenericRpcHandler):  # type: ignore[misc]
    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def _say(self, request: Any, context: Any) -> Any:
        return self._answer

    def service(self, handler_call_details: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(
            self._say,
            request_deserializer=REQUEST.FromString,
            response_serializer=RESPONSE.SerializeToString,
        )


async def serve(port: int, answer: bytes) -> None:
    server = aio.server(handlers=(Constant(RESPONSE.FromString(answer)),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), bytes.fromhex(sys.argv[2])))
