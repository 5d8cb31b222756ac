"""The credentials that a session hands out, in the forms that Google's clients read."""

from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from mockserver.apis.metadata import METADATA_HOSTS
from mockserver.errors import SessionError
from mockserver.googleapi import signing_key
from mockserver.model import CredentialKind, CredentialsEnd, JsonObject, did_you_mean
from mockserver.sessions.session import DEFAULT_ID, Session
from mockserver.state import (
    World,
    end_token,
    expire_tokens,
    fixed_digits,
    home_project,
    identity_pool,
    is_revoked,
    mark_revoked,
    refresh_token,
    revoke_all,
    service_account_email,
    session_of,
)

_UNIVERSE = "googleapis.com"
_CERTIFICATES = "https://www.googleapis.com"
_JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt"
_THROUGH_FRONT = "https:/"
_IDENTITY = "computeMetadata/v1/instance/service-accounts/default/identity"


class CredentialUrls(NamedTuple):
    """Where clients are to ask.

    Attributes:
        server: `http://host:port` of this server.
        api: What goes before the host of an API: the session's base URL, or `https:/` for clients
            that come through a front.
    """

    server: str
    api: str

    def url(self, host: str, path: str) -> str:
        """The URL of a path of an API."""
        return f"{self.api}/{host}/{path}"

    def machine(self, world: World) -> str:
        """Where the metadata server of a session is, without a scheme."""
        if self.api == _THROUGH_FRONT:
            return METADATA_HOSTS[0]
        here = self.server.partition("://")[2]
        return here if world.session == DEFAULT_ID else f"{here}/s/{world.session}"


def credential_urls(session: Session, server_url: str, endpoint: str) -> CredentialUrls:
    """Where clients of a session ask: this server (`server`), or Google's own names (`google`).

    Raises:
        SessionError: Neither of the two.
    """
    if endpoint == "google":
        return CredentialUrls(server_url, _THROUGH_FRONT)
    if endpoint == "server":
        return CredentialUrls(server_url, f"{server_url}/s/{session.id}")
    raise SessionError(f"no endpoint {endpoint!r}", hint="server or google")


def make_credentials(session: Session, kind: str, places: CredentialUrls) -> JsonObject:
    """The content of a credentials file, or for `metadata` the environment variables.

    Raises:
        SessionError: No such kind.
    """
    made = _KINDS.get(kind)  # type: ignore[call-overload]
    if made is None:
        raise SessionError(f"no credentials of the kind {kind!r}", hint=did_you_mean(kind, _KINDS))
    return dict(made(session.world, places))


def _service_account(world: World, places: CredentialUrls) -> JsonObject:
    key, email = signing_key(), service_account_email(world)
    return {
        "type": "service_account",
        "project_id": home_project(world)[0],
        "private_key_id": key.id,
        "private_key": key.pem,
        "client_email": email,
        "client_id": fixed_digits(email.casefold(), 21),
        "auth_uri": "https://accounts.google.com/o/oauth2/auth",
        "token_uri": places.url("oauth2.googleapis.com", "token"),
        "auth_provider_x509_cert_url": f"{_CERTIFICATES}/oauth2/v1/certs",
        "client_x509_cert_url": (
            f"{_CERTIFICATES}/robot/v1/metadata/x509/{quote(email, safe='~')}"
        ),
        "universe_domain": _UNIVERSE,
    }


def _authorized_user(world: World, places: CredentialUrls) -> JsonObject:
    project, number = home_project(world)
    return {
        "type": "authorized_user",
        "client_id": f"{number}-mock.apps.googleusercontent.com",
        "client_secret": "mock",
        "quota_project_id": project,
        "refresh_token": refresh_token(world.session, world.secret),
        "token_uri": places.url("oauth2.googleapis.com", "token"),
        "universe_domain": _UNIVERSE,
    }


def _external_account(world: World, places: CredentialUrls) -> JsonObject:
    audience = identity_pool(world.session, home_project(world)[1])
    identity = f"http://{places.machine(world)}/{_IDENTITY}"
    return {
        "type": "external_account",
        "audience": audience,
        "subject_token_type": _JWT_TYPE,
        "token_url": places.url("sts.googleapis.com", "v1/token"),
        "credential_source": {
            "url": f"{identity}?audience={quote(audience, safe='')}&format=full",
            "headers": {"Metadata-Flavor": "Google"},
            "format": {"type": "text"},
        },
        "universe_domain": _UNIVERSE,
    }


def _metadata(world: World, places: CredentialUrls) -> JsonObject:
    """The variables of Python's and Node's clients.

    Node's client drops what follows the port: without a proxy, its session must be the default one.
    """
    place = places.machine(world)
    return {
        "GCE_METADATA_HOST": place,
        "GCE_METADATA_IP": place,
        "METADATA_SERVER_DETECTION": "assume-present",
    }


_KINDS: Mapping[CredentialKind, Callable[[World, CredentialUrls], JsonObject]] = {
    "service_account": _service_account,
    "authorized_user": _authorized_user,
    "external_account": _external_account,
    "metadata": _metadata,
}


def end_credentials(session: Session, order: CredentialsEnd) -> int:
    """Expire or revoke credentials of a session; how many ended.

    Raises:
        SessionError: 400: nothing is asked, or both; 404: a token that is not of this session.
    """
    if order.expire == bool(order.revoke):
        raise SessionError('say {"expire": true}, {"revoke": "all"} or {"revoke": "<token>"}')
    if order.expire:
        return expire_tokens(session.world)
    if order.revoke == "all":
        return revoke_all(session.world)
    return _revoke(session.world, order.revoke)


def _revoke(world: World, token: str) -> int:
    if session_of(token) != world.session:
        raise SessionError(f"this token is not of session {world.session!r}", status=404)
    if token == refresh_token(world.session, world.secret):
        was_revoked = is_revoked(world, token)
        mark_revoked(world, token)
        return int(not was_revoked)
    return int(end_token(world, token))
