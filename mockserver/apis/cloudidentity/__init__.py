"""Emulates the policies and groups of the Cloud Identity API."""

from collections.abc import Mapping

from mockserver.apis.cloudidentity.snapshot import COLLECTIONS, import_snapshot
from mockserver.apis.cloudidentity.state import READS
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures
from mockserver.redaction import Rule


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.cloudidentity.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.cloudidentity.capture import CAPTURES

    return CAPTURES


def _rules() -> tuple[Rule, ...]:
    from mockserver.apis.cloudidentity.redaction import RULES

    return RULES


API = Api(
    name="cloudidentity",
    documents=(("cloudidentity", "v1"), ("cloudidentity", "v1beta1")),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
    reads=READS,
    error_names={"dlpRules": "cloudidentity.policies.list"},
    captures=_captures,
    redaction=_rules,
    long=("cloudidentity.policies.list",),
)

__all__ = ["API"]
