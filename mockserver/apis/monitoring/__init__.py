"""Emulates Cloud Monitoring: time series, alerting, services, dashboards and PromQL."""

from mockserver.apis.monitoring.collections import COLLECTIONS
from mockserver.apis.monitoring.prometheus_document import PROMETHEUS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="monitoring",
    documents=(("monitoring", "v3"), ("monitoring", "v1")),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
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
