"""The calls that agents in the field make: each is emulated, none is left to conventions.

The ids are those of administration of a Workspace tenant, and of the operation of a cloud project.
"""

import pytest

from tests.conformance.emulated import METHODS

TENANT = """
directory.orgunits.list directory.orgunits.get directory.orgunits.insert directory.orgunits.delete
directory.users.get directory.users.insert directory.users.makeAdmin directory.users.list
directory.users.delete directory.groups.insert directory.groups.delete directory.members.insert
directory.members.delete directory.domains.list
reports.activities.list
chromepolicy.customers.policySchemas.list chromepolicy.customers.policies.resolve
chromepolicy.customers.policies.orgunits.batchModify
chromepolicy.customers.policies.orgunits.batchInherit
chromepolicy.customers.policies.groups.batchModify
chromepolicy.customers.policies.groups.batchDelete
chromemanagement.customers.reports.countChromeVersions
cloudidentity.policies.list cloudidentity.policies.create cloudidentity.policies.delete
oauth2.v1.tokeninfo oauth2.token oauth2.userinfo.get
gmail.users.messages.send
"""

CLOUD = """
logging.entries.list logging.entries.write logging.entries.tail logging.projects.logs.list
logging.monitoredResourceDescriptors.list logging.projects.locations.buckets.list
logging.projects.locations.buckets.get logging.projects.locations.buckets.links.list
clouderrorreporting.projects.events.list
monitoring.projects.timeSeries.list monitoring.projects.metricDescriptors.list
monitoring.projects.location.prometheus.api.v1.query
monitoring.projects.location.prometheus.api.v1.query.get
monitoring.projects.location.prometheus.api.v1.query_range
monitoring.projects.location.prometheus.api.v1.query_range.get
monitoring.projects.alertPolicies.list monitoring.projects.alerts.list
monitoring.projects.alerts.get monitoring.services.list
monitoring.services.serviceLevelObjectives.list monitoring.services.serviceLevelObjectives.get
monitoring.projects.dashboards.list monitoring.projects.dashboards.get
monitoring.projects.dashboards.create monitoring.projects.dashboards.delete
cloudtrace.projects.traces.get cloudtrace.projects.traces.list
cloudtrace.projects.traces.batchWrite
cloudresourcemanager.projects.search
container.projects.locations.clusters.get
apphub.projects.locations.applications.list apphub.projects.locations.applications.get
apphub.projects.locations.applications.services.list
apphub.projects.locations.applications.workloads.list
apphub.projects.locations.discoveredServices.list
apphub.projects.locations.discoveredWorkloads.list
cloudasset.searchAllResources cloudasset.assets.list cloudasset.batchGetAssetsHistory
cloudasset.searchAllIamPolicies
observability.projects.locations.buckets.list
observability.projects.locations.buckets.datasets.list
observability.projects.locations.buckets.datasets.links.list
observability.projects.locations.buckets.datasets.links.create
observability.projects.locations.operations.get
"""

EMULATED = {method.id for method in METHODS.values()}


@pytest.mark.parametrize("method", [*TENANT.split(), *CLOUD.split()])
def test_a_call_of_agents_in_the_field_is_emulated(method: str) -> None:
    assert method in EMULATED


def test_policies_are_emulated_in_the_version_that_agents_ask() -> None:
    assert "cloudidentity.policies.list v1beta1" in METHODS
