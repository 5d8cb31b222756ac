"""Emulates Cloud Monitoring: time series, alerting, services, dashboards and PromQL."""

from mockserver.apis.monitoring.methods import HANDLERS
from mockserver.apis.monitoring.prometheus_document import PROMETHEUS
from mockserver.apis.monitoring.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="monitoring",
    documents=(("monitoring", "v3"), ("monitoring", "v1")),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    supplements=(PROMETHEUS,),
    dialect="one_platform",
)

__all__ = ["API"]
