"""Meetings: spaces by name and code, and the conferences in them."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from tests.mockserver.apis.scenarios import Scenario, check
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


def scenario() -> Scenario:
    records = [
        {"name": "conferenceRecords/r1", "space": "spaces/s1", "startTime": "2026-03-02T08:00:00Z"},
        {"name": "conferenceRecords/r2", "space": "spaces/s2", "startTime": "2026-03-01T08:00:00Z",
         "endTime": "2026-03-01T09:00:00Z"},
    ]  # fmt: skip
    people = [
        {"name": "conferenceRecords/r1/participants/1", "latestEndTime": "2026-03-02T08:10:00Z"},
        {"name": "conferenceRecords/r1/participants/2"},
    ]
    spaces = [
        {"name": "spaces/s1", "meetingCode": "abc-defg-hij",
         "activeConference": {"conferenceRecord": "conferenceRecords/r1"}},
        {"name": "spaces/s2", "activeConference": {"conferenceRecord": "conferenceRecords/none"}},
        {"name": "spaces/s3", "meetingCode": "xyz-defg-hij", "activeConference": {}},
    ]  # fmt: skip
    event = {"id": "e1", "conferenceData": {"conferenceId": "KLM-nopq-rst"}, **HOUR}
    held = {"spaces": spaces, "conferenceRecords": records, "participants": people}
    space = Workspace("meet", "calendar", **{"meet:v2": held, "calendar:v3": {"events": [event]}})

    def asked(method: str, body: Any, who: str, /, **params: Any) -> Any:
        return space.ask("meet:v2", f"meet.{method}", body, who, **params)

    body: Any
    made: Any = {}
    call = Scenario(asked)
    for body in ({}, {"config": {"accessType": "OPEN"}}, None):
        made = call("spaces.create", body)
    [of_event] = (call("spaces.get", name=f"spaces/{code}")["name"] for code in ["klm-nopq-rst"])
    names = ("s1", "abc-defg-hij", "ABC-DEFG-HIJ", "xyz-defg-hij", made["meetingCode"], "none", "")
    for name in (*(f"spaces/{each}" for each in names), of_event):
        call("spaces.get", name=name)
        call("spaces.members.list", parent=name)
        call("spaces.patch", {"config": {"accessType": "OPEN"}}, name=name, updateMask="config")
    call("spaces.patch", {"meetingCode": "x"}, name="spaces/s1")
    for name in (of_event, "spaces/s1"):
        for body in ({"email": BO.upper()}, {"email": BO, "role": "COHOST"}, {"email": "x"}, {}):
            member = call("spaces.members.create", body, parent=name)
    for name in ("spaces/abc-defg-hij", "spaces/s1"):
        [member] = call("spaces.members.list", parent=name)["members"]
        for verb in ("get", "patch", "delete", "delete"):
            ident = f"{name}/members/{member['name'].rpartition('/')[2]}"
            body = {"role": "COHOST"} if verb == "patch" else None
            call(f"spaces.members.{verb}", body, name=ident)
        call("spaces.members.create", {"email": BO}, parent=name)
    for text in (
        "", 'space.name = "spaces/s1"', "space.meeting_code = abc-defg-hij", "end_time IS NULL",
        "end_time IS NOT NULL", 'space.meeting_code = "none"', 'space.name="spaces/xyz-defg-hij"',
        'start_time > "2026-03-01T12:00:00Z" AND end_time is null', "colour = red", "(",
    ):  # fmt: skip
        call("conferenceRecords.list", filter=text)
    for text in ("latest_end_time IS NULL", "latest_end_time IS NOT NULL", ""):
        call("conferenceRecords.participants.list", parent="conferenceRecords/r1", filter=text)
    for name in ("abc-defg-hij", "s1", "s2", "s2", "s3", "none"):
        call("spaces.endActiveConference", {}, name=f"spaces/{name}")
    for name in ("conferenceRecords/r1", "conferenceRecords/r2", "conferenceRecords/none"):
        call("conferenceRecords.get", name=name)
    return call


def test_every_answer_is_told_in_whole() -> None:
    check(__file__, scenario())
