"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

TRACES = "traces"

COLLECTIONS = (
    Collection(
        TRACES,
        "traces, in the form of version 1",
        (("spans", "*", "startTime"), ("spans", "*", "endTime")),
        "cloudtrace:v1#Trace",
    ),
)
