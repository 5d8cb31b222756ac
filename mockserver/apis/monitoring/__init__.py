"""Emulates Cloud Monitoring: time series, alerting, services, dashboards and PromQL."""

from mockserver.apis.monitoring.collections import CAPTURES, COLLECTIONS, RESOURCES
from mockserver.apis.monitoring.prometheus_document import PROMETHEUS
from mockserver.googleapi import Api, LazyHandlers, lazy_import

API = Api(
    name="monitoring",
    documents=(("monitoring", "v3"), ("monitoring", "v1")),
    handlers=LazyHandlers(__name__, "series_methods", "COMPUTING_HANDLERS"),
    relies=(
        "Rely on: filters and aggregation of time series (aligners, reducers, groups), points "
        "that are written, descriptors, PromQL, objectives of services, alert policies and "
        "dashboards as resources. Not there: alerts that fire, notifications, uptime checks "
        "that run. Proof: `tests/mockserver/apis/monitoring`."
    ),
    resources=RESOURCES,
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    supplements=(PROMETHEUS,),
    captures=lambda: CAPTURES,
    long=(
        "monitoring.projects.location.prometheus.",
        "monitoring.projects.timeSeries.list",
        "monitoring.projects.timeSeries.query",
    ),
)
