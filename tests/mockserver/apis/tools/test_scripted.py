"""Prepared responses, chosen by the call's arguments."""

from typing import Any

import pytest

from mockserver.apis.tools.methods import scripted_answer
from mockserver.googleapi import ApiError

TOOL: dict[str, Any] = {
    "responses": [
        {"when": {"id": "1", "deep": True}, "result": "deep"},
        {"when": {"id": "1"}, "result": {"state": "open"}},
        {"when": {"id": "2"}, "error": {"status": 403, "message": "no", "reason": "forbidden"}},
        {"when": {"id": "3"}, "error": {}},
        {"when": {"id": "4"}},
    ]
}


def refused(tool: dict[str, Any], arguments: dict[str, Any]) -> ApiError:
    with pytest.raises(ApiError) as caught:
        scripted_answer("lookup", tool, arguments)
    return caught.value


@pytest.mark.parametrize(
    ("arguments", "result"),
    [({"id": "1", "deep": True}, "deep"), ({"id": "1"}, {"state": "open"}), ({"id": "4"}, None)],
)
def test_the_first_response_that_fits_answers(arguments: dict[str, Any], result: Any) -> None:
    assert scripted_answer("lookup", TOOL, arguments) == {"result": result}


def test_a_response_without_conditions_fits_everything() -> None:
    assert scripted_answer("x", {"responses": [{"result": 1}]}, {"a": 2}) == {"result": 1}


def test_an_error_is_answered_as_prepared() -> None:
    error = refused(TOOL, {"id": "2"})
    assert (error.status, error.message, error.reason) == (403, "no", "forbidden")
    assert error.miss is None
    assert refused(TOOL, {"id": "3"}).status == 500


def test_a_miss_names_the_nearest_response_and_how_it_differs() -> None:
    error = refused(TOOL, {"id": "9", "deep": True})
    assert error.status == 404
    assert error.miss is not None
    assert error.miss.blame == "fixture_gap"
    assert error.miss.nearest == "tools.lookup.responses[0]"
    assert error.miss.differs == ("id: wanted '1', got '9'",)
    assert "Nearest: responses[0]" in error.message


def test_a_tool_without_responses_is_a_gap_of_the_fixtures() -> None:
    error = refused({}, {})
    assert error.miss is not None
    assert (error.miss.blame, error.miss.nearest) == ("fixture_gap", "")
