"""Packages that have the messages of services."""

import pytest

from mockserver.fronts.grpc.methods import package_of


@pytest.mark.parametrize(
    ("service", "package"),
    [
        ("google.pubsub.v1.Publisher", "google-cloud-pubsub"),
        ("google.firestore.v1.Firestore", "google-cloud-firestore"),
        ("google.firestore.admin.v1.FirestoreAdmin", "google-cloud-firestore"),
        ("google.cloud.secretmanager.v1.SecretManagerService", "google-cloud-secret-manager"),
        ("google.cloud.bigquery.storage.v1.BigQueryRead", "google-cloud-bigquery-storage"),
        ("google.cloud.tasks.v2.CloudTasks", "google-cloud-tasks"),
        ("google.storage.v2.Storage", "google-cloud-storage"),
        ("google.storage.control.v2.StorageControl", "google-cloud-storage-control"),
        ("google.monitoring.v3.MetricService", "google-cloud-monitoring"),
        ("google.monitoring.dashboard.v1.DashboardsService", "google-cloud-monitoring-dashboards"),
        ("google.nothing.v1.Known", ""),
        ("example.v1.Unheard", ""),
        ("", ""),
    ],
)
def test_the_package_of_a_service_is_named(service: str, package: str) -> None:
    assert package_of(service) == package
