"""What a user wrote that goes over the wire: URLs and headers, checked before anything is asked."""

import re
from urllib.parse import urlsplit

from harness.errors import HarnessError

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
_LONGEST_LABEL = 63
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f]")


def checked_url(text: str, hint: str) -> str:
    """A URL as it was given, when something can be asked at it.

    Raises:
        HarnessError: It is none, with `hint` on what to write.
    """
    if _UNPRINTABLE.search(text) or not _leads_somewhere(text):
        raise HarnessError(f"{text!r} is no URL", hint=hint)
    return text


def _leads_somewhere(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # a port or an address that cannot be
        return False
    labels = host.removesuffix(".").split(".")
    named = all(0 < len(label) <= _LONGEST_LABEL for label in labels)
    return parts.scheme in {"http", "https"} and named and port != 0


def checked_header(name: str, value: str) -> tuple[str, str]:
    """A header as it is sent; the value may be secret and is never told.

    Raises:
        HarnessError: HTTP has no such header.
    """
    if not _HEADER_NAME.fullmatch(name):
        raise HarnessError(
            f"{name!r} is no header name", hint="a --header is written 'Name: value'"
        )
    if not _HEADER_VALUE.fullmatch(value):
        raise HarnessError(
            f"the value of header {name} holds a line break or a letter that is not ASCII"
        )
    return name, value
