"""Meetings: spaces by name and code, and the conferences in them."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from tests.mockserver.apis.workspace import ANN, BO, Workspace

HOUR = {"start": {"dateTime": "2026-03-02T10:00:00Z"}, "end": {"dateTime": "2026-03-02T11:00:00Z"}}


def ask(space: Workspace, method: str, body: Any = None, **params: Any) -> Any:
    return space.ask("meet:v2", f"meet.{method}", body, **params)


def test_a_space_has_a_code_and_members() -> None:
    space = Workspace("meet")
    made = ask(space, "spaces.create", {"config": {"accessType": "OPEN"}})
    code, name = made["meetingCode"], made["name"]
    assert made["config"] == {"accessType": "OPEN", "entryPointAccess": "ALL", "moderation": "OFF"}
    assert ask(space, "spaces.get", name=f"spaces/{code}") == made
    body = {"config": {"moderation": "ON"}}
    changed = ask(
        space, "spaces.patch", body, name=f"spaces/{code}", updateMask="config.moderation"
    )
    assert changed["config"] == {**made["config"], "moderation": "ON"}
    member = ask(space, "spaces.members.create", {"email": BO, "role": "COHOST"}, parent=name)
    assert ask(space, "spaces.members.list", parent=f"spaces/{code}")["members"] == [member]
    refused: tuple[tuple[int, str, Any, Any], ...] = (
        (404, "spaces.get", None, {"name": "spaces/none"}),
        (400, "spaces.endActiveConference", None, {"name": name}),
        (409, "spaces.members.create", {"email": BO}, {"parent": name}),
        (400, "spaces.members.create", {}, {"parent": name}),
    )
    for status, method, asked, params in refused:
        with pytest.raises(ApiError) as caught:
            ask(space, method, asked, **params)
        assert caught.value.status == status


def test_conferences_are_found_by_space_code_and_end() -> None:
    code = "abc-mnop-xyz"
    record = {
        "name": "conferenceRecords/r",
        "space": "spaces/s",
        "startTime": "2026-03-02T08:00:00Z",
    }
    old = {**record, "name": "conferenceRecords/o", "endTime": "2026-03-02T08:30:00Z"}
    active = {"activeConference": {"conferenceRecord": record["name"]}}
    held = {"spaces": [{"name": "spaces/s", "meetingCode": code, **active}],
            "conferenceRecords": [record, old]}  # fmt: skip
    space = Workspace("meet", **{"meet:v2": held})

    def found(text: str) -> set[str]:
        answer = ask(space, "conferenceRecords.list", filter=text)
        return {each["name"][-1] for each in answer.get("conferenceRecords", ())}

    assert found('space.name = "spaces/s"') == {"r", "o"}
    assert found(f'space.meeting_code = "{code}" AND end_time IS NULL') == {"r"}
    assert found('start_time>="2026-03-02T07:00:00Z" AND end_time IS NOT NULL') == {"o"}
    assert found('space.name = "spaces/none"') == set()
    ask(space, "spaces.endActiveConference", name=f"spaces/{code}")
    assert found("end_time IS NULL") == set()
    assert "activeConference" not in ask(space, "spaces.get", name="spaces/s")


def test_the_conference_of_an_event_is_a_space_of_meet() -> None:
    data = {"conferenceData": {"conferenceId": "old-code-abc"}}
    given = {"id": "e", "calendarId": ANN, **HOUR, **data}
    space = Workspace("meet", "calendar", **{"calendar:v3": {"events": [given]}})
    asked = {"conferenceData": {"createRequest": {"requestId": "r"}}, **HOUR}
    made = space.ask("calendar:v3", "calendar.events.insert", asked, calendarId="primary",
                     conferenceDataVersion=1)  # fmt: skip
    code = made["conferenceData"]["conferenceId"]
    assert ask(space, "spaces.get", name=f"spaces/{code}")["meetingUri"] == made["hangoutLink"]
    told = ask(space, "spaces.get", name="spaces/old-code-abc")
    assert told["meetingCode"] == "old-code-abc"
    assert ask(space, "spaces.get", name=told["name"]) == told
