"""Emulates Error Reporting: events, their groups and figures."""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import

ERROR_EVENTS = "errorEvents"
ERROR_GROUPS = "errorGroups"
COLLECTIONS = (
    Collection(ERROR_EVENTS, "error events", (("event", "eventTime"),)),
    Collection(ERROR_GROUPS, "what was said of groups of errors"),
)

API = Api(
    name="errorreporting",
    documents=(("clouderrorreporting", "v1beta1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
)
