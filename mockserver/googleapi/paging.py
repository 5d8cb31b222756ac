"""Pages with opaque tokens that belong to the query they were given out for."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2s
from itertools import islice
from typing import TypeVar

import orjson

from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import invalid

T = TypeVar("T")


@dataclass(frozen=True)
class PageRule:
    """How one method pages, as its document or reference page says.

    Attributes:
        default: Page size when none is asked for.
        maximum: Larger sizes are coerced to this.
        size: Name of the size parameter (`maxResults`, `pageSize`).
        token: Name of the token parameter.
        ignore: Parameters that may change between pages, beside size and token.
        mismatch: Message of the 400 for a token of another query or of no query.
    """

    default: int
    maximum: int
    size: str = "pageSize"
    token: str = "pageToken"  # noqa: S105  (a parameter's name)
    ignore: tuple[str, ...] = ()
    mismatch: str = "Request contains an invalid argument."


def page(call: Call, items: Sequence[T], rule: PageRule) -> tuple[Sequence[T], str]:
    """The page that a call asks for, and the token of the next one (empty at the end).

    The token holds the offset and a digest of the method and its other parameters.

    Raises:
        ApiError: A negative size, or a token that was not given out for this query.
    """
    start = _offset(call, rule)
    size = _size(call, rule)
    if not 0 <= start <= len(items):
        raise invalid(rule.mismatch, location=rule.token)
    end = start + size
    token = _token(call, rule, end) if end < len(items) else ""
    return items[start:end], token


def page_of(call: Call, found: Iterable[T], rule: PageRule) -> tuple[list[T], str]:
    """Like `page`, of what is found one by one: only what the page needs is looked for.

    Raises:
        ApiError: A negative size, or a token that was not given out for this query.
    """
    start = _offset(call, rule)
    end = start + _size(call, rule)
    if start < 0:
        raise invalid(rule.mismatch, location=rule.token)
    items = list(islice(found, start, end + 1))
    token = _token(call, rule, end) if len(items) > end - start else ""
    return items[: end - start], token


def _asked(call: Call, name: str) -> object:
    return call.params[name] if name in call.params else call.body.get(name)


def _size(call: Call, rule: PageRule) -> int:
    asked = int(str(_asked(call, rule.size) or 0))
    if asked < 0:
        raise invalid(
            f"Invalid value for {rule.size}: {asked}. It must not be negative.", location=rule.size
        )
    return min(asked or rule.default, rule.maximum)


def _offset(call: Call, rule: PageRule) -> int:
    token = _asked(call, rule.token)
    if not token:
        return 0
    try:
        offset, digest = urlsafe_b64decode(str(token).encode() + b"==").split(b".", 1)
        if digest != _digest(call, rule):
            raise invalid(rule.mismatch, location=rule.token)
        return int(offset)
    except (ValueError, binascii.Error) as error:
        raise invalid(rule.mismatch, location=rule.token) from error


def _token(call: Call, rule: PageRule, offset: int) -> str:
    return urlsafe_b64encode(b"%d.%s" % (offset, _digest(call, rule))).decode().rstrip("=")


def _digest(call: Call, rule: PageRule) -> bytes:
    skip = {rule.size, rule.token, *rule.ignore}
    query = [
        {name: value for name, value in given.items() if name not in skip}
        for given in (call.params, call.body)
    ]
    text = orjson.dumps([call.id, call.version, *query], option=orjson.OPT_SORT_KEYS)
    return blake2s(text, digest_size=9).hexdigest().encode()
