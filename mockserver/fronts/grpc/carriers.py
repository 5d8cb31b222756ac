"""What the metadata of a gRPC call says about its caller: session, credential, client."""

import re
from typing import NamedTuple

from mockserver.state import session_of

_BAGGAGE = re.compile(r"(?:^|,)\s*mock\.session\s*=\s*([^,;\s]+)")

Metadata = tuple[tuple[str, str | bytes], ...]
"""As gRPC hands it over: keys in lower case, values of `-bin` keys as bytes."""


class Carried(NamedTuple):
    """What the metadata of one call says.

    Attributes:
        session: The session that `x-mock-session` or else the token names, or None.
        baggage: The session in the baggage, or None; what the connection named comes before it.
        token: The access token as sent, or an empty string.
        client: The caller's `x-goog-api-client`, else its `user-agent`.
    """

    session: str | None
    baggage: str | None
    token: str
    client: bytes


def carried(metadata: Metadata) -> Carried:
    """Read a call's metadata.

    >>> carried((("authorization", "Bearer ya29.mock~s1~0"), ("user-agent", "x"))).session
    's1'
    """
    sent = dict(metadata)
    token = _bearer(_text(sent, "authorization"))
    header = _text(sent, "x-mock-session") if "x-mock-session" in sent else None
    client = _text(sent, "x-goog-api-client") or _text(sent, "user-agent")
    return Carried(
        session_of(token) if header is None else header,
        _in_baggage(_text(sent, "baggage")),
        token,
        client.encode("latin-1", "replace"),
    )


def _text(sent: dict[str, str | bytes], key: str) -> str:
    value = sent.get(key, "")
    return value if isinstance(value, str) else value.decode("latin-1")


def _bearer(authorization: str) -> str:
    return authorization[7:].strip() if authorization[:7].lower() == "bearer " else ""


def _in_baggage(baggage: str) -> str | None:
    """The session in W3C baggage, or None.

    >>> _in_baggage("user=1, mock.session=s1;p=2")
    's1'
    """
    found = _BAGGAGE.search(baggage) if baggage else None
    return found[1] if found else None
