"""Emulates the JSON tool API."""

from mockserver.apis.tools.methods import HANDLERS
from mockserver.googleapi import Api

API = Api(
    name="tools",
    documents=(),
    handlers=HANDLERS,
    dialect="one_platform",
    error_names={"enrollBrowser": "tools.enrollBrowser"},
)

__all__ = ["API"]
