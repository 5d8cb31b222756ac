"""Emulates Google's OAuth 2.0 endpoints."""

from mockserver.apis.oauth.documents import SUPPLEMENTS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="oauth",
    documents=(("oauth2", "v2"),),
    handlers=LazyHandlers(__name__),
    supplements=SUPPLEMENTS,
    dialect="oauth",
    redaction=lazy_attribute(__name__, "capture", "RULES"),
    is_public=True,
    is_confidential=True,
)
