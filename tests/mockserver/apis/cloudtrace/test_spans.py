import pytest

from mockserver.apis.cloudtrace.methods import version1
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject

SPAN: JsonObject = {
    "spanId": "00000000000000ff",
    "parentSpanId": "10",
    "displayName": {"value": "Get"},
    "startTime": "2026-03-02T08:00:00Z",
    "endTime": "2026-03-02T08:00:01Z",
    "spanKind": "SERVER",
    "status": {"code": 4, "message": "late"},
    "attributes": {
        "attributeMap": {
            "text": {"stringValue": {"value": "x"}},
            "count": {"intValue": "7"},
            "yes": {"boolValue": True},
            "no": {"boolValue": False},
        }
    },
}


def test_a_span_of_version_2_becomes_one_of_version_1() -> None:
    assert version1(SPAN) == {
        "spanId": "255",
        "parentSpanId": "16",
        "name": "Get",
        "kind": "RPC_SERVER",
        "startTime": "2026-03-02T08:00:00Z",
        "endTime": "2026-03-02T08:00:01Z",
        "labels": {
            "text": "x",
            "count": "7",
            "yes": "true",
            "no": "false",
            "/error/message": "late",
        },
    }


def test_what_a_span_does_not_say_is_left_out() -> None:
    assert version1({"spanId": "1", "spanKind": "INTERNAL"}) == {"spanId": "1", "name": ""}
    assert version1({"spanId": "1", "status": {"code": 2}})["labels"] == {"/error/message": "2"}


@pytest.mark.parametrize("ident", ["", "0", "xyz", "f" * 17, "-1"], ids=repr)
def test_a_span_id_is_hexadecimal_and_not_zero(ident: str) -> None:
    with pytest.raises(ApiError, match="Invalid span id"):
        version1({"spanId": ident})
