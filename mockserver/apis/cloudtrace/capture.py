"""What captured answers of Cloud Trace are in a snapshot."""

from mockserver.model import Answered, Capture, Captures, JsonObject

_IDENTITY = ("projectId", "traceId")


def whole_trace(trace: JsonObject, asked: Answered) -> JsonObject | None:
    """A trace with its spans; one of a view that hides them is left out."""
    return trace if asked.params.get("view") == "COMPLETE" else None


CAPTURES: Captures = {
    "cloudtrace.projects.traces.list": (
        Capture("traces", "traces", _IDENTITY, reshape=whole_trace),
    ),
    "cloudtrace.projects.traces.get": (Capture("traces", "", _IDENTITY),),
}
"""Discovery id to what its answers fill."""
