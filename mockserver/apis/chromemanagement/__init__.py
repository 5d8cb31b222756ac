"""Emulates the Chrome Management API, and the older API for the same browsers and tokens."""

from collections.abc import Mapping

from mockserver.apis.chromemanagement.legacy_document import SUPPLEMENT
from mockserver.apis.chromemanagement.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures
from mockserver.redaction import Rule


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.chromemanagement.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.chromemanagement.capture import CAPTURES

    return CAPTURES


def _rules() -> tuple[Rule, ...]:
    from mockserver.apis.chromemanagement.redaction import RULES

    return RULES


API = Api(
    name="chromemanagement",
    documents=(("chromemanagement", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
    error_names={
        "browsers": "*.chrome[Bb]rowsers.*",
        "chromeReports": "chromemanagement.customers.reports.*",
        "enrollBrowser": "*.enrollmentTokens.*",
        "enrollmentToken": "*.enrollmentTokens.*",
    },
    captures=_captures,
    redaction=_rules,
)


def _legacy_handlers() -> Mapping[str, Handler]:
    from mockserver.apis.chromemanagement.legacy import LEGACY_HANDLERS

    return LEGACY_HANDLERS


def _legacy_captures() -> Captures:
    from mockserver.apis.chromemanagement.capture import LEGACY_CAPTURES

    return LEGACY_CAPTURES


LEGACY_API = Api(
    name="chromemanagement-legacy",
    documents=(),
    handlers=Later(_legacy_handlers),
    supplements=(SUPPLEMENT,),
    dialect="legacy",
    captures=_legacy_captures,
)

__all__ = ["API", "LEGACY_API"]
