"""google-cloud-monitoring over gRPC: series, descriptors, alerts, objectives and dashboards.

Asks for the channels once more for each refusal that the argument expects, and tells them.
"""

import json
import sys
import time
from typing import Any

import google.auth
from google.api_core.exceptions import GoogleAPICallError
from google.cloud import monitoring_dashboard_v1, monitoring_v3

PLAIN: dict[str, Any] = {"retry": None, "timeout": 120}


def main() -> None:
    credentials, project = google.auth.default()
    name = f"projects/{project}"
    metrics = monitoring_v3.MetricServiceClient(credentials=credentials)
    alerting = monitoring_v3.AlertPolicyServiceClient(credentials=credentials)
    facts: dict[str, Any] = series(metrics, name)
    request = {"name": name, "filter": 'metric.type = starts_with("run.googleapis.com/")'}
    facts["descriptors"] = bool(list(metrics.list_metric_descriptors(request, **PLAIN)))
    facts["policies"] = bool(list(alerting.list_alert_policies(name=name, **PLAIN)))
    facts["objectives"] = objectives(credentials, name)
    facts["dashboard"] = dashboard(credentials, name)
    channels = monitoring_v3.NotificationChannelServiceClient(credentials=credentials)
    facts["refusals"] = refusals(channels, name, int(sys.argv[1]))
    json.dump(facts, sys.stdout)


def series(client: monitoring_v3.MetricServiceClient, name: str) -> dict[str, Any]:
    now = int(time.time())
    request = {
        "name": name,
        "filter": 'metric.type = "run.googleapis.com/request_count"',
        "interval": {"start_time": {"seconds": now - 7200}, "end_time": {"seconds": now}},
        "view": monitoring_v3.ListTimeSeriesRequest.TimeSeriesView.FULL,
    }
    found = list(client.list_time_series(request, **PLAIN))
    times = [point.interval.end_time for point in found[0].points]
    return {"series": len(found), "newest first": times == sorted(times, reverse=True)}


def objectives(credentials: Any, name: str) -> bool:
    client = monitoring_v3.ServiceMonitoringServiceClient(credentials=credentials)
    services = client.list_services(parent=name, **PLAIN)
    return any(
        objective.goal > 0
        for service in services
        for objective in client.list_service_level_objectives(parent=service.name, **PLAIN)
    )


def dashboard(credentials: Any, name: str) -> list[Any]:
    client = monitoring_dashboard_v1.DashboardsServiceClient(credentials=credentials)
    wanted = {"display_name": "Made by hand", "grid_layout": {"columns": 2}}
    made = client.create_dashboard({"parent": name, "dashboard": wanted}, **PLAIN)
    listed = [each.name for each in client.list_dashboards({"parent": name}, **PLAIN)]
    read = client.get_dashboard({"name": made.name}, **PLAIN)
    client.delete_dashboard({"name": made.name}, **PLAIN)
    try:
        client.get_dashboard({"name": made.name}, **PLAIN)
    except GoogleAPICallError as error:
        return [read.display_name, made.name in listed, type(error).__name__]
    return []


def refusals(client: Any, name: str, times: int) -> list[list[Any]]:
    told = []
    for _ in range(times):
        try:
            list(client.list_notification_channels(name=name, **PLAIN))
        except GoogleAPICallError as error:
            told.append([type(error).__name__, error.code])
    return told


if __name__ == "__main__":
    main()
