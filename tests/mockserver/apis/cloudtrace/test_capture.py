from mockserver.apis.cloudtrace.capture import whole_trace
from mockserver.model import Answered

TRACE = {"projectId": "shop", "traceId": "1", "spans": []}
METHOD = "cloudtrace.projects.traces.list"


def test_only_traces_with_all_spans_are_kept() -> None:
    assert whole_trace(TRACE, Answered(METHOD, {"view": "COMPLETE"}, {}, {})) == TRACE
    assert whole_trace(TRACE, Answered(METHOD, {"view": "ROOTSPAN"}, {}, {})) is None
    assert whole_trace(TRACE, Answered(METHOD, {}, {}, {})) is None
