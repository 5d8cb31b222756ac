"""What a team writes by itself: a route of Starlette that answers with a dictionary."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

BODY = {"name": "Unit", "parts": [{"id": f"part-{number}"} for number in range(20)]}
REPLY = "Hello. How can I help you today?"
UNITS = {f"{number:04}": BODY for number in range(1000)}


async def unit(request: Request) -> JSONResponse:
    return JSONResponse(UNITS[request.path_params["unit"]])


async def completion(request: Request) -> JSONResponse:
    asked = await request.json()
    message = {"role": "assistant", "content": REPLY, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return JSONResponse({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1795744999,
        "model": asked["model"],
        "choices": [choice],
        "usage": {"prompt_tokens": 2, "completion_tokens": 8, "total_tokens": 10},
    })  # fmt: skip


app = Starlette(
    routes=[
        Route("/v1/units/{unit}", unit),
        Route("/v1/chat/completions", completion, methods=["POST"]),
    ]
)
