"""Methods of Error Reporting: Discovery id to handler; projects and their locations alike."""

from collections.abc import Mapping

from mockserver.apis.errorreporting.reading import get_group, list_events, list_group_stats
from mockserver.apis.errorreporting.writing import delete_all_events, report_event, update_group
from mockserver.googleapi import Handler

_METHODS: Mapping[str, Handler] = {
    "deleteEvents": delete_all_events,
    "events.list": list_events,
    "groupStats.list": list_group_stats,
    "groups.get": get_group,
    "groups.update": update_group,
}

HANDLERS: Mapping[str, Handler] = {
    "clouderrorreporting.projects.events.report": report_event,
    **{f"clouderrorreporting.projects.{name}": each for name, each in _METHODS.items()},
    **{f"clouderrorreporting.projects.locations.{name}": each for name, each in _METHODS.items()},
}
