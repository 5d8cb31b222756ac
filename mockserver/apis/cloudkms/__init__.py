"""Emulates Cloud KMS: keys encrypt, decrypt, sign and verify, by versions that are destroyed.

Key rings, keys, lists and allow policies are answered by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="cloudkms",
    documents=(("cloudkms", "v1"),),
    handlers=LazyHandlers(__name__),
    beside_conventions=True,
    relies=(
        "Rely on: what is encrypted, decrypted, signed and authenticated by a version, which "
        "clients verify with its public key; versions that are enabled, primary, destroyed and "
        "restored; checksums. Not there: imported and external keys; what attests hardware is "
        "made up. Proof: 39 of 40 of Google's samples; `tests/mockserver/apis/test_cloudkms.py`."
    ),
)

__all__ = ["API"]
