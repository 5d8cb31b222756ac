"""Emulates Google's OAuth 2.0 endpoints."""

from collections.abc import Mapping

from mockserver.apis.oauth.documents import SUPPLEMENTS
from mockserver.googleapi import Api, Handler, Later
from mockserver.redaction import Rule


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.oauth.methods import HANDLERS

    return HANDLERS


def _rules() -> tuple[Rule, ...]:
    from mockserver.apis.oauth.redaction import RULES

    return RULES


API = Api(
    name="oauth",
    documents=(("oauth2", "v2"),),
    handlers=Later(_handlers),
    supplements=SUPPLEMENTS,
    dialect="oauth",
    error_names={},
    redaction=_rules,
)

__all__ = ["API"]
