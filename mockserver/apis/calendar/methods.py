"""Methods of Calendar: Discovery id to handler. Lists of events select by `lists`."""

from collections.abc import Mapping

from mockserver.apis.calendar.calendars import HANDLERS as CALENDAR_HANDLERS
from mockserver.apis.calendar.events import HANDLERS as EVENT_HANDLERS
from mockserver.apis.calendar.free_busy import HANDLERS as FREE_BUSY_HANDLERS
from mockserver.googleapi import Handler

HANDLERS: Mapping[str, Handler] = {
    **CALENDAR_HANDLERS,
    **EVENT_HANDLERS,
    **FREE_BUSY_HANDLERS,
}
