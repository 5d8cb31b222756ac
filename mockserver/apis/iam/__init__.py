"""Emulates IAM: keys of service accounts that sign, and roles that are deleted and restored.

Service accounts, and what is made and changed of roles, are answered by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

ROLES_API = Api(
    name="iam",
    documents=(("iam", "v1"),),
    handlers=LazyHandlers(__name__, "roles"),
    beside_conventions=True,
)
KEYS_API = Api(
    name="iamkeys",
    documents=(("iam", "v1"),),
    handlers=LazyHandlers(__name__, "keys"),
    beside_conventions=True,
    is_confidential=True,
)

__all__ = ["KEYS_API", "ROLES_API"]
