"""Emulates the IAM Service Account Credentials API."""

from collections.abc import Mapping

from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.iamcredentials.methods import HANDLERS

    return HANDLERS


API = Api(
    name="iamcredentials",
    documents=(("iamcredentials", "v1"),),
    handlers=Later(_handlers),
)

__all__ = ["API"]
