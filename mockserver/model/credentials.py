"""Credentials that a session hands out, and how they end."""

from typing import Literal, get_args

from mockserver.model.values import Frozen

CredentialKind = Literal["service_account", "authorized_user", "external_account", "metadata"]
CREDENTIAL_KINDS: tuple[CredentialKind, ...] = get_args(CredentialKind)
"""Three files that `GOOGLE_APPLICATION_CREDENTIALS` may name, and the variables of a machine whose
metadata server has the credentials."""


class CredentialsEnd(Frozen):
    """What becomes of credentials of a session.

    Attributes:
        expire: Whether every access token is over from now on; new ones can be had.
        revoke: A token that is over, or `all`: every access token, the refresh token, and the key
            of the service account, so that no new one can be had.
    """

    expire: bool = False
    revoke: str = ""
