"""Emulates Cloud Monitoring: time series, alerting, services, dashboards and PromQL."""

from collections.abc import Mapping

from mockserver.apis.monitoring.prometheus_document import PROMETHEUS
from mockserver.apis.monitoring.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.monitoring.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.monitoring.capture import CAPTURES

    return CAPTURES


API = Api(
    name="monitoring",
    documents=(("monitoring", "v3"), ("monitoring", "v1")),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    supplements=(PROMETHEUS,),
    dialect="one_platform",
    captures=_captures,
    long=(
        "monitoring.projects.location.prometheus.",
        "monitoring.projects.timeSeries.list",
        "monitoring.projects.timeSeries.query",
    ),
)

__all__ = ["API"]
