from mockserver.apis.cloudtrace.capture import keep_whole_trace
from mockserver.model import AnsweredCall

TRACE = {"projectId": "shop", "traceId": "1", "spans": []}
METHOD = "cloudtrace.projects.traces.list"


def test_only_traces_with_all_spans_are_kept() -> None:
    assert keep_whole_trace(TRACE, AnsweredCall(METHOD, {"view": "COMPLETE"}, {}, {})) == TRACE
    assert keep_whole_trace(TRACE, AnsweredCall(METHOD, {"view": "ROOTSPAN"}, {}, {})) is None
    assert keep_whole_trace(TRACE, AnsweredCall(METHOD, {}, {}, {})) is None
