import pytest

from mockserver.apis.cloudtrace.snapshot import import_snapshot, keep_whole_trace
from mockserver.googleapi import SnapshotImport
from mockserver.model import AnsweredCall, Json
from tests.mockserver.apis.cloudtrace.conftest import QUICK, TRACES, span, trace


def imported(*traces: Json) -> SnapshotImport:
    found = SnapshotImport(raw={"traces": list(traces)})
    import_snapshot(found)
    return found


def test_traces_are_kept_by_project_and_id() -> None:
    assert imported(*TRACES).tables["traces"][f"shop/{QUICK}"] == TRACES[0]


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        ({"traceId": "a"}, "projectId"),
        ({"projectId": "p"}, "traceId"),
        ({**trace("a"), "spans": 3}, "spans"),
        (trace("a", {}), "spans/0"),
        (trace("a", span("1", "x", 1, 1, labels=[])), "spans/0/labels"),
        ({**trace("a"), "spans": ["x"]}, "spans/0"),
        (trace("a", {**span("1", "x", 1, 1), "startTime": "noon"}), "spans/0/startTime"),
        (trace("a", {"spanId": "1", "startTime": "2026-03-02T08:00:00Z"}), "spans/0/endTime"),
    ],
    ids=repr,
)
def test_a_trace_that_cannot_be_is_a_problem(raw: Json, where: str) -> None:
    (problem,) = imported(raw).problems
    assert problem.where == f"/traces/0/{where}"


def test_two_traces_of_one_id_are_a_problem() -> None:
    (problem,) = imported(trace("a"), trace("a")).problems
    assert "is there twice" in problem.message


TRACE = {"projectId": "shop", "traceId": "1", "spans": []}
METHOD = "cloudtrace.projects.traces.list"


def test_only_traces_with_all_spans_are_kept() -> None:
    assert keep_whole_trace(TRACE, AnsweredCall(METHOD, {"view": "COMPLETE"}, {}, {})) == TRACE
    assert keep_whole_trace(TRACE, AnsweredCall(METHOD, {"view": "ROOTSPAN"}, {}, {})) is None
    assert keep_whole_trace(TRACE, AnsweredCall(METHOD, {}, {}, {})) is None
