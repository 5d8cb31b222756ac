"""Takes the telemetry of SDKs: it is answered and counted, and is no request of the program."""

from mockserver.asgi.requests import (
    BodyTooLargeError,
    CallerGoneError,
    Receive,
    Request,
    Send,
    read_body,
)
from mockserver.sessions.session import Session

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
