"""Batches of declared APIs: the requests in one body, each answered and journalled as its own."""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

import orjson

from mockserver.asgi.requests import Request
from mockserver.declared.calls import Answer
from mockserver.declared.declaration import Batch
from mockserver.declared.errors import Detail, refusal
from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject, shortened
from mockserver.sources.exchange import Exchange
from mockserver.sources.response import Response, header_pairs

AnswerPart = Callable[[Exchange, Request, bytes], tuple[Response, ApiError | None]]
"""Answers one request of a batch: what it is answered, and what it was refused with."""

_FROM_OUTSIDE = (b"content-", b"transfer-", b"accept-encoding", b"if-", b"idempotency")
"""Headers of the batch that are not those of its requests."""
_FIELDS = frozenset({"id", "method", "url", "headers", "body"})


def answer_batch(
    exchange: Exchange, batch: Batch, sent: Json, prefix: bytes, answer_part: AnswerPart
) -> Answer:
    """Answer every request of a batch in its order.

    Args:
        exchange: The batch.
        batch: How its API takes batches.
        sent: Its body.
        prefix: What stands before the path of each of its requests.
        answer_part: Answers one of them.

    Raises:
        ApiError: Its body holds no requests, or too many; or one of them fails, and it is one of
            which all are kept or none.
    """
    parts = sent.get("requests") if isinstance(sent, dict) else None
    if not isinstance(parts, list) or not parts:
        raise refusal(400, "A batch holds its requests in a list.", details=[
            Detail("/requests", "must be a list of {id, method, url, headers, body}")])  # fmt: skip
    if len(parts) > batch.most:
        text = f"The batch holds {len(parts)} requests; {batch.most} are taken."
        raise refusal(413, text, details=[Detail("/requests", "is too long")])
    answers: list[JsonObject] = []
    for number, part in enumerate(parts):
        response, failed = _answer(exchange, part, prefix, answer_part)
        if batch.atomic and (failed is not None or response.status >= 400):
            error = failed or ApiError(response.status, "it is answered so")
            text = f"Request {number + 1} of {len(parts)} failed, and none is kept: {error.message}"
            raise replace(error, message=text)
        outer = exchange.response
        outer.damage = outer.damage or response.damage
        outer.delay_ms = max(outer.delay_ms, response.delay_ms)
        ident = part.get("id") if isinstance(part, dict) else None
        answers.append(
            {"id": str(number + 1) if ident is None else ident, **_answer_view(response)}
        )
    return Answer({"responses": answers})


def _answer(
    exchange: Exchange, part: Json, prefix: bytes, answer_part: AnswerPart
) -> tuple[Response, ApiError | None]:
    declared, request = exchange.route.declared, exchange.request
    try:
        if declared is None or request is None:
            raise refusal(400, "It is no batch of requests.")
        return answer_part(exchange, *_request_of(part, request, prefix))
    except ApiError as error:
        shape, response = declared.api.errors if declared else None, Response()
        response.status = error.status
        response.headers = header_pairs(error.headers)
        response.body = orjson.dumps(shape.body(error, "") if shape else None)
        return response, error


def _request_of(part: Json, outer: Request, prefix: bytes) -> tuple[Request, bytes]:
    """The request that a part is, with the headers that it has from the batch.

    Raises:
        ApiError: 400: it is none.
    """
    if not isinstance(part, dict):
        raise refusal(400, "It must be an object: {method, url, headers, body}.")
    for name in part.keys() - _FIELDS:
        raise refusal(400, f"It has an unknown field: {shortened(name)}.")
    url, headers = part.get("url"), part.get("headers") or {}
    if not isinstance(url, str) or not url.startswith("/"):
        raise refusal(400, "Its `url` must be a path below the address of the API: /bookings?a=b.")
    if not isinstance(headers, dict):
        raise refusal(400, "Its `headers` must be an object.")
    path, _, query = url.partition("?")
    content = b"" if part.get("body") is None else orjson.dumps(part["body"])
    above = {
        name: each for name, each in outer.headers.items() if not name.startswith(_FROM_OUTSIDE)
    }
    own = {str(name).lower().encode(): str(each).encode() for name, each in headers.items()}
    usual = {b"content-type": b"application/json"} if content else {}
    scope = {
        "method": str(part.get("method") or "GET").upper(),
        "raw_path": prefix + quote(path, safe="/%:@!$&'()*+,;=~").encode(),
        "query_string": quote(query, safe="=&%+/:@!$'()*,;~?[]").encode(),
        "headers": list({**above, **usual, **own}.items()),
        "scheme": outer.scheme,
    }
    return Request(scope), content


def _answer_view(response: Response) -> JsonObject:
    """An answer as the batch shows it."""
    headers = {name.decode(): value.decode("latin-1") for name, value in response.headers}
    shown: JsonObject = {"status": response.status}
    if headers:
        shown["headers"] = headers
    if response.body:
        is_json = b"json" in response.content_type
        shown["body"] = (
            orjson.loads(response.body) if is_json else b64encode(response.body).decode()
        )
    return shown
