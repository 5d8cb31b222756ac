"""Emulates Cloud KMS: keys encrypt, decrypt, sign and verify, by versions that are destroyed.

Key rings, keys, lists and allow policies are answered by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="cloudkms",
    documents=(("cloudkms", "v1"),),
    handlers=LazyHandlers(__name__),
    beside_conventions=True,
)

__all__ = ["API"]
