"""Emulates the Security Token Service: tokens of elsewhere for Google's."""

from collections.abc import Mapping

from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.sts.methods import HANDLERS

    return HANDLERS


API = Api(
    name="sts",
    documents=(("sts", "v1"), ("sts", "v1beta")),
    handlers=Later(_handlers),
    dialect="oauth",
)

__all__ = ["API"]
