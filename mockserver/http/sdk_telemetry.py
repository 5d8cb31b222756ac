"""Takes the telemetry of SDKs: it is answered and counted, and is no request of the program."""

from mockserver.asgi.requests import (
    BodyTooLargeError,
    CallerGoneError,
    Receive,
    Request,
    Send,
    read_body,
)
from mockserver.googleapi import ApiError
from mockserver.model import Miss
from mockserver.sessions.connection_journal import note_connection
from mockserver.sessions.session import Session
from mockserver.sources.response import Response, error_response

_FORBIDDEN = 403
_PROTOBUF = b"application/x-protobuf"


async def answer_telemetry(
    session: Session, request: Request, receive: Receive, send: Send
) -> None:
    """Count a request of an SDK's telemetry, and say that all is well.

    Args:
        session: The session that it is counted in.
        request: Its head.
        receive: Gives its body, which nobody reads.
        send: Takes the answer: an empty object of JSON, or an empty message of Protocol Buffers.
    """
    session.telemetry[request.host.decode("latin-1")] += 1
    status = 200
    try:
        if request.has_body:
            await read_body(request, receive)
    except BodyTooLargeError:
        status = 413
    except CallerGoneError:
        return
    media = request.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    is_json = media != _PROTOBUF
    content = b"{}" if is_json and request.verb != "HEAD" else b""
    headers = [
        (b"content-type", b"application/json" if is_json else _PROTOBUF),
        (b"content-length", b"%d" % len(content)),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def refuse_unserved_host(session: Session, host: str, *, is_wanted: bool = False) -> Response:
    """Refuse a request to a host that takes telemetry alone; told as the connection to it.

    Args:
        session: The session that asked.
        host: The host.
        is_wanted: Whether the user said that the host is to be answered for.
    """
    from mockserver.models.calls import is_model_host  # reads models

    served = f"`hosts: [{host}]` in apis/*.yaml or an `http` stub"
    if is_wanted:
        if is_model_host(host):
            served = f"scripted replies in models/*.yaml, {served}"
        reason = (
            f"--emulate leads {host} here, and nothing says what it answers but to the telemetry of"
            f" SDKs: a recording (--cassette), {served} does"
        )
    else:
        reason = (
            f"{host} is not emulated, and nothing leaves this machine; here it only takes the"
            f" telemetry of SDKs: {served} serves it"
        )
    miss = Miss(blame="not_emulated", reason=reason)
    note_connection(session, f"{host}:443", _FORBIDDEN, miss)
    return error_response(
        ApiError(_FORBIDDEN, reason, reason="forbidden", miss=miss), "one_platform"
    )
