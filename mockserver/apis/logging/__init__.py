"""Emulates Cloud Logging: entries and their query language, logs, buckets, views and links."""

from mockserver.apis.logging.collections import COLLECTIONS, LOG_ENTRIES, RESOURCES
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="logging",
    documents=(("logging", "v2"),),
    handlers=LazyHandlers(__name__),
    relies=(
        "Rely on: the query language, orders and pages over entries of projects, folders, "
        "organizations and billing accounts, entries that are written and tailed, buckets, "
        "views, sinks, exclusions and metrics as resources. Not there: export by sinks, "
        "values of metrics. Proof: `tests/mockserver/apis/logging`, and the clients over gRPC "
        "in `tests/mockserver/fronts/grpc`."
    ),
    resources=RESOURCES,
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS, "projects"),
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
    redaction=lazy_attribute(__name__, "redaction", "RULES"),
    long=("logging.entries.list",),
    searched={"logging.entries.list": (LOG_ENTRIES,)},
)
