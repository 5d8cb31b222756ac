"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

LOG_ENTRIES = "logEntries"

LOG_BUCKETS = "logBuckets"

LOG_VIEWS = "logViews"

LOG_LINKS = "logLinks"

_MADE = (("createTime",), ("updateTime",))

COLLECTIONS = (
    Collection(
        LOG_ENTRIES,
        "log entries",
        (
            ("timestamp",),
            ("receiveTimestamp",),
            ("protoPayload", "requestMetadata", "requestAttributes", "time"),
        ),
        "logging:v2#LogEntry",
    ),
    Collection(LOG_BUCKETS, "log buckets", _MADE, "logging:v2#LogBucket"),
    Collection(LOG_VIEWS, "views of log buckets", _MADE, "logging:v2#LogView"),
    Collection(
        LOG_LINKS, "links from log buckets to datasets", (("createTime",),), "logging:v2#Link"
    ),
)
