"""Emulates the Security Token Service: tokens of elsewhere for Google's."""

from mockserver.apis.sts.methods import HANDLERS
from mockserver.googleapi import Api

API = Api(
    name="sts",
    documents=(("sts", "v1"), ("sts", "v1beta")),
    handlers=HANDLERS,
    dialect="oauth",
)

__all__ = ["API"]
