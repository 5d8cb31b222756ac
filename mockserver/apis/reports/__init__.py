"""Emulates the Admin SDK Reports API."""

from collections.abc import Mapping

from mockserver.apis.reports.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures
from mockserver.redaction import Rule


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.reports.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.reports.capture import CAPTURES

    return CAPTURES


def _rules() -> tuple[Rule, ...]:
    from mockserver.apis.reports.redaction import RULES

    return RULES


API = Api(
    name="reports",
    documents=(("admin", "reports_v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
    error_names={"chromeEvents": "reports.activities.list"},
    captures=_captures,
    redaction=_rules,
    long=("reports.activities.list",),
)

__all__ = ["API"]
