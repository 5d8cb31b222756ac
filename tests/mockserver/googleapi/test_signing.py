from base64 import urlsafe_b64decode

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from mockserver.googleapi import signing_key


def test_there_is_one_key_for_the_life_of_the_process() -> None:
    assert signing_key() is signing_key()
    assert len(signing_key().id) == 40


def test_a_signature_is_of_its_content() -> None:
    key = signing_key()
    signature = key.sign(b"content")
    assert key.has_signed(b"content", signature)
    assert not key.has_signed(b"other", signature)
    assert not key.has_signed(b"content", b"")


def test_all_forms_are_of_the_same_key() -> None:
    key = signing_key()
    private = load_pem_private_key(key.pem.encode(), password=None)
    assert isinstance(private, rsa.RSAPrivateKey)
    public = private.public_key()
    certificate = x509.load_pem_x509_certificate(key.certificate.encode())
    assert certificate.public_key() == public
    modulus = urlsafe_b64decode(key.jwk["n"] + "==")
    assert int.from_bytes(modulus, "big") == public.public_numbers().n
    assert key.jwk["kid"] == key.id
