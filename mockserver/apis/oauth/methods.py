"""Methods of Google's OAuth 2.0 endpoints: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.oauth.certs import (
    account_certificates,
    account_key_set,
    certificates,
    key_set,
)
from mockserver.apis.oauth.consent import authorize, device_page, start_device
from mockserver.apis.oauth.tokeninfo import (
    new_tokeninfo,
    new_userinfo,
    old_tokeninfo,
    old_userinfo,
)
from mockserver.apis.oauth.tokens import grant_token, revoke_token
from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {
    "oauth2.accounts.auth": authorize,
    "oauth2.accounts.v2.auth": authorize,
    "oauth2.accounts.device": device_page,
    "oauth2.device.code": start_device,
    "oauth2.token": grant_token,
    "oauth2.v4.token": grant_token,
    "oauth2.accounts.token": grant_token,
    "oauth2.revoke": revoke_token,
    "oauth2.revoke.get": revoke_token,
    "oauth2.accounts.revoke": revoke_token,
    "oauth2.accounts.revoke.get": revoke_token,
    "oauth2.v1.tokeninfo": old_tokeninfo,
    "oauth2.v1.tokeninfo.post": old_tokeninfo,
    "oauth2.v2.tokeninfo": old_tokeninfo,
    "oauth2.tokeninfo": old_tokeninfo,
    "oauth2.v3.tokeninfo": new_tokeninfo,
    "oauth2.v3.tokeninfo.post": new_tokeninfo,
    "oauth2.tokeninfo.get": new_tokeninfo,
    "oauth2.tokeninfo.post": new_tokeninfo,
    "oauth2.v1.userinfo": old_userinfo,
    "oauth2.userinfo.get": old_userinfo,
    "oauth2.userinfo.v2.me.get": old_userinfo,
    "oauth2.v3.userinfo": new_userinfo,
    "oauth2.openidconnect.userinfo": new_userinfo,
    "oauth2.v1.certs": certificates,
    "oauth2.v3.certs": key_set,
    "oauth2.robot.x509": account_certificates,
    "oauth2.robot.jwk": account_key_set,
    "oauth2.serviceAccounts.x509": account_certificates,
    "oauth2.serviceAccounts.jwk": account_key_set,
}
