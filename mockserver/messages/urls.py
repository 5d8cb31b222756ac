"""URLs taken apart without decoding, so that they can be put together to the character."""

from collections.abc import Iterable
from typing import NamedTuple


class Url(NamedTuple):
    """A URL's parts as written; `joined` gives it back to the character.

    Attributes:
        scheme: With the colon and slashes that follow (`https://`), or an empty string.
        user: With its `@`, or an empty string.
        host: As written; IPv6 in brackets.
        port: With its colon, or an empty string.
        path: As written.
        query: With its question mark, or an empty string.
        fragment: With its `#`, or an empty string.
    """

    scheme: str
    user: str
    host: str
    port: str
    path: str
    query: str
    fragment: str

    def join(self) -> str:
        """The URL."""
        return "".join(self)


class Pair(NamedTuple):
    """A name and its value of a query or form, not decoded.

    Attributes:
        name: As written.
        value: As written, or None where there is no equals sign.
    """

    name: str
    value: str | None


def split_url(url: str) -> Url:
    """A URL or a target (`/path?query`) taken apart.

    >>> split_url("https://a@h:1/p?q=1#f")
    Url(scheme='https://', user='a@', host='h', port=':1', path='/p', query='?q=1', fragment='#f')
    """
    rest, hash_sign, fragment = url.partition("#")
    rest, mark, query = rest.partition("?")
    scheme, authority, path = _split_front(rest)
    user, at, place = authority.rpartition("@")
    bracket = place.rfind("]")
    colon = place.find(":", bracket + 1)
    host, port = (place, "") if colon < 0 else (place[:colon], place[colon:])
    return Url(scheme, user + at, host, port, path, mark + query, hash_sign + fragment)


def split_pairs(query: str) -> tuple[Pair, ...]:
    """The pairs of a query (with or without its question mark) or a form, in order.

    Pieces without a name are kept, so that `join_pairs` gives the text back.

    >>> split_pairs("?a=1&b&c=")
    (Pair(name='a', value='1'), Pair(name='b', value=None), Pair(name='c', value=''))
    """
    text = query.removeprefix("?")
    if not text:
        return ()
    pieces = (piece.partition("=") for piece in text.split("&"))
    return tuple(Pair(name, value if equals else None) for name, equals, value in pieces)


def join_pairs(pairs: Iterable[Pair]) -> str:
    """Pairs as the text they were taken from, without a question mark."""
    return "&".join(name if value is None else f"{name}={value}" for name, value in pairs)


def _split_front(front: str) -> tuple[str, str, str]:
    scheme, sign, rest = front.partition("://")
    if not sign or "/" in scheme:
        return "", "", front
    slash = rest.find("/")
    if slash < 0:
        return scheme + sign, rest, ""
    return scheme + sign, rest[:slash], rest[slash:]
