"""Emulates the Chrome Management API."""

from mockserver.apis.chromemanagement.methods import HANDLERS
from mockserver.googleapi import Api

API = Api(
    name="chromemanagement",
    documents=(("chromemanagement", "v1"),),
    handlers=HANDLERS,
    dialect="one_platform",
    error_names={},
)

__all__ = ["API"]
