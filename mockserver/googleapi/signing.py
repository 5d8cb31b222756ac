"""The key that this server signs with, and JSON Web Tokens (RFC 7519) made with it."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from functools import cache, cached_property, lru_cache
from hashlib import sha1
from typing import TYPE_CHECKING, NamedTuple

import orjson

from mockserver.model import JsonObject

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey


_BITS = 2048
_EXPONENT = 65537
_VALID = (datetime(2020, 1, 1, tzinfo=UTC), datetime(2050, 1, 1, tzinfo=UTC))
"""Clients read the key out of its certificate and look at nothing else."""

_NAME = "understudy.example.com"


class SigningKey:
    """An RSA key with the forms that clients know it in."""

    def __init__(self, private: "RSAPrivateKey") -> None:
        self._private = private

    @cached_property
    def id(self) -> str:
        """Its name, as Google's are: 40 hexadecimal digits."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return sha1(
            self._private.public_key().public_bytes(*form), usedforsecurity=False
        ).hexdigest()

    @cached_property
    def pem(self) -> str:
        """The private key as service account files hold it: PKCS #8."""
        from cryptography.hazmat.primitives.serialization import (
            Encoding,
            NoEncryption,
            PrivateFormat,
        )

        form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return self._private.private_bytes(*form).decode()

    @cached_property
    def certificate(self) -> str:
        """The public key in a certificate of its own, PEM."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.serialization import Encoding

        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, _NAME)])
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self._private.public_key())
            .serial_number(1)
            .not_valid_before(_VALID[0])
            .not_valid_after(_VALID[1])
            .sign(self._private, hashes.SHA256())
        )
        return made.public_bytes(Encoding.PEM).decode()

    @cached_property
    def jwk(self) -> JsonObject:
        """The public key as a JSON Web Key (RFC 7517)."""
        numbers = self._private.public_key().public_numbers()
        return {
            "kty": "RSA",
            "alg": "RS256",
            "use": "sig",
            "kid": self.id,
            "n": _unsigned_integer(numbers.n),
            "e": _unsigned_integer(numbers.e),
        }

    def sign(self, content: bytes) -> bytes:
        """An RS256 signature."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding

        return self._private.sign(content, padding.PKCS1v15(), hashes.SHA256())

    def has_signed(self, content: bytes, signature: bytes) -> bool:
        """Whether an RS256 signature is this key's."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding

        try:
            self._private.public_key().verify(
                signature, content, padding.PKCS1v15(), hashes.SHA256()
            )
        except InvalidSignature:
            return False
        return True


@cache
def signing_key() -> SigningKey:
    """This process's key; making it takes a tenth of a second or so."""
    from cryptography.hazmat.primitives.asymmetric import rsa

    if _SHARED:
        return _SHARED[0]
    return SigningKey(rsa.generate_private_key(public_exponent=_EXPONENT, key_size=_BITS))


_SHARED: list[SigningKey] = []


def share_signing_key(pem: bytes) -> None:
    """Sign with a key that other processes have, too, from now on.

    Args:
        pem: The private key, PKCS #8.
    """
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    private = load_pem_private_key(pem, password=None)
    if not isinstance(private, RSAPrivateKey):
        raise TypeError("the key of signatures is an RSA key")
    _SHARED[:] = [SigningKey(private)]
    signing_key.cache_clear()


def _unsigned_integer(number: int) -> str:
    content = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return urlsafe_b64encode(content).decode().rstrip("=")


ISSUER = "https://accounts.google.com"
ID_TOKEN_S = 3600
_ALGORITHM = "RS256"


class Jwt(NamedTuple):
    """A JWT, read.

    Attributes:
        header: Its header.
        claims: Its claims.
        is_ours: Whether this server's key signed it.
    """

    header: JsonObject
    claims: JsonObject
    is_ours: bool


def read_jwt(token: str) -> Jwt | None:
    """Read a JWT without checking its signature; None where the text is no JWT."""
    parts = token.split(".")
    try:
        header, claims = (orjson.loads(_decode_base64url(part)) for part in parts[:2])
    except (ValueError, binascii.Error):
        return None
    if len(parts) != 3 or not isinstance(header, dict) or not isinstance(claims, dict):
        return None
    return Jwt(header, claims, header.get("alg") == _ALGORITHM and _is_ours(token))


@lru_cache(maxsize=512)
def _is_ours(token: str) -> bool:
    content, _, signature = token.rpartition(".")
    try:
        return signing_key().has_signed(content.encode(), _decode_base64url(signature))
    except (ValueError, binascii.Error):
        return False


def make_jwt(claims: JsonObject) -> str:
    """Sign claims with this server's key."""
    key = signing_key()
    header = {"alg": _ALGORITHM, "kid": key.id, "typ": "JWT"}
    content = f"{_encode_base64url(orjson.dumps(header))}.{_encode_base64url(orjson.dumps(claims))}"
    return f"{content}.{_encode_base64url(key.sign(content.encode()))}"


def make_id_token(
    *,
    audience: str,
    address: str,
    account_id: str,
    issued: int,
    email: bool,
    further: JsonObject | None = None,
) -> str:
    """An OpenID Connect token that says who an account is, for an hour.

    Args:
        audience: Whom it is for.
        address: The account's address.
        account_id: Its unique id.
        issued: Seconds since the epoch, on the clock of those who will check it.
        email: Whether it tells the address.
        further: More claims, which win.
    """
    claims: JsonObject = {
        "aud": audience,
        "azp": account_id,
        "exp": issued + ID_TOKEN_S,
        "iat": issued,
        "iss": ISSUER,
        "sub": account_id,
    }
    told = {"email": address, "email_verified": True} if email else {}
    return make_jwt({**claims, **told, **(further or {})})


def _decode_base64url(part: str) -> bytes:
    return urlsafe_b64decode(part.encode("ascii") + b"=" * (-len(part) % 4))


def _encode_base64url(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
