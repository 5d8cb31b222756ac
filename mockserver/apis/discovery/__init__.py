"""Emulates the API Discovery Service."""

from mockserver.apis.discovery.methods import HANDLERS, rest_document
from mockserver.googleapi import Api

API = Api(
    name="discovery",
    documents=(("discovery", "v1"),),
    handlers=HANDLERS,
    dialect="legacy",
    error_names={},
    is_public=True,
)

__all__ = ["API", "rest_document"]
