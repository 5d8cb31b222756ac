import json

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from harness.errors import CaseProblem, HarnessError, InfrastructureError, InvalidCasesError
from harness.server.replies import RefusedError, json_reply, refusal_of
from harness.server.words import SuiteSaid, SuitesSaid

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
    answer = refusal_of(REQUEST, error)
    told = json.loads(bytes(answer.body))["error"]
    assert (answer.status_code, told["status"], told["message"]) == (status, status, said)


def test_models_are_told_by_their_aliases_wherever_they_are() -> None:
    suite = SuiteSaid(id="a", name="a", path="p")
    assert json.loads(bytes(json_reply(SuitesSaid([suite])).body))[0]["path"] == "p"
    assert json.loads(bytes(json_reply({"of": suite}).body))["of"]["name"] == "a"
    with pytest.raises(TypeError):
        json_reply(object())
