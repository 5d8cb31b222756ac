"""Emulates Calendar: calendars and their access, events, series, invitations, free times."""

from mockserver.googleapi import Api, LazyHandlers, SnapshotImport, lazy_attribute

LISTS = lazy_attribute(__name__, "lists", "LISTS")


def _import_snapshot(found: SnapshotImport) -> None:
    """Make the table of a tenant without fixtures: it has calendars, too."""
    given = found.raw.get("resources")
    if not isinstance(given, dict) or "calendar:v3" not in given:
        found.tables["calendar:v3/events"] = {}


API = Api(
    name="calendar",
    documents=(("calendar", "v3"),),
    handlers=LazyHandlers(__name__),
    import_snapshot=_import_snapshot,
    dialect="legacy",
    beside_conventions=True,
)

__all__ = ["API", "LISTS"]
