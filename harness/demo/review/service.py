"""The reviewer behind HTTP: `POST /v1/review` with a bearer token."""

import argparse
import json
import secrets
from itertools import count
from typing import Any

import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from harness.demo.review.flaws import FLAWS, NO_FLAWS, ReviewFlaws, review_flaws
from harness.demo.review.reviewing import RefusedError, ReviewRequest, review

PATH = "/v1/review"
TOKEN = "demo-token"  # noqa: S105  (a documented default, no secret)
_LARGEST_BODY = 1 << 20


def application(flaws: ReviewFlaws = NO_FLAWS, *, token: str = TOKEN) -> Starlette:
    """The service; it refuses requests without the token.

    Args:
        flaws: What the reviewer does badly.
        token: The bearer token that requests must bring.
    """
    numbers = count()

    async def reviews(request: Request) -> Response:
        if not secrets.compare_digest(_bearer(request).encode(), token.encode()):
            return _error(401, "UNAUTHENTICATED", "a bearer token is needed")
        try:
            asked = ReviewRequest.model_validate(await _body(request))
        except RefusedError as error:
            return _error(413, error.code, str(error))
        except (ValueError, ValidationError) as error:
            return _error(400, "INVALID_REQUEST", str(error).splitlines()[0])
        return _reviewed(asked, flaws, next(numbers))

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    return Starlette(routes=[Route(PATH, reviews, methods=["POST"]), Route("/health", health)])


def _reviewed(asked: ReviewRequest, flaws: ReviewFlaws, number: int) -> Response:
    try:
        answer: dict[str, Any] = review(asked, flaws, number=number).model_dump(mode="json")
    except RefusedError as error:
        if not flaws.wrong_status:
            return _error(422, error.code, str(error))
        answer = {"standards_set": "none", "strictness": asked.strictness, "observations": []}
    if flaws.bad_schema:
        answer["observations"] = [each | {"severity": "major"} for each in answer["observations"]]
    return JSONResponse(answer)


def _error(status: int, code: str, message: str) -> Response:
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def _body(request: Request) -> Any:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST_BODY:
            raise RefusedError("CONTENT_TOO_LARGE", f"more than {_LARGEST_BODY} bytes")
    return json.loads(body)


def main(arguments: list[str] | None = None) -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(
        prog="python -m harness.demo.review",
        description="Serves POST /v1/review: holds training material against standards, by rules.",
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9020)
    parser.add_argument("--token", default=TOKEN, help="the bearer token that requests must bring")
    parser.add_argument("--flawed", choices=[*FLAWS], default="", help="be a worse reviewer")
    options = parser.parse_args(arguments)
    uvicorn.run(
        application(review_flaws(options.flawed), token=options.token),
        host=options.host,
        port=options.port,
        log_level="warning",
    )
