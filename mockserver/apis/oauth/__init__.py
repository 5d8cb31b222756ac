"""Emulates Google's OAuth 2.0 endpoints."""

from mockserver.apis.oauth.documents import SUPPLEMENTS
from mockserver.apis.oauth.methods import HANDLERS
from mockserver.googleapi import Api

API = Api(
    name="oauth",
    documents=(("oauth2", "v2"),),
    handlers=HANDLERS,
    supplements=SUPPLEMENTS,
    dialect="oauth",
    error_names={},
)

__all__ = ["API"]
