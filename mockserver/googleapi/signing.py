"""The key that this server signs with: one RSA key in Google's place, and what clients check by it.

Made on first use and kept for the life of the process. It protects nothing.
"""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from functools import cache, cached_property
from hashlib import sha1
from typing import TYPE_CHECKING

from mockserver.model import JsonObject

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

_BITS = 2048
_EXPONENT = 65537
_VALID = (datetime(2020, 1, 1, tzinfo=UTC), datetime(2050, 1, 1, tzinfo=UTC))
"""Clients read the key out of its certificate and look at nothing else."""

_NAME = "understudy.example.com"


class SigningKey:
    """An RSA key with the forms that clients know it in.

    Args:
        private: The key itself.
    """

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
            "n": _unsigned(numbers.n),
            "e": _unsigned(numbers.e),
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

    return SigningKey(rsa.generate_private_key(public_exponent=_EXPONENT, key_size=_BITS))


def _unsigned(number: int) -> str:
    content = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return urlsafe_b64encode(content).decode().rstrip("=")
