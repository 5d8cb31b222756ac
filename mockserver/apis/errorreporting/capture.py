"""What captured answers of Error Reporting are in a snapshot."""

from mockserver.model import AnsweredCall, Capture, Captures, JsonObject

_ROOT = "clouderrorreporting.projects"
_PLACES = ("", "locations.")


def event_with_place(event: JsonObject, call: AnsweredCall) -> JsonObject | None:
    """An event with the project and group of its call; None without a group."""
    group = str(call.params.get("groupId") or "")
    parts = str(call.params.get("projectName", "")).split("/")
    if not group or len(parts) < 2:
        return None
    return {"projectId": parts[1], "groupId": group, **event}


def group_of_stats(stats: JsonObject, _: AnsweredCall) -> JsonObject | None:
    """The group that figures are of."""
    group = stats.get("group")
    return group if isinstance(group, dict) else None


CAPTURES: Captures = {
    **{
        f"{_ROOT}.{place}events.list": (
            Capture("errorEvents", "errorEvents", (), reshape=event_with_place),
        )
        for place in _PLACES
    },
    **{
        f"{_ROOT}.{place}groupStats.list": (
            Capture("errorGroups", "errorGroupStats", reshape=group_of_stats),
        )
        for place in _PLACES
    },
    **{f"{_ROOT}.{place}groups.get": (Capture("errorGroups"),) for place in _PLACES},
}
"""Discovery id to what its answers fill."""
