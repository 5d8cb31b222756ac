from starlette.requests import Request

from harness.server.calls import Call
from harness.server.routes import NoQuery


def test_a_call_without_a_body_has_none() -> None:
    call: Call[None] = Call(Request({"type": "http"}), {"id": "1"}, NoQuery(), None)
    assert (call.path["id"], call.body) == ("1", None)
