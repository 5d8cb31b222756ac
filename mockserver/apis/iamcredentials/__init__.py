"""Emulates the IAM Service Account Credentials API."""

from collections.abc import Mapping

from mockserver.googleapi import Api, Handler, Later
from mockserver.redaction import Rule


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.iamcredentials.methods import HANDLERS

    return HANDLERS


def _rules() -> tuple[Rule, ...]:
    from mockserver.apis.iamcredentials.redaction import RULES

    return RULES


API = Api(
    name="iamcredentials",
    documents=(("iamcredentials", "v1"),),
    handlers=Later(_handlers),
    redaction=_rules,
)

__all__ = ["API"]
