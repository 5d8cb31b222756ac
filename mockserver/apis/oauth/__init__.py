"""Emulates Google's OAuth 2.0 endpoints."""

from mockserver.apis.oauth.documents import SUPPLEMENTS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute
from mockserver.googleapi.api import Collection, lazy_import

DELEGATIONS = "domainWideDelegations"
_COLLECTIONS = (
    Collection(DELEGATIONS, "for which scopes which service accounts may act for users"),
)

API = Api(
    name="oauth",
    documents=(("oauth2", "v2"),),
    handlers=LazyHandlers(__name__),
    collections=_COLLECTIONS,
    import_snapshot=lazy_import(__name__, _COLLECTIONS),
    supplements=SUPPLEMENTS,
    dialect="oauth",
    redaction=lazy_attribute(__name__, "redaction", "RULES"),
    is_public=True,
    is_confidential=True,
)
