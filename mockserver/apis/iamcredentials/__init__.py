"""Emulates the IAM Service Account Credentials API."""

from mockserver.apis.iamcredentials.methods import HANDLERS
from mockserver.googleapi import Api

API = Api(
    name="iamcredentials",
    documents=(("iamcredentials", "v1"),),
    handlers=HANDLERS,
)

__all__ = ["API"]
