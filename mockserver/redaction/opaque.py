"""Pseudonyms of what a machine made: tokens, keys, hashes, UUIDs, ids."""

import re
from typing import Protocol

from mockserver.redaction.noise import Noise
from mockserver.redaction.reserved import CREDENTIAL_KINDS, OPAQUE

_OPAQUE = re.compile(OPAQUE)
_PREFIX = re.compile(
    r"(?:github_pat_|[A-Za-z]{2,5}_(?:live_|test_|v1_)?|xox[a-z]-|[a-z]{2,5}-|SG\.)"
)
_AWS = re.compile(r"A[A-Z]{3}(?=[A-Z0-9]{16}$)")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_RESERVED_UUID = "00000000"
_RESERVED_KEY = re.compile(r"AIzaRedacted[0-9a-f]{27}")


class Making(Protocol):
    """What makers ask for noise."""

    def noise(self, kind: str, value: str) -> Noise:
        """The noise that a value of a kind is replaced by."""

    def shaped(self, kind: str, value: str) -> str:
        """The pseudonym of an id that may look like anything."""


def opaque(making: Making, kind: str, value: str) -> str:
    """`redacted-secret-<16 hex>` or `redacted-id-...`: fit for URLs, headers and file names.

    It is the same for a value of whichever kind, so that a token is known in every field.
    """
    if _OPAQUE.fullmatch(value):
        return value
    word = "secret" if kind in CREDENTIAL_KINDS else "id"
    return f"redacted-{word}-{making.noise('opaque', value).hex(16)}"


def prefixed(making: Making, prefix: str, value: str) -> str:
    """A token that tells whose it is by its beginning."""
    if value.startswith(f"{prefix}redacted-"):
        return value
    return f"{prefix}redacted-{making.noise(prefix, value).hex(16)}"


def client_secret(making: Making, value: str) -> str:
    """A Google OAuth client secret."""
    return prefixed(making, "GOCSPX-", value)


def api_key(making: Making, value: str) -> str:
    """A Google API key of the usual length, or what stands for another one's key."""
    if _RESERVED_KEY.fullmatch(value):
        return value
    if not value.startswith("AIza"):
        return opaque(making, "api_key", value)
    return "AIzaRedacted" + making.noise("api_key", value).hex(27)


def vendor_token(making: Making, value: str) -> str:
    """A token with the beginning that its vendor gives all of them."""
    if "Redacted0" in value:
        return value
    aws = _AWS.match(value)
    prefix = aws or _PREFIX.match(value)
    noise = making.noise("vendor_token", value)
    return f"{prefix[0] if prefix else 'key-'}Redacted0{noise.hex(15)}"


def hexadecimal(making: Making, value: str) -> str:
    """A hash of the same length and case; eight zeros tell that it is none."""
    plain = value.lower()
    if plain.startswith(_RESERVED_UUID) or not re.fullmatch(r"[0-9a-f]{16,}", plain):
        return value if plain.startswith(_RESERVED_UUID) else making.shaped("digest", value)
    made = _RESERVED_UUID + making.noise("hash", plain).hex(len(plain) - 8)
    return made.upper() if value.isupper() else made


def uuid(making: Making, value: str) -> str:
    """A UUID of the same version, variant and case."""
    plain = value.lower()
    if plain.startswith(_RESERVED_UUID) or not _UUID.fullmatch(plain):
        return value if plain.startswith(_RESERVED_UUID) else making.shaped("id", value)
    noise = making.noise("uuid", plain)
    version, variant = plain[14], plain[19]
    made = (
        f"{_RESERVED_UUID}-{noise.hex(4)}-{version}{noise.hex(3)}-{variant}{noise.hex(3)}"
        f"-{noise.hex(12)}"
    )
    return made.upper() if value.isupper() else made


def etag(making: Making, value: str) -> str:
    """An entity tag; weakness and quotes stay."""
    found = re.fullmatch(r'((?:W/)?\\?"?)(.*?)(\\?"?)', value, re.DOTALL)
    if found is None or not found[2] or found[2] == "*":
        return value
    return f"{found[1]}{opaque(making, 'etag', found[2])}{found[3]}"


def private_key(making: Making, value: str) -> str:
    """A key in PEM form that no library can read by mistake."""
    if re.search(r"redacted-secret-[0-9a-f]{16}", value):
        return value
    lines = "\\n" if "\\n" in value else "\n"
    words = re.sub(r"\\n|\s", "", value)
    inside = opaque(making, "private_key", words)
    if "BEGIN" not in value:
        return inside
    tail = lines if value.endswith(lines) else ""
    return f"-----BEGIN PRIVATE KEY-----{lines}{inside}{lines}-----END PRIVATE KEY-----{tail}"
