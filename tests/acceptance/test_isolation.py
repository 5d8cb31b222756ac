"""Two trials on one server: neither sees the other, in no order of their requests."""

from typing import Any

import httpx
import pytest

from mockserver.model import SessionInfo
from tests.acceptance.conftest import Mock, refusal

MINE = {"customerId": "my_customer"}
UNITS = "/admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
TOOLS = "/tools/listOrgUnits"


def names(units: Any) -> set[str]:
    answer = units.list(**MINE).execute()
    return {unit["name"] for unit in answer["organizationUnits"]}


def test_writes_interleave_and_are_seen_only_by_their_own_session(mock: Mock) -> None:
    sessions = [mock.open(seed=1), mock.open(seed=1)]
    one, other = (mock.google(session, "admin", "directory_v1").orgunits() for session in sessions)
    untouched = names(one)
    for number in range(3):
        made = one.insert(**MINE, body={"name": f"One {number}", "parentOrgUnitPath": "/"})
        twin = other.insert(**MINE, body={"name": f"Other {number}", "parentOrgUnitPath": "/"})
        assert made.execute()["orgUnitId"] == twin.execute()["orgUnitId"]
        assert refusal(other.get(**MINE, orgUnitPath=f"One {number}")).status_code == 404
    one.delete(**MINE, orgUnitPath="One 1").execute()
    other.patch(**MINE, orgUnitPath="Sales", body={"name": "Revenue"}).execute()

    assert names(one) == untouched | {"One 0", "One 2"}
    assert names(other) == (untouched | {"Other 0", "Other 1", "Other 2", "Revenue"}) - {"Sales"}
    mine, theirs = (mock.close(session) for session in sessions)
    assert {row["name"] for row in mine.diff["orgUnits"]["added"].values()} == {
        "One 0", "One 2"
    }  # fmt: skip
    assert {entry.session for entry in mine.journal.entries} == {mine.id}
    assert theirs.journal.entries[0].seq == 1


def test_a_closed_session_answers_410_whoever_asks(mock: Mock) -> None:
    session, living = mock.open(), mock.open()
    client = mock.http(session)
    assert client.get(UNITS).status_code == 200
    mock.close(session)
    late = client.get(UNITS)
    error = late.json()["error"]
    assert (late.status_code, error["errors"][0]["reason"]) == (410, "sessionClosed")
    assert client.post(TOOLS, json={}).status_code == 410
    by_header = mock.http(living)
    assert by_header.get(f"{mock.url}{UNITS}", headers={"X-Mock-Session": session.id}).is_error
    url = f"{mock.url}/_mock/sessions/{session.id}/journal"
    journal = httpx.get(url, headers=mock.control, trust_env=False).json()
    assert [entry["after_close"] for entry in journal["entries"]] == [True, True, True]


@pytest.mark.parametrize("path", [UNITS, TOOLS], ids=["api", "tool"])
def test_the_token_of_another_session_is_refused(mock: Mock, path: str) -> None:
    mine, other = mock.open(), mock.open()
    verb = "POST" if path == TOOLS else "GET"
    url = f"{mine.base_url}{path}"
    found = mock.http(other).request(verb, url)
    error = found.json()["error"]
    assert found.status_code == 400
    assert error["message"].startswith("The request names different sessions")
    assert mock.http(mine).request(verb, url).status_code == 200


def carriers(mock: Mock, session: SessionInfo) -> dict[str, httpx.Response]:
    bearer = {"Authorization": f"Bearer {session.token}"}
    with httpx.Client(trust_env=False) as client:
        return {
            "path": client.get(f"{session.base_url}{UNITS}"),
            "header": client.get(f"{mock.url}{UNITS}", headers={"X-Mock-Session": session.id}),
            "token": client.get(f"{mock.url}{UNITS}", headers=bearer),
            "query": client.get(f"{mock.url}{UNITS}", params={"access_token": session.token}),
            "host": client.get(
                f"{session.base_url}{UNITS.replace('/admin.googleapis.com', '')}",
                headers={"Host": "admin.googleapis.com"},
            ),
            "unique path": client.get(
                f"{session.base_url}{UNITS.replace('/admin.googleapis.com', '')}"
            ),
        }


def test_every_way_to_name_a_session_leads_to_the_same_world(mock: Mock) -> None:
    session = mock.open(clock="frozen")
    mock.http(session).post(UNITS, json={"name": "Mine", "parentOrgUnitPath": "/"})
    answers = carriers(mock, session)
    assert {answer.status_code for answer in answers.values()} == {200}
    assert len({answer.content for answer in answers.values()}) == 1
    assert b'"Mine"' in answers["path"].content
    assert len(mock.close(session).journal.entries) == 1 + len(answers)


def test_sessions_of_one_spec_and_a_frozen_clock_answer_alike_to_the_byte(mock: Mock) -> None:
    spec = {"case": "EC-012", "clock": "frozen", "seed": 7}
    reports = "/admin.googleapis.com/admin/reports/v1/activity/users/all/applications/chrome"
    asked: list[tuple[str, str, Any]] = [
        ("GET", UNITS, None),
        ("POST", UNITS, {"name": "New", "parentOrgUnitPath": "/"}),
        ("GET", reports, None),
        ("POST", "/tools/createDLPRule",
         {"displayName": "x", "triggers": ["PRINT"], "action": "WARN"}),
        ("GET", "/cloudidentity.googleapis.com/v1/policies", None),
        ("GET", "/admin.googleapis.com/nope", None),
        ("GET", f"{UNITS}/Nope", None),
    ]  # fmt: skip
    sessions = [mock.open(**spec), mock.open(**spec)]
    found = [
        [mock.http(session).request(verb, path, json=body) for verb, path, body in asked]
        for session in sessions
    ]
    for one, other in zip(*found, strict=True):
        assert one.status_code == other.status_code
        own = session_free(one, sessions[0])
        assert own == session_free(other, sessions[1])


def session_free(answer: httpx.Response, session: SessionInfo) -> tuple[bytes, list[Any]]:
    headers = [item for item in answer.headers.raw if item[0].lower() != b"date"]
    return answer.content.replace(session.id.encode(), b"<id>"), headers
