"""Notes of several users."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from tests.mockserver.apis.scenarios import Scenario, check
from tests.mockserver.apis.workspace import ANN, BO, CY, Workspace

GROUP = "sre@example.com"


def test_a_note_is_its_owners_until_it_is_shared() -> None:
    space = Workspace("keep")

    def keep(method: str, body: Any = None, who: str = ANN, **params: Any) -> Any:
        return space.ask("keep:v1", f"keep.notes.{method}", body, who, **params)

    def refused(status: int, *args: Any, **params: Any) -> None:
        with pytest.raises(ApiError) as caught:
            keep(*args, **params)
        assert caught.value.status == status

    made = keep("create", {"title": "Milk", "body": {"text": {"text": "two"}}})
    name = made["name"]
    assert [each["role"] for each in made["permissions"]] == ["OWNER"]
    refused(400, "create", {})
    assert keep("list", who=BO) == {}
    refused(404, "get", who=BO, name=name)
    asked = [
        {"parent": name, "permission": {"email": each, "role": "WRITER"}} for each in (BO, GROUP)
    ]
    shared = keep("permissions.batchCreate", {"requests": asked}, parent=name)["permissions"]
    assert [("user" in each, "group" in each) for each in shared] == [(True, False), (False, True)]
    for who in (ANN, BO, CY):  # Cy is in the group
        assert [each["name"] for each in keep("list", who=who)["notes"]] == [name]
    assert keep("list", filter="trashed = true") == {}
    refused(403, "delete", who=BO, name=name)
    for body in (
        {"permission": {"email": CY, "role": "OWNER"}},
        {"permission": {"role": "WRITER"}},
        {"parent": "notes/x", "permission": {"email": CY, "role": "WRITER"}},
    ):
        refused(400, "permissions.batchCreate", {"requests": [body]}, parent=name)
    owner = made["permissions"][0]["name"]
    refused(400, "permissions.batchDelete", {"names": [owner]}, parent=name)
    refused(404, "permissions.batchDelete", {"names": [f"{name}/permissions/x"]}, parent=name)
    keep("permissions.batchDelete", {"names": [shared[0]["name"]]}, parent=name)
    refused(404, "get", who=BO, name=name)
    keep("delete", name=name)
    refused(404, "get", name=name)


def test_notes_of_a_snapshot_without_permissions_are_seen_by_all() -> None:
    note = {"name": "notes/n", "title": "Rota"}
    space = Workspace(
        "keep", **{"keep:v1": {"notes": [note, {"name": "notes/o", "trashed": True}]}}
    )
    assert space.ask("keep:v1", "keep.notes.list", who=BO)["notes"] == [note]


def scenario() -> Scenario:
    notes = [
        {"name": "notes/n", "title": "Rota"},
        {"name": "notes/o", "trashed": True, "title": "Old"},
        {"name": "notes/p", "permissions": [
            {"name": "notes/p/permissions/0", "role": "OWNER", "user": {"email": ANN.upper()}},
            {"name": "notes/p/permissions/01grp000000", "role": "WRITER",
            "group": {"email": GROUP}},
            {"name": "notes/p/permissions/1", "role": "WRITER", "email": BO, "deleted": True},
        ]},
    ]  # fmt: skip
    space = Workspace("keep", **{"keep:v1": {"notes": notes}})

    def ask(method: str, body: Any, who: str, /, **params: Any) -> Any:
        return space.ask("keep:v1", f"keep.notes.{method}", body, who, **params)

    body: Any
    made: Any = {}
    call = Scenario(ask)
    for body in (
        {"title": "Milk", "body": {"text": {"text": "two"}}}, {"body": {"list": {"listItems": []}}},
        {"title": "", "body": {}}, {"title": "Mine", "trashed": True, "permissions": []},
    ):  # fmt: skip
        made = call("create", body)
    for who in (ANN, BO, CY):
        for text in ("", " ", "trashed = true", "-trashed", "create_time > 2026-01-01T00:00:00Z"):
            call("list", who=who, filter=text)
        call("list", who=who, pageSize=1)
        for name in ("notes/n", "notes/o", "notes/p", made["name"], "notes/none"):
            call("get", who=who, name=name)
    email, person, group = {"email": BO}, {"user": {"email": BO}}, {"group": {"email": GROUP}}
    writer = {"role": "WRITER"}
    for name, who, given in (
        (made["name"], ANN, [{**email, **writer}]), (made["name"], BO, [{**group, **writer}]),
        (made["name"], ANN, [{**person, **writer}, {**group, **writer}]),
        (made["name"], CY, [{**email, **writer}]), (made["name"], ANN, []), ("notes/p", BO, []),
        (made["name"], ANN, [{"email": "x@example.net", **writer}, {**email, "role": "OWNER"}]),
        (made["name"], ANN, [writer]), ("notes/none", ANN, []), ("notes/n", CY, [email | writer]),
        ("notes/p", CY, [email | writer]),
    ):  # fmt: skip
        asked = [{"parent": name, "permission": each} for each in given]
        call("permissions.batchCreate", {"requests": asked}, who=who, parent=name)
    wrong = [{"parent": "notes/x", "permission": {**email, **writer}}]
    call("permissions.batchCreate", {"requests": wrong}, parent=made["name"])
    call(
        "permissions.batchCreate", {"requests": [{"permission": email | writer}]}, parent="notes/n"
    )
    told = [each["name"] for each in call("get", name="notes/p")["permissions"]]
    for who, names in (
        (ANN, told[:1]), (ANN, [told[1], told[0]]), (ANN, ["notes/p/permissions/9", told[0]]),
        (BO, told[1:2]), (CY, told[1:2]), (ANN, told[1:2]), (ANN, []), (ANN, ["notes/n/x/y"]),
    ):  # fmt: skip
        call("permissions.batchDelete", {"names": names}, who=who, parent="notes/p")
    for name in ("notes/p", made["name"], "notes/n", "notes/none"):
        for who in (CY, BO, ANN):
            call("delete", who=who, name=name)
    return call


def test_every_answer_is_told_in_whole() -> None:
    check(__file__, scenario())
