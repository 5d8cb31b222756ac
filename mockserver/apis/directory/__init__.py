"""Emulates the Admin SDK Directory API."""

from collections.abc import Mapping

from mockserver.apis.directory.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures
from mockserver.redaction import Rule


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.directory.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.directory.capture import CAPTURES

    return CAPTURES


def _rules() -> tuple[Rule, ...]:
    from mockserver.apis.directory.redaction import RULES

    return RULES


API = Api(
    name="directory",
    documents=(("admin", "directory_v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
    error_names={"orgUnits": "directory.orgunits.list"},
    captures=_captures,
    redaction=_rules,
)

__all__ = ["API"]
