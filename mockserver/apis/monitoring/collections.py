"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

SERIES = "timeSeries"

DESCRIPTORS = "metricDescriptors"

RESOURCE_DESCRIPTORS = "monitoredResourceDescriptors"

ALERTS = "alerts"

POLICIES = "alertPolicies"

SERVICES = "monitoredServices"

OBJECTIVES = "serviceLevelObjectives"

DASHBOARDS = "dashboards"

CHANNELS = "notificationChannels"

CHANNEL_KINDS = "notificationChannelDescriptors"

GROUPS = "monitoringGroups"

UPTIME_CHECKS = "uptimeCheckConfigs"

SNOOZES = "snoozes"

_API = "monitoring:v3"

_RECORDS = (("creationRecord", "mutateTime"), ("mutationRecord", "mutateTime"))

COLLECTIONS = (
    Collection(
        SERIES,
        "time series of metrics",
        (("points", "*", "interval", "startTime"), ("points", "*", "interval", "endTime")),
    ),
    Collection(DESCRIPTORS, "metric descriptors", resource=f"{_API}#MetricDescriptor"),
    Collection(
        RESOURCE_DESCRIPTORS,
        "monitored resource descriptors",
        resource=f"{_API}#MonitoredResourceDescriptor",
    ),
    Collection(POLICIES, "alerting policies", _RECORDS, f"{_API}#AlertPolicy"),
    Collection(ALERTS, "alerts (incidents)", (("openTime",), ("closeTime",)), f"{_API}#Alert"),
    Collection(SERVICES, "services that are watched by objectives", resource=f"{_API}#Service"),
    Collection(OBJECTIVES, "service level objectives", resource=f"{_API}#ServiceLevelObjective"),
    Collection(DASHBOARDS, "dashboards", resource="monitoring:v1#Dashboard"),
    Collection(
        CHANNELS,
        "notification channels",
        (_RECORDS[0], ("mutationRecords", "*", "mutateTime")),
        f"{_API}#NotificationChannel",
    ),
    Collection(
        CHANNEL_KINDS,
        "kinds of notification channels",
        resource=f"{_API}#NotificationChannelDescriptor",
    ),
    Collection(GROUPS, "groups of monitored resources", resource=f"{_API}#Group"),
    Collection(UPTIME_CHECKS, "uptime checks", resource=f"{_API}#UptimeCheckConfig"),
    Collection(
        SNOOZES, "snoozes", (("interval", "startTime"), ("interval", "endTime")), f"{_API}#Snooze"
    ),
)
