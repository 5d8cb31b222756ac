"""Emulates Cloud Trace: traces of version 1, and writing spans of version 2."""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import

TRACES = "traces"
COLLECTIONS = (
    Collection(
        TRACES,
        "traces, in the form of version 1",
        (("spans", "*", "startTime"), ("spans", "*", "endTime")),
        "cloudtrace:v1#Trace",
    ),
)

API = Api(
    name="cloudtrace",
    documents=(("cloudtrace", "v1"), ("cloudtrace", "v2")),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
)
