"""Keys of Cloud KMS as a client meets them."""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from mockserver.googleapi.scalars import crc32c
from tests.mockserver.apis.asking import Asker
from tests.mockserver.apis.scenarios import Scenario, check, over_http

RING = "keyRings/r"
RANDOM = "https://cloudkms.googleapis.com/v1/projects/p/locations/global:generateRandomBytes"
HI, BYE = "aGk=", "Ynll"
SYMMETRIC = {"purpose": "ENCRYPT_DECRYPT"}


def key_of(purpose: str, algorithm: str) -> dict[str, Any]:
    return {"purpose": purpose, "versionTemplate": {"algorithm": algorithm}}


@pytest.fixture
def ask() -> Iterator[Asker]:
    with Asker("https://cloudkms.googleapis.com/v1/projects/p/locations/global/") as made:
        made("POST", "keyRings?keyRingId=r", {})
        yield made


def make(ask: Asker, body: Any, name: str = "k") -> str:
    ask("POST", f"{RING}/cryptoKeys?cryptoKeyId={name}", body)
    return f"{RING}/cryptoKeys/{name}"


def test_what_a_version_encrypted_is_decrypted_while_it_is_enabled(
    ask: Asker,
) -> None:
    key = make(ask, SYMMETRIC)
    crc = str(crc32c(b"hi"))
    further = {"additionalAuthenticatedData": BYE}
    sealed = ask("POST", f"{key}:encrypt", {"plaintext": HI, "plaintextCrc32c": crc, **further})
    assert sealed["name"].endswith("cryptoKeyVersions/1")
    assert sealed["verifiedPlaintextCrc32c"] is True
    assert sealed["ciphertextCrc32c"] == str(crc32c(b64decode(sealed["ciphertext"])))
    assert ask("POST", f"{key}/cryptoKeyVersions", {})["name"].endswith("/2")
    primary = ask("POST", f"{key}:updatePrimaryVersion", {"cryptoKeyVersionId": "2"})["primary"]
    assert primary["name"].endswith("/2")
    body = {"ciphertext": sealed["ciphertext"], **further}
    found = ask("POST", f"{key}:decrypt", body)
    assert (found["plaintext"], found["plaintextCrc32c"], found["usedPrimary"]) == (HI, crc, False)
    first = f"{key}/cryptoKeyVersions/1"
    assert ask("POST", f"{first}:destroy", {})["state"] == "DESTROY_SCHEDULED"
    error = ask("POST", f"{key}:decrypt", body, 400)["error"]
    assert error["message"].endswith("is not enabled, current state is: DESTROY_SCHEDULED.")
    assert ask("POST", f"{first}:restore", {})["state"] == "DISABLED"
    ask("PATCH", f"{first}?updateMask=state", {"state": "ENABLED"})
    assert ask("POST", f"{key}:decrypt", body)["plaintext"] == HI


@pytest.mark.parametrize(
    ("algorithm", "function"),
    [
        ("EC_SIGN_P256_SHA256", hashes.SHA256()), ("EC_SIGN_P384_SHA384", hashes.SHA384()),
        ("EC_SIGN_SECP256K1_SHA256", hashes.SHA256()), ("EC_SIGN_ED25519", None),
        ("RSA_SIGN_PKCS1_2048_SHA256", hashes.SHA256()),
        ("RSA_SIGN_PSS_2048_SHA256", hashes.SHA256()),
    ],
)  # fmt: skip
def test_signatures_are_verified_with_the_public_key(
    ask: Asker, algorithm: str, function: Any
) -> None:
    key = make(ask, key_of("ASYMMETRIC_SIGN", algorithm))
    version = f"{key}/cryptoKeyVersions/1"
    told = ask("GET", f"{version}/publicKey")
    public = load_pem_public_key(told["pem"].encode())
    assert (told["algorithm"], told["pemCrc32c"]) == (algorithm, str(crc32c(told["pem"].encode())))
    bodies: list[Any] = [{"data": HI}]
    if function is not None and function.name == "sha256":
        digest = sha256(b"hi").digest()
        given = {"digest": {"sha256": b64encode(digest).decode()}}
        bodies.append({**given, "digestCrc32c": str(crc32c(digest))})
    for body in bodies:
        made = ask("POST", f"{version}:asymmetricSign", body)
        assert made.get("verifiedDigestCrc32c", "data" in body)
        signature = b64decode(made["signature"])
        if isinstance(public, ed25519.Ed25519PublicKey):
            public.verify(signature, b"hi")
        elif isinstance(public, ec.EllipticCurvePublicKey):
            public.verify(signature, b"hi", ec.ECDSA(function))
        else:
            assert isinstance(public, rsa.RSAPublicKey)
            pss = padding.PSS(padding.MGF1(function), padding.PSS.DIGEST_LENGTH)
            pad = pss if "PSS" in algorithm else padding.PKCS1v15()
            public.verify(signature, b"hi", pad, function)
    assert "primary" not in ask("GET", key)


def test_a_private_key_decrypts_what_the_public_key_encrypts(ask: Asker) -> None:
    version = make(ask, key_of("ASYMMETRIC_DECRYPT", "RSA_DECRYPT_OAEP_2048_SHA256"))
    version += "/cryptoKeyVersions/1"
    public = load_pem_public_key(ask("GET", f"{version}/publicKey")["pem"].encode())
    assert isinstance(public, rsa.RSAPublicKey)
    pad = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
    sealed = b64encode(public.encrypt(b"hi", pad)).decode()
    assert ask("POST", f"{version}:asymmetricDecrypt", {"ciphertext": sealed})["plaintext"] == HI
    ask("POST", f"{version}:asymmetricDecrypt", {"ciphertext": HI}, 400)


def test_checksums_with_a_key_and_raw_ciphers_come_back(ask: Asker) -> None:
    mac = make(ask, key_of("MAC", "HMAC_SHA256"), "m") + "/cryptoKeyVersions/1"
    made = ask("POST", f"{mac}:macSign", {"data": HI})["mac"]
    for data, fits in ((HI, True), (BYE, False)):
        assert ask("POST", f"{mac}:macVerify", {"data": data, "mac": made})["success"] is fits
    raw = make(ask, key_of("RAW_ENCRYPT_DECRYPT", "AES_256_GCM"), "raw") + "/cryptoKeyVersions/1"
    sealed = ask("POST", f"{raw}:rawEncrypt", {"plaintext": HI})
    body = {name: sealed[name] for name in ("ciphertext", "initializationVector")}
    assert ask("POST", f"{raw}:rawDecrypt", body)["plaintext"] == HI
    ask("POST", f"{raw}:rawDecrypt", {**body, "initializationVector": HI}, 400)
    assert len(b64decode(ask("POST", RANDOM, {"lengthBytes": 40})["data"])) == 40


@pytest.mark.parametrize(
    ("purpose", "path", "body", "status", "text"),
    [
        (SYMMETRIC, ":encrypt", {"plaintext": HI, "plaintextCrc32c": "1"}, 400, "plaintextCrc32c"),
        (SYMMETRIC, ":encrypt", {"plaintext": b64encode(bytes(65537)).decode()}, 400, "65536"),
        (SYMMETRIC, ":decrypt", {"ciphertext": HI}, 400, "correct CryptoKey"),
        (SYMMETRIC, ":decrypt", {"ciphertext": "AAAAAWFhYWE="}, 400, "correct CryptoKey"),
        (SYMMETRIC, ":updatePrimaryVersion", {"cryptoKeyVersionId": "9"}, 404, "not found"),
        (SYMMETRIC, "/cryptoKeyVersions/1:asymmetricSign", {"data": HI}, 400, "ASYMMETRIC_SIGN"),
        (SYMMETRIC, "/cryptoKeyVersions/1:restore", {}, 400, "not scheduled"),
        (key_of("MAC", "HMAC_SHA256"), ":encrypt", {"plaintext": HI}, 400, "ENCRYPT_DECRYPT"),
        (key_of("MAC", "HMAC_SHA256"), ":updatePrimaryVersion", {}, 400, "no primary"),
        (key_of("ASYMMETRIC_SIGN", "EC_SIGN_P256_SHA256"), "/cryptoKeyVersions/1:asymmetricSign",
         {"digest": {"sha512": HI}}, 400, "sha256"),
        (key_of("ASYMMETRIC_SIGN", "EC_SIGN_ED25519"), "/cryptoKeyVersions/1:asymmetricSign",
         {"digest": {"sha512": HI}}, 400, "not a digest"),
        (key_of("ASYMMETRIC_SIGN", "EC_SIGN_P256_SHA256"), "/cryptoKeyVersions/1:asymmetricSign",
         {}, 400, "Exactly one"),
        (key_of("ASYMMETRIC_SIGN", "PQ_SIGN_ML_DSA_65"), "/cryptoKeyVersions/1:asymmetricSign",
         {"data": HI}, 501, "ML_DSA"),
        (key_of("RAW_ENCRYPT_DECRYPT", "AES_256_CTR"), "/cryptoKeyVersions/1:rawEncrypt",
         {"plaintext": HI}, 501, "AES_256_CTR"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    ask: Asker, purpose: Any, path: str, body: Any, status: int, text: str
) -> None:
    error = ask("POST", make(ask, purpose) + path, body, status)["error"]
    assert text in f"{error['message']} {error.get('details', '')}"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"purpose": "ASYMMETRIC_SIGN"},
        {"purpose": "MAC", "rotationPeriod": "86400s"},
        {"purpose": "MAC", "versionTemplate": {"algorithm": "RSA_SIGN_PSS_2048_SHA256"}},
    ],
)
def test_keys_that_cannot_be_are_refused(ask: Asker, body: Any) -> None:
    ask("POST", f"{RING}/cryptoKeys?cryptoKeyId=k", body, 400)


def test_a_key_without_versions_is_deleted_and_retired(ask: Asker) -> None:
    key = make(
        ask,
        {
            **SYMMETRIC,
            "versionTemplate": {"protectionLevel": "HSM"},
            "destroyScheduledDuration": "0s",
        },
    )
    version = f"{key}/cryptoKeyVersions/1"
    assert ask("GET", version)["attestation"]["content"]
    for name in (key, version):
        ask("DELETE", name, status=400)
    ask("POST", f"{version}:destroy", {})
    assert ask("GET", version)["state"] == "DESTROYED"
    ask("POST", f"{version}:destroy", {}, 400)
    ask("PATCH", f"{version}?updateMask=state", {"state": "ENABLED"}, 400)
    for name in (version, key):
        assert "/operations/" in ask("DELETE", name)["name"]
        ask("GET", name, status=404)
    retired = ask("GET", "retiredResources")["retiredResources"]
    assert [each["originalResource"].rpartition("/")[2] for each in retired] == ["k"]


def test_a_key_can_begin_without_versions(ask: Asker) -> None:
    ask("POST", f"{RING}/cryptoKeys?cryptoKeyId=k&skipInitialVersionCreation=true", SYMMETRIC)
    key = f"{RING}/cryptoKeys/k"
    assert "cryptoKeyVersions" not in ask("GET", f"{key}/cryptoKeyVersions")
    assert "no primary" in ask("POST", f"{key}:encrypt", {"plaintext": HI}, 400)["error"]["message"]


def scenario() -> Scenario:
    return over_http(
        "https://cloudkms.googleapis.com/v1/projects/p/locations/europe-west6/", _ask_all
    )


def _ask_all(call: Scenario) -> None:
    call("POST keyRings?keyRingId=r", {})
    keys = f"{RING}/cryptoKeys"
    for ident, body in (
        ("sym", SYMMETRIC), ("sym", SYMMETRIC), ("mac", {"purpose": "MAC"}), ("none", {}),
        ("raw", {"purpose": "RAW_ENCRYPT_DECRYPT",
        "versionTemplate": {"algorithm": "AES_256_GCM"}}),
        ("hsm", {**SYMMETRIC, "versionTemplate": {"protectionLevel": "HSM"},
                 "rotationPeriod": "86400s", "nextRotationTime": "2026-04-01T00:00:00Z",
                 "destroyScheduledDuration": "86400s"}),
        ("odd", {"purpose": "MAC", "rotationPeriod": "86400s"}), ("sign",
        {"purpose": "ASYMMETRIC_SIGN"}),
        ("bad", {"purpose": "MAC", "versionTemplate": {"algorithm": "RSA_SIGN_PSS_2048_SHA256"}}),
    ):  # fmt: skip
        call(f"POST {keys}?cryptoKeyId={ident}", body)
    call(f"POST {keys}?cryptoKeyId=bare&skipInitialVersionCreation=true", SYMMETRIC)
    call(f"GET {keys}")
    sealed = call(f"POST {keys}/sym:encrypt", {"plaintext": HI, "additionalAuthenticatedData": HI})
    for body in ({"ciphertext": sealed["ciphertext"], "additionalAuthenticatedData": HI},
                 {"ciphertext": sealed["ciphertext"]}, {"ciphertext": HI}, {}):  # fmt: skip
        call(f"POST {keys}/sym:decrypt", body)
    for name in ("mac", "bare", "gone", "sym/cryptoKeyVersions/9"):
        call(f"POST {keys}/{name}:encrypt", {"plaintext": HI})
    call(f"POST {keys}/sym/cryptoKeyVersions", {})
    call(f"POST {keys}/sym:updatePrimaryVersion", {"cryptoKeyVersionId": "2"})
    call(f"POST {keys}/mac:updatePrimaryVersion", {"cryptoKeyVersionId": "1"})
    call(f"POST {keys}/sym:decrypt", {"ciphertext": sealed["ciphertext"],
                                      "additionalAuthenticatedData": HI})  # fmt: skip
    call(f"GET {keys}/sym")
    version = f"{keys}/sym/cryptoKeyVersions/2"
    for state in ("DISABLED", "ENABLED", "DESTROYED"):
        call(f"PATCH {version}?updateMask=state", {"state": state})
        call(f"POST {keys}/sym:encrypt", {"plaintext": HI})
    for verb in ("destroy", "destroy", "restore", "restore"):
        call(f"POST {version}:{verb}", {})
    tag = call(f"POST {keys}/mac/cryptoKeyVersions/1:macSign", {"data": HI})
    for body in ({"data": HI, "mac": tag["mac"]}, {"data": HI, "mac": HI}):
        call(f"POST {keys}/mac/cryptoKeyVersions/1:macVerify", body)
    call(f"POST {keys}/raw/cryptoKeyVersions/1:macSign", {"data": HI})
    call(f"GET {keys}/mac/cryptoKeyVersions/1/publicKey")
    for name in ("hsm", "hsm/cryptoKeyVersions/1", "bare"):
        call(f"DELETE {keys}/{name}")
    call(f"POST {keys}/hsm/cryptoKeyVersions/1:destroy", {})
    call(f"GET {keys}/hsm/cryptoKeyVersions/1", wait=86_398)
    call(f"GET {keys}/hsm/cryptoKeyVersions/1", wait=2)
    for name in ("hsm/cryptoKeyVersions/1", "hsm", "hsm"):
        call(f"DELETE {keys}/{name}")
    call("GET retiredResources")
    for count in (7, 8, 1025):
        call("POST ../europe-west6:generateRandomBytes", {"lengthBytes": count})


def test_keys_go_as_it_was_written_down() -> None:
    check(__file__, scenario())
