from mockserver.apis.monitoring import API
from mockserver.apis.monitoring.methods import HANDLERS
from mockserver.googleapi import Catalog

GENERIC = {
    "monitoring.locations.global.metricsScopes.get",
    "monitoring.locations.global.metricsScopes.listMetricsScopesByMonitoredProject",
    "monitoring.locations.global.metricsScopes.projects.create",
    "monitoring.locations.global.metricsScopes.projects.delete",
    "monitoring.operations.get",
    "monitoring.projects.collectdTimeSeries.create",
    "monitoring.projects.groups.members.list",
    "monitoring.projects.notificationChannels.getVerificationCode",
    "monitoring.projects.notificationChannels.sendVerificationCode",
    "monitoring.projects.notificationChannels.verify",
    "monitoring.projects.timeSeries.query",
    "monitoring.uptimeCheckIps.list",
}


def test_every_method_but_a_few_has_semantics_of_its_own() -> None:
    catalog = Catalog(preferred=API.documents, supplements=API.supplements)
    assert {one.id for one in catalog.methods()} - set(HANDLERS) == GENERIC
