"""Emulates IAM: keys of service accounts that sign, and roles that are deleted and restored.

Service accounts, and what is made and changed of roles, are answered by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

ROLES_API = Api(
    name="iam",
    documents=(("iam", "v1"),),
    handlers=LazyHandlers(__name__, name="ROLE_HANDLERS"),
    relies=(
        "Rely on: custom roles that are deleted and restored, service accounts by e-mail address "
        "and id. Not there: whether an account may do what it asks for. Proof: "
        "`tests/mockserver/apis/test_iam.py`."
    ),
    beside_conventions=True,
)
KEYS_API = Api(
    name="iamkeys",
    documents=(("iam", "v1"),),
    handlers=LazyHandlers(__name__, name="KEY_HANDLERS"),
    relies=(
        "Rely on: keys whose files authenticate clients here, tokens and blobs that are signed "
        "with them and can be checked. Not there: keys of one's own (`upload`). Proof: "
        "`tests/mockserver/apis/test_iam.py`."
    ),
    beside_conventions=True,
    is_confidential=True,
)

__all__ = ["KEYS_API", "ROLES_API"]
