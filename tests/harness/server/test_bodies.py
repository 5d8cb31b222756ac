import pytest

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
