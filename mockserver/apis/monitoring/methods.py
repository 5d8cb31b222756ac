"""Methods of Cloud Monitoring: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.monitoring.prometheus_document import PROMETHEUS_IDS
from mockserver.apis.monitoring.resources import RESOURCE_HANDLERS
from mockserver.googleapi import Call, Handler
from mockserver.model import JsonObject

_SERIES = (
    "projects.timeSeries.list",
    "folders.timeSeries.list",
    "organizations.timeSeries.list",
    "projects.timeSeries.create",
    "projects.timeSeries.createService",
    "projects.metricDescriptors.list",
    "projects.metricDescriptors.get",
    "projects.metricDescriptors.create",
    "projects.metricDescriptors.delete",
    "projects.monitoredResourceDescriptors.list",
    "projects.monitoredResourceDescriptors.get",
)


def _computed(call: Call) -> JsonObject | None:
    # imported here: filters, alignment and PromQL take time that a server's start need not pay
    from mockserver.apis.monitoring.computing import COMPUTING

    return COMPUTING[call.id](call)


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys((f"monitoring.{name}" for name in _SERIES), _computed),
    **dict.fromkeys(PROMETHEUS_IDS, _computed),
    **RESOURCE_HANDLERS,
}
