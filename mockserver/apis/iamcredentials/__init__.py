"""Emulates the IAM Service Account Credentials API."""

from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="iamcredentials",
    documents=(("iamcredentials", "v1"),),
    handlers=LazyHandlers(__name__),
    redaction=lazy_attribute(__name__, "redaction", "RULES"),
    is_confidential=True,
)
