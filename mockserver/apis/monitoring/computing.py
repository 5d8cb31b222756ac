"""Methods that select and compute: loaded by the first call of one of them."""

from collections.abc import Mapping

from mockserver.apis.monitoring.descriptors import (
    create_metric,
    delete_metric,
    get_metric,
    get_resource,
    list_metrics,
    list_resources,
)
from mockserver.apis.monitoring.listing import list_time_series
from mockserver.apis.monitoring.prometheus import PROMETHEUS_HANDLERS
from mockserver.apis.monitoring.writing import create_time_series
from mockserver.googleapi import Handler

COMPUTING: Mapping[str, Handler] = {
    "monitoring.projects.timeSeries.list": list_time_series,
    "monitoring.folders.timeSeries.list": list_time_series,
    "monitoring.organizations.timeSeries.list": list_time_series,
    "monitoring.projects.timeSeries.create": create_time_series,
    "monitoring.projects.timeSeries.createService": create_time_series,
    "monitoring.projects.metricDescriptors.list": list_metrics,
    "monitoring.projects.metricDescriptors.get": get_metric,
    "monitoring.projects.metricDescriptors.create": create_metric,
    "monitoring.projects.metricDescriptors.delete": delete_metric,
    "monitoring.projects.monitoredResourceDescriptors.list": list_resources,
    "monitoring.projects.monitoredResourceDescriptors.get": get_resource,
    **PROMETHEUS_HANDLERS,
}
