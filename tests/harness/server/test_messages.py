import json

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from harness.errors import CaseProblem, HarnessError, InfrastructureError, InvalidCasesError
from harness.server.messages import Call, RefusedError, error_response, json_response
from harness.server.routes import NoQuery
from harness.server.schemas import SuiteResponse, SuitesResponse
from tests.harness.server.conftest import Api


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [
        (b"", 400, "the body is no JSON"),
        (b"{", 400, "the body is no JSON"),
        (b"[]", 422, "not what this route takes"),
        (b'{"queries": [], "more": 1}', 422, "not what this route takes"),
        (b"[" * 5000, 400, "no JSON"),
    ],
    ids=["empty", "cut", "list", "unknown key", "deep"],
)
def test_a_body_that_makes_no_sense_is_refused(
    idle: Api, content: bytes, status: int, said: str
) -> None:
    refused = idle.post(
        "/api/eval/rag", content=content, headers={"content-type": "application/json"}
    )
    assert refused.status_code == status
    assert said in refused.json()["error"]["message"]


def test_every_problem_is_told_with_its_place_and_without_its_value(idle: Api) -> None:
    order = {"agent": "", "trials": 0, "token": 5, "surprise": "s3cret"}
    refused = idle.post("/api/eval/suites/office/run", json=order)
    places = {each["where"] for each in refused.json()["error"]["problems"]}
    assert places == {"/agent", "/trials", "/token", "/surprise"}
    assert "s3cret" not in refused.text


REQUEST = Request({"type": "http"})


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (RefusedError(409, "taken", hint="another"), 409, "taken"),
        (InvalidCasesError([CaseProblem("a.json", "cut")]), 422, "the suite is invalid (1)"),
        (InfrastructureError("down"), 503, "down"),
        (HarnessError("wrong"), 400, "wrong"),
        (HTTPException(405), 405, "Method Not Allowed"),
        (ValueError("s3cret"), 500, "the server failed; its log says more"),
    ],
    ids=["refused", "invalid", "down", "mistake", "routing", "ours"],
)
def test_errors_are_json(error: Exception, status: int, said: str) -> None:
    answer = error_response(REQUEST, error)
    told = json.loads(bytes(answer.body))["error"]
    assert (answer.status_code, told["status"], told["message"]) == (status, status, said)


def test_models_are_told_by_their_aliases_wherever_they_are() -> None:
    suite = SuiteResponse(id="a", name="a", path="p")
    assert json.loads(bytes(json_response(SuitesResponse([suite])).body))[0]["path"] == "p"
    assert json.loads(bytes(json_response({"of": suite}).body))["of"]["name"] == "a"
    with pytest.raises(TypeError):
        json_response(object())


def test_a_call_without_a_body_has_none() -> None:
    call: Call[None] = Call(Request({"type": "http"}), {"id": "1"}, NoQuery(), None)
    assert (call.path["id"], call.body) == ("1", None)
