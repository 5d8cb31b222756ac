"""The keys of versions and what they compute.

The material of a version follows from its name alone, so that each session decrypts what another
one encrypted, and a fixture can hold a ciphertext. Keys of RSA are those of this process.
"""

import hmac
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256, sha512
from typing import TYPE_CHECKING, Any, cast

from mockserver.googleapi import ApiError, invalid, not_emulated, signing_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

SYMMETRIC = "GOOGLE_SYMMETRIC_ENCRYPTION"
_NONCE, _NUMBER = 12, 4
_OWN_RSA_BITS = 2048
_RAW_BYTES = {"AES_128_GCM": 16, "AES_256_GCM": 32}
_CURVES = {"P256": "SECP256R1", "P384": "SECP384R1", "SECP256K1": "SECP256K1"}


def material(name: str) -> bytes:
    """The 64 bytes that the keys of a version are made of."""
    return sha512(f"understudy/cloudkms/{name}".encode()).digest()


def encrypt(key: str, number: int, plaintext: bytes, further: bytes) -> bytes:
    """Encrypt by a version of a key: its number, a nonce of the content, AES-GCM.

    Args:
        key: The name of the key.
        number: The version's number.
        plaintext: What is encrypted.
        further: Authenticated beside it.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    secret = material(f"{key}/cryptoKeyVersions/{number}")
    nonce = hmac.digest(secret[32:], plaintext + b"\0" + further, "sha256")[:_NONCE]
    sealed = AESGCM(secret[:32]).encrypt(nonce, plaintext, further)
    return number.to_bytes(_NUMBER, "big") + nonce + sealed


def version_number(ciphertext: bytes) -> int:
    """The number of the version that encrypted something."""
    return int.from_bytes(ciphertext[:_NUMBER], "big")


def decrypt(version: str, ciphertext: bytes, further: bytes) -> bytes | None:
    """What a version encrypted; None where it did not."""
    nonce, sealed = ciphertext[_NUMBER : _NUMBER + _NONCE], ciphertext[_NUMBER + _NONCE :]
    return _open(material(version)[:32], nonce, sealed, further)


def _open(key: bytes, nonce: bytes, sealed: bytes, further: bytes) -> bytes | None:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(nonce, sealed, further)
    except (InvalidTag, ValueError):
        return None


def raw_encrypt(
    version: str, algorithm: str, plaintext: bytes, further: bytes
) -> tuple[bytes, bytes]:
    """The ciphertext and the initialization vector of a raw key; raises ApiError: 501."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = _raw_key(version, algorithm)
    nonce = hmac.digest(key, plaintext + b"\0" + further, "sha256")[:_NONCE]
    return AESGCM(key).encrypt(nonce, plaintext, further), nonce


def raw_decrypt(
    version: str, algorithm: str, ciphertext: bytes, nonce: bytes, further: bytes
) -> bytes | None:
    """What a raw key encrypted, or None; raises ApiError: 501."""
    return _open(_raw_key(version, algorithm), nonce, ciphertext, further)


def _raw_key(version: str, algorithm: str) -> bytes:
    if algorithm not in _RAW_BYTES:
        raise not_emulated(f"cloudkms: {algorithm}")
    return material(version)[: _RAW_BYTES[algorithm]]


@cache
def _rsa_key(bits: int) -> "RSAPrivateKey":
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if bits != _OWN_RSA_BITS:
        return rsa.generate_private_key(public_exponent=65537, key_size=bits)
    return cast("RSAPrivateKey", load_pem_private_key(signing_key().pem.encode(), password=None))


def _private_key(version: str, algorithm: str) -> Any:
    """The private key of a version with an algorithm that has two; raises ApiError: 501."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519

    match algorithm.split("_"):
        case ["RSA", "SIGN" | "DECRYPT", _, bits, _] if bits.isdecimal():
            return _rsa_key(int(bits))
        case ["EC", "SIGN", "ED25519"]:
            return ed25519.Ed25519PrivateKey.from_private_bytes(material(version)[:32])
        case ["EC", "SIGN", curve, _] if curve in _CURVES:
            kind = getattr(ec, _CURVES[curve])()
            number = int.from_bytes(material(version)[: kind.key_size // 8 - 1], "big")
            return ec.derive_private_key(number, kind)
    raise not_emulated(f"cloudkms: {algorithm}")


def public_pem(version: str, algorithm: str) -> str:
    """The public key of a version; raises ApiError: 501."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = _private_key(version, algorithm).public_key()
    content: bytes = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return content.decode()


def _hash(algorithm: str) -> Any:
    from cryptography.hazmat.primitives import hashes

    return getattr(hashes, algorithm.rpartition("_")[2])()


def sign(version: str, algorithm: str, content: bytes, digest: Mapping[str, bytes]) -> bytes:
    """Sign a content, or its digest.

    Args:
        version: The version's name.
        algorithm: Its algorithm.
        content: What is signed; empty where a digest is given.
        digest: The digest by the name of its function, `sha256`.

    Raises:
        ApiError: 400: the digest is of another function, or of another length; 501.
    """
    from cryptography.hazmat.primitives.asymmetric import ec, padding, utils

    key, kind = _private_key(version, algorithm), algorithm.split("_")
    if kind[2] == "ED25519":
        if digest:
            raise invalid(f"{algorithm} signs data, not a digest.", location="digest")
        signature: bytes = key.sign(content)
        return signature
    function = _hash(algorithm)
    given = digest.get(function.name)
    if digest and (given is None or len(given) != function.digest_size):
        text = f"The digest must be one of {function.name} with {function.digest_size} bytes."
        raise invalid(text, location="digest")
    how: Any = utils.Prehashed(function) if digest else function
    text_or_digest = content if given is None else given
    if kind[0] == "EC":
        return bytes(key.sign(text_or_digest, ec.ECDSA(how, deterministic_signing=True)))
    pads: Mapping[str, Callable[[], Any]] = {
        "PKCS1": padding.PKCS1v15,
        "PSS": lambda: padding.PSS(padding.MGF1(function), padding.PSS.DIGEST_LENGTH),
    }
    if kind[2] not in pads:
        raise not_emulated(f"cloudkms: {algorithm}")
    return bytes(key.sign(text_or_digest, pads[kind[2]](), how))


def decrypt_by_private_key(version: str, algorithm: str, ciphertext: bytes) -> bytes | None:
    """What somebody encrypted with the public key; None where it was another one."""
    from cryptography.hazmat.primitives.asymmetric import padding

    function = _hash(algorithm)
    pad = padding.OAEP(padding.MGF1(function), function, None)
    try:
        return bytes(_private_key(version, algorithm).decrypt(ciphertext, pad))
    except ValueError:
        return None


def mac(version: str, algorithm: str, content: bytes) -> bytes:
    """The keyed checksum of a content."""
    return hmac.digest(material(version), content, algorithm.removeprefix("HMAC_").lower())


def random_bytes(seed: str, count: int) -> bytes:
    """So many bytes that follow from a seed."""
    blocks = (sha256(f"{seed}/{number}".encode()).digest() for number in range(-(-count // 32)))
    return b"".join(blocks)[:count]


def refuse_ciphertext() -> ApiError:
    """400: nothing of this key encrypted it."""
    text = "Decryption failed: verify that 'name' refers to the correct CryptoKey."
    return invalid(text, location="ciphertext")
