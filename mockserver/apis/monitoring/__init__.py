"""Emulates Cloud Monitoring: time series, alerting, services, dashboards and PromQL."""

from mockserver.apis.monitoring.prometheus_document import PROMETHEUS
from mockserver.apis.monitoring.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="monitoring",
    documents=(("monitoring", "v3"), ("monitoring", "v1")),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    supplements=(PROMETHEUS,),
    dialect="one_platform",
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
    long=(
        "monitoring.projects.location.prometheus.",
        "monitoring.projects.timeSeries.list",
        "monitoring.projects.timeSeries.query",
    ),
)

__all__ = ["API"]
