"""Redacts credentials that have parts: Authorization values, cookies, JSON web tokens."""

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable

from mockserver.redaction.match_checks import COOKIE_ATTRIBUTES, is_preference
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.rule import normalised_name

Redact = Callable[[str, str], str]
"""Gives the stand-in of a value of a kind."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9-]*)(\s+)(.+)", re.DOTALL)
_COOKIE = re.compile(r"(\s*)([^=;]*)(=)(.*)", re.DOTALL)
_QUOTED = re.compile(r'"(.*)"', re.DOTALL)
_JWT = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]*")
_SIGNED = b"redacted-"


def redact_authorization(value: str, redact: Redact) -> str:
    """Credentials after their scheme, which stays; Basic is opened."""
    found = _SCHEME.fullmatch(value)
    if found is None:
        return redact("token", value)
    scheme, space, rest = found.groups()
    if scheme.lower() == "basic":
        return scheme + space + _basic(rest, redact)
    return scheme + space + redact("token", rest)


def _basic(value: str, redact: Redact) -> str:
    try:
        plain = urlsafe_b64decode(value.replace("+", "-").replace("/", "_")).decode()
    except (binascii.Error, ValueError):
        return redact("token", value)
    if not plain:
        return redact("token", value)
    user, sign, password = plain.partition(":")
    made = (redact("user_info", user) if user else "") + sign
    made += redact("password", password) if password else ""
    return value if made == plain else urlsafe_b64encode(made.encode()).decode()


def redact_cookies(value: str, redact: Redact) -> str:
    """The values of cookies and of `Set-Cookie`; names and attributes stay."""
    return ";".join(_cookie(piece, redact) for piece in value.split(";"))


def _cookie(piece: str, redact: Redact) -> str:
    found = _COOKIE.fullmatch(piece)
    if found is None:
        plain = piece.strip()
        known = not plain or normalised_name(plain) in COOKIE_ATTRIBUTES
        return piece if known else piece.replace(plain, redact("cookie", plain))
    space, name, sign, text = found.groups()
    if not text or normalised_name(name) in COOKIE_ATTRIBUTES:
        return piece
    if is_preference(piece):
        return piece
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return f'{space}{name}{sign}"{redact("cookie", quoted[1]) if quoted[1] else ""}"'
    return space + name + sign + redact("cookie", text)


def is_jwt(value: str) -> bool:
    """Whether a value is a JWT."""
    return _JWT.fullmatch(value) is not None


def redact_jwt(
    value: str,
    making: Pseudonyms,
    opened: Callable[[bytes], bytes | None],
) -> str:
    """A JWT whose header and claims are redacted and whose signature stands for nobody's.

    Args:
        value: `header.claims.signature`.
        making: Makes the signature.
        opened: Redacts a JSON text; None where nothing is replaced.
    """
    head, claims, signature = value.split(".")
    content = _decode_part(claims)
    if content[:1] in {b"{", b"["}:
        new = [_part(head, opened), _part(claims, opened)]
    else:
        new = [_part(head, opened), claims]
        if not content.startswith(_SIGNED):
            made = _SIGNED + b"claims-" + making.noise("jwt claims", claims).hex(16).encode()
            new[1] = urlsafe_b64encode(made).decode().rstrip("=")
    if not _decode_part(signature).startswith(_SIGNED):
        noise = making.noise("jwt", value).hex(16)
        signature = urlsafe_b64encode(_SIGNED + b"jwt-" + noise.encode()).decode().rstrip("=")
    return ".".join([*new, signature])


def _part(part: str, opened: Callable[[bytes], bytes | None]) -> str:
    made = opened(_decode_part(part))
    return part if made is None else urlsafe_b64encode(made).decode().rstrip("=")


def _decode_part(part: str) -> bytes:
    try:
        return urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        return b""
