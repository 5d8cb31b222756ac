"""Emulates Calendar: calendars and their access, events, series, invitations, free times."""

from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

LISTS = lazy_attribute(__name__, "lists", "LISTS")


API = Api(
    name="calendar",
    documents=(("calendar", "v3"),),
    handlers=LazyHandlers(__name__),
    complete_rows=lazy_import(__name__, (), "resources", name="complete_rows"),
    dialect="legacy",
    beside_conventions=True,
)

__all__ = ["API", "LISTS"]
