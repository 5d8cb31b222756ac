"""What captured answers of Cloud Monitoring are in a snapshot."""

from mockserver.model import AnsweredCall, Capture, Captures, JsonObject

_SERIES = ("metric", "resource", "metricKind", "valueType")
_PROJECT = "monitoring.projects"


def keep_stored_series(series: JsonObject, call: AnsweredCall) -> JsonObject | None:
    """A time series as it was written; one that was computed by the call is left out."""
    computed = any(
        name.startswith(("aggregation.", "secondaryAggregation."))
        and str(value) not in {"", "ALIGN_NONE", "REDUCE_NONE"}
        for name, value in call.params.items()
    )
    without_points = call.params.get("view") == "HEADERS"
    return None if computed or without_points else series


CAPTURES: Captures = {
    f"{_PROJECT}.timeSeries.list": (
        Capture(
            "timeSeries", "timeSeries", _SERIES, joined=("points",), reshape=keep_stored_series
        ),
    ),
    f"{_PROJECT}.metricDescriptors.list": (Capture("metricDescriptors", "metricDescriptors"),),
    f"{_PROJECT}.monitoredResourceDescriptors.list": (
        Capture("monitoredResourceDescriptors", "resourceDescriptors"),
    ),
    f"{_PROJECT}.alertPolicies.list": (Capture("alertPolicies", "alertPolicies"),),
    f"{_PROJECT}.alerts.list": (Capture("alerts", "alerts"),),
    f"{_PROJECT}.notificationChannels.list": (
        Capture("notificationChannels", "notificationChannels"),
    ),
    f"{_PROJECT}.notificationChannelDescriptors.list": (
        Capture("notificationChannelDescriptors", "channelDescriptors"),
    ),
    f"{_PROJECT}.groups.list": (Capture("monitoringGroups", "group"),),
    f"{_PROJECT}.uptimeCheckConfigs.list": (Capture("uptimeCheckConfigs", "uptimeCheckConfigs"),),
    f"{_PROJECT}.snoozes.list": (Capture("snoozes", "snoozes"),),
    f"{_PROJECT}.dashboards.list": (Capture("dashboards", "dashboards"),),
    f"{_PROJECT}.dashboards.get": (Capture("dashboards"),),
    "monitoring.services.list": (Capture("monitoredServices", "services"),),
    "monitoring.services.serviceLevelObjectives.list": (
        Capture("serviceLevelObjectives", "serviceLevelObjectives"),
    ),
}
"""Discovery id to what its answers fill."""
