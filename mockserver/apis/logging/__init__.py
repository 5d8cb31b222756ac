"""Emulates Cloud Logging: entries and their query language, logs, buckets, views and links."""

from collections.abc import Mapping

from mockserver.apis.logging.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures
from mockserver.redaction import Rule


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.logging.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.logging.capture import CAPTURES

    return CAPTURES


def _rules() -> tuple[Rule, ...]:
    from mockserver.apis.logging.redaction import RULES

    return RULES


API = Api(
    name="logging",
    documents=(("logging", "v2"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=_captures,
    redaction=_rules,
    long=("logging.entries.list",),
)

__all__ = ["API"]
