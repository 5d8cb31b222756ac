"""What the metadata of a gRPC call says about its caller: session, credential, client."""

from typing import NamedTuple

from mockserver.asgi.requests import Name, session_in_baggage
from mockserver.state import session_of

Metadata = tuple[tuple[str, str | bytes], ...]
"""As gRPC hands it over: keys in lower case, values of `-bin` keys as bytes."""


class Carried(NamedTuple):
    """What the metadata of one call says.

    Attributes:
        names: The sessions that `x-mock-session` and the token name.
        baggage: That of the baggage; what the connection named comes before it.
        token: The access token as sent, or an empty string.
        client: The caller's `x-goog-api-client`, else its `user-agent`.
    """

    names: tuple[Name, ...]
    baggage: tuple[Name, ...]
    token: str
    client: bytes


def carried(metadata: Metadata) -> Carried:
    """Read a call's metadata.

    >>> carried((("authorization", "Bearer ya29.mock~s1~0"), ("user-agent", "x"))).names
    (('token', 's1'),)
    """
    sent = dict(metadata)
    token = _bearer(_text(sent, "authorization"))
    client = _text(sent, "x-goog-api-client") or _text(sent, "user-agent")
    names: list[Name] = []
    if "x-mock-session" in sent:
        names.append(("header", _text(sent, "x-mock-session")))
    if (named := session_of(token)) is not None:
        names.append(("token", named))
    in_baggage = session_in_baggage(_text(sent, "baggage"))
    return Carried(
        tuple(names),
        () if in_baggage is None else (("baggage", in_baggage),),
        token,
        client.encode("latin-1", "replace"),
    )


def _text(sent: dict[str, str | bytes], key: str) -> str:
    value = sent.get(key, "")
    return value if isinstance(value, str) else value.decode("latin-1")


def _bearer(authorization: str) -> str:
    return authorization[7:].strip() if authorization[:7].lower() == "bearer " else ""
