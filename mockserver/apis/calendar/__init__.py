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
    relies=(
        "Rely on: series and their exceptions, followed as far as a page needs, windows, "
        "search, sync tokens, instances, moves, `quickAdd`, invitations that stand in the "
        "calendars of attendees and rooms with their answers, free and busy times, rules of "
        "access. Pages go on where they were when events are added between them. Not there: "
        "hidden invitations. Proof: `tests/clients/test_usual_calls.py`, "
        "`tests/clients/test_google_tools.py`, laws in "
        "`tests/mockserver/apis/test_workspace_laws.py` and "
        "`tests/mockserver/apis/calendar/test_list_laws.py`."
    ),
)

__all__ = ["API", "LISTS"]
