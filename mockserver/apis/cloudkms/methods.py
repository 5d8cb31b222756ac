"""Methods of Cloud KMS with a meaning of their own; the others are answered by conventions.

Source: the reference of Cloud KMS. Not verified against the live API: texts of refusals, but for
those of what is not there.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import timedelta

from mockserver.apis.cloudkms import keys
from mockserver.collections import BY_KEY
from mockserver.googleapi import (
    Call,
    Handler,
    bad_fields,
    duration_s,
    failed_precondition,
    finished_operation,
    invalid,
    parent_of,
    require_row,
    start_operation,
)
from mockserver.googleapi.scalars import crc32c
from mockserver.model import JsonObject
from mockserver.state import parse_rfc3339, rfc3339

_KEYS, _VERSIONS = "cloudkms:v1/cryptoKeys", "cloudkms:v1/cryptoKeyVersions"
_RETIRED = "cloudkms:v1/retiredResources"
_MESSAGES = "type.googleapis.com/google.cloud.kms.v1."
_LARGEST = 65536
_MONTH = "2592000s"
_ATTESTATION = {"format": "CAVIUM_V2_COMPRESSED", "content": "bW9jaw=="}
"""What a version of hardware is attested by; nothing can verify it."""
_CHECKED = {"plaintext", "ciphertext", "additionalAuthenticatedData", "data", "mac"}
_USUAL = {
    "ENCRYPT_DECRYPT": keys.SYMMETRIC,
    "MAC": "HMAC_SHA256",
}
_FITTING: Mapping[str, tuple[str, ...]] = {
    "ENCRYPT_DECRYPT": (keys.SYMMETRIC, "EXTERNAL_SYMMETRIC_"),
    "RAW_ENCRYPT_DECRYPT": ("AES_",),
    "ASYMMETRIC_SIGN": ("RSA_SIGN_", "EC_SIGN_", "PQ_SIGN_"),
    "ASYMMETRIC_DECRYPT": ("RSA_DECRYPT_",),
    "MAC": ("HMAC_",),
    "KEY_ENCAPSULATION": ("ML_KEM_", "KEM_"),
}
"""Purposes to how the names of their algorithms begin."""
_PURPOSES: Mapping[str, str] = {
    "encrypt": "ENCRYPT_DECRYPT",
    "decrypt": "ENCRYPT_DECRYPT",
    "rawEncrypt": "RAW_ENCRYPT_DECRYPT",
    "rawDecrypt": "RAW_ENCRYPT_DECRYPT",
    "asymmetricSign": "ASYMMETRIC_SIGN",
    "asymmetricDecrypt": "ASYMMETRIC_DECRYPT",
    "macSign": "MAC",
    "macVerify": "MAC",
}


def _content(call: Call, field: str) -> bytes:
    """The bytes of a field, which fit the checksum beside it; raises ApiError."""
    content = b64decode(str(call.body.get(field) or ""))
    if len(content) > _LARGEST:
        text = f"{field} is {len(content)} bytes, and may be {_LARGEST} at the most."
        raise invalid(text, location=field)
    _check_sum(call, field, content)
    return content


def _check_sum(call: Call, field: str, content: bytes) -> None:
    given = call.body.get(f"{field}Crc32c")
    if given is not None and str(given) != str(crc32c(content)):
        name = f"{field}Crc32c"
        text = f"The checksum in field {name} did not match the data in field {field}."
        raise bad_fields([(name, text)])


def _answer(call: Call, version: JsonObject, **contents: bytes) -> JsonObject:
    """An answer: contents by field with their checksums, and which of the call were checked."""
    found: JsonObject = {}
    for field, content in contents.items():
        found[field] = b64encode(content).decode()
        found[f"{field}Crc32c"] = str(crc32c(content))
    for field in (*_CHECKED, "digest"):
        if call.body.get(f"{field}Crc32c") is not None:
            found[f"verified{field[0].upper()}{field[1:]}Crc32c"] = True
    return {**found, "protectionLevel": version.get("protectionLevel", "SOFTWARE")}


def _key(call: Call, name: str) -> JsonObject:
    """A key that is of the purpose that a call needs; raises ApiError."""
    row = require_row(call.world, _KEYS, name, f"CryptoKey {name} not found.")
    wanted = _PURPOSES[call.id.rpartition(".")[2]]
    if row.get("purpose") != wanted:
        text = f"{row['name']} has purpose {row.get('purpose')}, and this needs {wanted}."
        raise failed_precondition(text)
    return row


def _version(call: Call, name: str) -> JsonObject:
    """A version as it is by now; raises ApiError: 404."""
    row = require_row(call.world, _VERSIONS, name, f"CryptoKeyVersion {name} not found.")
    at = str(row.get("destroyTime") or "")
    is_over = row.get("state") == "DESTROY_SCHEDULED" and at
    if is_over and parse_rfc3339(at) <= call.world.clock.now():
        row = {k: v for k, v in row.items() if k != "destroyTime"}
        row |= {"state": "DESTROYED", "destroyEventTime": at}
        _put_version(call, row)
    return row


def _enabled(call: Call, name: str) -> JsonObject:
    """A version that can be used; raises ApiError: 404, 400."""
    row = _version(call, name)
    state = row.get("state", "ENABLED")
    if state != "ENABLED":
        raise failed_precondition(f"{row['name']} is not enabled, current state is: {state}.")
    return row


def _own_version(call: Call) -> JsonObject:
    """The version that a call names, of a key that is for it; raises ApiError."""
    name = str(call.params["name"])
    _key(call, parent_of(name, 2))
    return _enabled(call, name)


def _put_version(call: Call, row: JsonObject) -> None:
    """Keep a version, which its key shows where it is the primary one."""
    call.world.put(_VERSIONS, row["name"], row)
    name = parent_of(str(row["name"]), 2)
    key = call.world.table(_KEYS).get(name)
    if key is not None and (key.get("primary") or {}).get("name") == row["name"]:
        call.world.put(_KEYS, name, {**key, "primary": row})


def _algorithm(call: Call, key: JsonObject) -> str:
    purpose = str(key.get("purpose") or "")
    if not purpose or purpose == "CRYPTO_KEY_PURPOSE_UNSPECIFIED":
        raise bad_fields([("crypto_key.purpose", "A purpose is required.")])
    found = (key.get("versionTemplate") or {}).get("algorithm") or _USUAL.get(purpose)
    if not found:
        name = "crypto_key.version_template.algorithm"
        raise bad_fields([(name, f"An algorithm is required for purpose {purpose}.")])
    if not str(found).startswith(_FITTING.get(purpose, ())):
        name = "crypto_key.version_template.algorithm"
        raise bad_fields([(name, f"{found} is no algorithm for purpose {purpose}.")])
    return str(found)


def _create_key(call: Call) -> JsonObject:
    body, skipped = call.body, bool(call.params.pop("skipInitialVersionCreation", False))
    algorithm = _algorithm(call, body)
    if body.get("rotationPeriod") and body["purpose"] != "ENCRYPT_DECRYPT":
        raise invalid("Only symmetric keys rotate by themselves.", location="rotation_period")
    level = (body.get("versionTemplate") or {}).get("protectionLevel") or "SOFTWARE"
    body["versionTemplate"] = {
        **(body.get("versionTemplate") or {}), "algorithm": algorithm, "protectionLevel": level,
    }  # fmt: skip
    body.setdefault("destroyScheduledDuration", _MONTH)
    made = call.answer_by_conventions()
    key = {name: each for name, each in made.items() if name != "primary"}
    name = str(key["name"])
    first = call.world.table(_VERSIONS).get(f"{name}/cryptoKeyVersions/1")
    if first is not None and (skipped or body.get("importOnly")):
        call.world.delete(_VERSIONS, first["name"])
    elif first is not None:
        call.world.put(_VERSIONS, first["name"], _new_version(call, key, 1))
        if key["purpose"] == "ENCRYPT_DECRYPT":
            key["primary"] = call.world.table(_VERSIONS).get(first["name"])
    call.world.put(_KEYS, name, key)
    return key


def _new_version(call: Call, key: JsonObject, number: int) -> JsonObject:
    template, now = key.get("versionTemplate") or {}, rfc3339(call.world.clock.now())
    return {
        "name": f"{key['name']}/cryptoKeyVersions/{number}",
        "state": "ENABLED",
        "protectionLevel": template.get("protectionLevel", "SOFTWARE"),
        "algorithm": template.get("algorithm", keys.SYMMETRIC),
        "createTime": now,
        "generateTime": now,
        **({"attestation": _ATTESTATION} if template.get("protectionLevel") == "HSM" else {}),
    }


def _delete(call: Call) -> JsonObject:
    """Answers both `delete`: what is gone is told among the retired resources."""
    name, is_key = str(call.params["name"]), "cryptoKeyVersions" not in call.id
    text = f"CryptoKey {name} not found."
    row = require_row(call.world, _KEYS, name, text) if is_key else _version(call, name)
    name = str(row["name"])
    if is_key and len(call.world.table(_VERSIONS).starting(BY_KEY, f"{name}/")):
        raise failed_precondition(f"{name} has versions, which are to be deleted first.")
    if not is_key and row.get("state") != "DESTROYED":
        raise failed_precondition(f"{name} is not destroyed, its state is: {row.get('state')}.")
    call.world.delete(_KEYS if is_key else _VERSIONS, name)
    place, ident = "/".join(name.split("/")[:4]), call.world.ids.uuid("cloudkms/retired")
    retired = f"{place}/retiredResources/{ident}"
    told: JsonObject = {
        "name": retired,
        "originalResource": name,
        "resourceType": f"cloudkms.googleapis.com/CryptoKey{'' if is_key else 'Version'}",
        "deleteTime": rfc3339(call.world.clock.now()),
    }
    if is_key:
        call.world.put(_RETIRED, retired, told)
    operation = f"{place}/operations/{ident}"
    metadata = {
        "metadata": {"@type": f"{_MESSAGES}DeleteCryptoKey{'' if is_key else 'Version'}Metadata"}
    }
    outcome = finished_operation(operation, None)
    return start_operation(
        call, operation, {**outcome, **metadata}, {"name": operation, **metadata}
    )


def _create_version(call: Call) -> JsonObject:
    parent = str(call.params["parent"])
    key = require_row(call.world, _KEYS, parent, f"CryptoKey {parent} not found.")
    table, name = call.world.table(_VERSIONS), f"{key['name']}/cryptoKeyVersions"
    number = len(table.starting(BY_KEY, f"{name}/")) + 1
    while f"{name}/{number}" in table:
        number += 1
    row = _new_version(call, key, number)
    call.world.put(_VERSIONS, row["name"], row)
    return row


def _change_version(call: Call) -> JsonObject:
    row = _version(call, str(call.params["name"]))
    after = call.body.get("state")
    if after and not {row.get("state"), after} <= {"ENABLED", "DISABLED"}:
        text = f"{row['name']} cannot be changed from {row.get('state')} to {after}."
        raise failed_precondition(text)
    return _with_change(call, call.answer_by_conventions())


def _with_change(call: Call, answer: JsonObject) -> JsonObject:
    row = call.world.table(_VERSIONS).get(str(answer["name"]))
    if row is not None:
        _put_version(call, row)
    return answer


def _destroy(call: Call) -> JsonObject:
    row = _version(call, str(call.params["name"]))
    if row.get("state") in {"DESTROYED", "DESTROY_SCHEDULED"}:
        text = f"{row['name']} is not in a state that can be destroyed: {row['state']}."
        raise failed_precondition(text)
    key = call.world.table(_KEYS).get(parent_of(str(row["name"]), 2)) or {}
    delay_s = duration_s(key.get("destroyScheduledDuration") or _MONTH)
    at = call.world.clock.now() + timedelta(seconds=delay_s)
    row = {**row, "state": "DESTROY_SCHEDULED", "destroyTime": rfc3339(at)}
    _put_version(call, row)
    return row


def _restore(call: Call) -> JsonObject:
    row = _version(call, str(call.params["name"]))
    if row.get("state") != "DESTROY_SCHEDULED":
        text = f"{row['name']} is not scheduled for destruction: {row.get('state')}."
        raise failed_precondition(text)
    row = {k: v for k, v in row.items() if k != "destroyTime"} | {"state": "DISABLED"}
    _put_version(call, row)
    return row


def _set_primary(call: Call) -> JsonObject:
    name = str(call.params["name"])
    key = require_row(call.world, _KEYS, name, f"CryptoKey {name} not found.")
    if key.get("purpose") != "ENCRYPT_DECRYPT":
        raise failed_precondition(f"{key['name']} has no primary version: {key.get('purpose')}.")
    number = str(call.body.get("cryptoKeyVersionId") or "")
    primary = _enabled(call, f"{key['name']}/cryptoKeyVersions/{number}")
    key = {**key, "primary": primary}
    call.world.put(_KEYS, key["name"], key)
    return key


def _encrypt(call: Call) -> JsonObject:
    name = str(call.params["name"])
    key_name, _, number = name.partition("/cryptoKeyVersions/")
    key = _key(call, key_name)
    primary = str((key.get("primary") or {}).get("name") or "")
    if not number and not primary:
        raise failed_precondition(f"{key['name']} has no primary version.")
    version = _enabled(call, f"{key['name']}/cryptoKeyVersions/{number}" if number else primary)
    plaintext = _content(call, "plaintext")
    further = _content(call, "additionalAuthenticatedData")
    last = int(str(version["name"]).rpartition("/")[2])
    sealed = keys.encrypt(str(key["name"]), last, plaintext, further)
    return {"name": version["name"], **_answer(call, version, ciphertext=sealed)}


def _decrypt(call: Call) -> JsonObject:
    key = _key(call, str(call.params["name"]))
    sealed, further = _content(call, "ciphertext"), _content(call, "additionalAuthenticatedData")
    name = f"{key['name']}/cryptoKeyVersions/{keys.version_number(sealed)}"
    if name not in call.world.table(_VERSIONS):
        raise keys.refuse_ciphertext()
    version = _enabled(call, name)
    plaintext = keys.decrypt(name, sealed, further)
    if plaintext is None:
        raise keys.refuse_ciphertext()
    used = name == (key.get("primary") or {}).get("name")
    return {**_only_plain(_answer(call, version, plaintext=plaintext)), "usedPrimary": used}


def _only_plain(answer: JsonObject) -> JsonObject:
    """What `decrypt` answers, which does not say what was checked."""
    return {name: each for name, each in answer.items() if not name.startswith("verified")}


def _raw_encrypt(call: Call) -> JsonObject:
    version = _own_version(call)
    plaintext = _content(call, "plaintext")
    further = _content(call, "additionalAuthenticatedData")
    if call.body.get("initializationVector"):
        raise invalid("initializationVector must not be set for AES-GCM.")
    sealed, nonce = keys.raw_encrypt(
        str(version["name"]), str(version["algorithm"]), plaintext, further
    )
    contents = {"ciphertext": sealed, "initializationVector": nonce}
    return {
        "name": version["name"], "tagLength": 16, **_answer(call, version, **contents),
    }  # fmt: skip


def _raw_decrypt(call: Call) -> JsonObject:
    version = _own_version(call)
    sealed = _content(call, "ciphertext")
    nonce = _content(call, "initializationVector")
    further = _content(call, "additionalAuthenticatedData")
    name, algorithm = str(version["name"]), str(version["algorithm"])
    plaintext = keys.raw_decrypt(name, algorithm, sealed, nonce, further)
    if plaintext is None:
        raise keys.refuse_ciphertext()
    return _answer(call, version, plaintext=plaintext)


def _sign(call: Call) -> JsonObject:
    version, digest = _own_version(call), call.body.get("digest") or {}
    content = _content(call, "data")
    given = {name: b64decode(str(each)) for name, each in digest.items()}
    if bool(given) == bool(call.body.get("data")):
        raise invalid("Exactly one of digest and data must be given.", location="digest")
    for each in given.values():
        _check_sum(call, "digest", each)
    signature = keys.sign(str(version["name"]), str(version["algorithm"]), content, given)
    return {"name": version["name"], **_answer(call, version, signature=signature)}


def _decrypt_asymmetric(call: Call) -> JsonObject:
    version, sealed = _own_version(call), _content(call, "ciphertext")
    name, algorithm = str(version["name"]), str(version["algorithm"])
    plaintext = keys.decrypt_by_private_key(name, algorithm, sealed)
    if plaintext is None:
        raise keys.refuse_ciphertext()
    return _answer(call, version, plaintext=plaintext)


def _public_key(call: Call) -> JsonObject:
    version = _enabled(call, str(call.params["name"]))
    if str(call.params.get("publicKeyFormat") or "PEM") not in {
        "PEM", "PUBLIC_KEY_FORMAT_UNSPECIFIED",
    }:  # fmt: skip
        raise invalid("Only PEM is emulated for this key.", location="publicKeyFormat")
    algorithm = str(version["algorithm"])
    if not algorithm.startswith(("RSA_", "EC_", "PQ_")):
        raise failed_precondition(f"{version['name']} has no public key: {algorithm}.")
    pem = keys.public_pem(str(version["name"]), algorithm)
    checked = str(crc32c(pem.encode()))
    return {
        "name": version["name"],
        "pem": pem,
        "pemCrc32c": checked,
        "algorithm": algorithm,
        "protectionLevel": version.get("protectionLevel", "SOFTWARE"),
        "publicKeyFormat": "PEM",
        "publicKey": {"data": b64encode(pem.encode()).decode(), "crc32cChecksum": checked},
    }


def _mac_sign(call: Call) -> JsonObject:
    version, content = _own_version(call), _content(call, "data")
    made = keys.mac(str(version["name"]), str(version["algorithm"]), content)
    return {"name": version["name"], **_answer(call, version, mac=made)}


def _mac_verify(call: Call) -> JsonObject:
    version, content = _own_version(call), _content(call, "data")
    made = keys.mac(str(version["name"]), str(version["algorithm"]), content)
    fits = hmac.compare_digest(made, _content(call, "mac"))
    told = {"success": fits, "verifiedSuccessIntegrity": fits}
    return {"name": version["name"], **told, **_answer(call, version)}


def _random(call: Call) -> JsonObject:
    count = int(call.body.get("lengthBytes") or 0)
    if not 8 <= count <= 1024:
        raise invalid("lengthBytes must be between 8 and 1024.", location="lengthBytes")
    content = keys.random_bytes(call.world.ids.hex("cloudkms/random", 64), count)
    return {"data": b64encode(content).decode(), "dataCrc32c": str(crc32c(content))}


_LOCATION = "cloudkms.projects.locations"
_OF_KEY: Mapping[str, Handler] = {
    "create": _create_key,
    "delete": _delete,
    "encrypt": _encrypt,
    "decrypt": _decrypt,
    "updatePrimaryVersion": _set_primary,
}
_OF_VERSION: Mapping[str, Callable[[Call], JsonObject]] = {
    "create": _create_version,
    "delete": _delete,
    "get": lambda call: _version(call, str(call.params["name"])),
    "patch": _change_version,
    "destroy": _destroy,
    "restore": _restore,
    "getPublicKey": _public_key,
    "asymmetricSign": _sign,
    "asymmetricDecrypt": _decrypt_asymmetric,
    "macSign": _mac_sign,
    "macVerify": _mac_verify,
    "rawEncrypt": _raw_encrypt,
    "rawDecrypt": _raw_decrypt,
}
_KEY = f"{_LOCATION}.keyRings.cryptoKeys"
HANDLERS: Mapping[str, Handler] = {
    f"{_LOCATION}.generateRandomBytes": _random,
    **{f"{_KEY}.{verb}": answer for verb, answer in _OF_KEY.items()},
    **{f"{_KEY}.cryptoKeyVersions.{verb}": answer for verb, answer in _OF_VERSION.items()},
}
