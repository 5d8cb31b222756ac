"""Methods of the IAM Service Account Credentials API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.iamcredentials.signing import sign_blob, sign_jwt
from mockserver.apis.iamcredentials.tokens import (
    allowed_locations,
    generate_access_token,
    generate_id_token,
)
from mockserver.googleapi import Handler

_ACCOUNTS = "iamcredentials.projects.serviceAccounts"
_POOLS = "iamcredentials.projects.locations.workloadIdentityPools"

HANDLERS: Mapping[str, Handler] = {
    f"{_ACCOUNTS}.generateAccessToken": generate_access_token,
    f"{_ACCOUNTS}.generateIdToken": generate_id_token,
    f"{_ACCOUNTS}.signBlob": sign_blob,
    f"{_ACCOUNTS}.signJwt": sign_jwt,
    f"{_ACCOUNTS}.getAllowedLocations": allowed_locations,
    f"{_POOLS}.getAllowedLocations": allowed_locations,
    "iamcredentials.locations.workforcePools.getAllowedLocations": allowed_locations,
}
