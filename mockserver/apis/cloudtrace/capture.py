"""What captured answers of Cloud Trace are in a snapshot."""

from mockserver.model import AnsweredCall, Capture, Captures, JsonObject

_IDENTITY = ("projectId", "traceId")


def keep_whole_trace(trace: JsonObject, call: AnsweredCall) -> JsonObject | None:
    """A trace with its spans; one of a view that hides them is left out."""
    return trace if call.params.get("view") == "COMPLETE" else None


CAPTURES: Captures = {
    "cloudtrace.projects.traces.list": (
        Capture("traces", "traces", _IDENTITY, reshape=keep_whole_trace),
    ),
    "cloudtrace.projects.traces.get": (Capture("traces", "", _IDENTITY),),
}
"""Discovery id to what its answers fill."""
