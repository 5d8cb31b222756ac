"""Emulates the Security Token Service: tokens of elsewhere for Google's."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="sts",
    documents=(("sts", "v1"), ("sts", "v1beta")),
    handlers=LazyHandlers(__name__),
    dialect="oauth",
    is_public=True,
    is_confidential=True,
)
