"""Contacts: made, found, changed and deleted; people of the Directory; groups."""

from collections.abc import Callable
from typing import Any

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.workspace import ANN, Workspace

Ask = Callable[..., Any]
CY: JsonObject = {
    "resourceName": "people/c1",
    "names": [{"displayName": "Cy Young", "givenName": "Cy", "familyName": "Young"}],
    "emailAddresses": [{"value": "cy@example.net"}],
}
DI: JsonObject = {
    "names": [{"givenName": "Di", "familyName": "Doe"}],
    "emailAddresses": [{"value": "di@example.net"}],
}
FIELDS = {"personFields": "names,emailAddresses"}
DIRECTORY = {"readMask": "names", "sources": ["DIRECTORY_SOURCE_TYPE_DOMAIN_PROFILE"]}


@pytest.fixture
def call() -> Ask:
    space = Workspace("people", **{"people:v1": {"people": [CY]}})

    def answer(name: str, body: Any = None, **params: Any) -> Any:
        return space.ask("people:v1", f"people.{name}", body, **params)

    return answer


def names(people: list[Any]) -> list[str]:
    return [each["names"][0]["displayName"] for each in people]


def test_a_contact_is_made_found_changed_and_deleted(call: Ask) -> None:
    made = call("people.createContact", DI)
    listed = call("people.connections.list", resourceName="people/me", **FIELDS)
    assert (sorted(names(listed["connections"])), listed["totalItems"]) == (
        ["Cy Young", "Di Doe"], 2,
    )  # fmt: skip
    for query, found in (("di", ["Di Doe"]), ("YOUNG", ["Cy Young"]), ("x", []), ("", [])):
        results = call("people.searchContacts", query=query, readMask="names").get("results", [])
        assert names([each["person"] for each in results]) == found
    name = {"resourceName": made["resourceName"]}
    read = call("people.get", **name, **FIELDS)
    changed = {**read, "names": [{**read["names"][0], "familyName": "Roe"}]}
    after = call("people.updateContact", changed, **name, updatePersonFields="names")
    assert (names([after]), after["emailAddresses"][0]["value"]) == (["Di Roe"], "di@example.net")
    with pytest.raises(ApiError, match="different than the current"):
        call("people.updateContact", changed, **name, updatePersonFields="names")
    call("people.deleteContact", **name)
    several = ["people/c1", made["resourceName"]]
    got = call("people.getBatchGet", resourceNames=several, **FIELDS)["responses"]
    assert [each["httpStatusCode"] for each in got] == [200, 404]


def test_several_contacts_are_changed_at_once(call: Ask) -> None:
    made = call("people.batchCreateContacts", {"contacts": [{"contactPerson": DI}] * 2})
    new = {"emailAddresses": [{"value": "new@example.net"}]}
    every = [each["person"] for each in made["createdPeople"]]
    people = {each["resourceName"]: {**each, **new} for each in every}
    body = {"contacts": people, "updateMask": "emailAddresses"}
    done = call("people.batchUpdateContacts", body)["updateResult"]
    assert {each["person"]["emailAddresses"][0]["value"] for each in done.values()} == {
        "new@example.net"
    }
    call("people.batchDeleteContacts", {"resourceNames": [*people]})
    listed = call("people.connections.list", resourceName="people/me", **FIELDS)
    assert names(listed["connections"]) == ["Cy Young"]


def test_users_of_the_directory_are_people(call: Ask) -> None:
    me = call("people.get", resourceName="people/me", **FIELDS)
    assert me["emailAddresses"][0]["value"] == ANN
    assert len(call("people.listDirectoryPeople", **DIRECTORY)["people"]) == 3
    found = call("people.searchDirectoryPeople", query="bo", **DIRECTORY)["people"]
    assert names(found) == ["Bo Example"]
    assert call("people.get", resourceName=found[0]["resourceName"], **FIELDS)["names"]


def test_a_user_tells_where_he_works() -> None:
    space = Workspace("people", **{"people:v1": {}})
    work = {"title": "Clerk", "department": "Sales", "primary": True, "type": "work"}
    space.world.put("users", "0", {"id": "0", "primaryEmail": ANN, "organizations": [work]})
    asked = {"resourceName": "people/me", "personFields": "organizations"}
    (told,) = space.ask("people:v1", "people.people.get", **asked)["organizations"]
    assert (told["title"], told["department"], told["metadata"]["primary"]) == (
        "Clerk", "Sales", True,
    )  # fmt: skip


def test_groups_are_kept_and_counted(call: Ask) -> None:
    made = call("contactGroups.create", {"contactGroup": {"name": "Friends"}})
    call("people.createContact", DI)
    name = {"resourceName": made["resourceName"]}
    call("contactGroups.update", {"contactGroup": {"name": "Pals"}}, **name)
    listed = call("contactGroups.list")["contactGroups"]
    assert {each["name"]: each["memberCount"] for each in listed}["myContacts"] == 1
    assert call("contactGroups.get", **name)["formattedName"] == "Pals"
    call("contactGroups.delete", **name)
    with pytest.raises(ApiError, match="not found"):
        call("contactGroups.get", **name)


@pytest.mark.parametrize(
    ("method", "body", "params", "words"),
    [
        ("people.get", {}, {"resourceName": "people/c1"}, "personFields mask is required"),
        ("people.get", {}, {"resourceName": "people/c9", **FIELDS}, "not found"),
        ("people.updateContact", DI, {"resourceName": "people/c1"}, "updatePersonFields"),
        (
            "people.updateContact",
            DI,
            {"resourceName": "people/c1", "updatePersonFields": "names"},
            "must set person.etag",
        ),
        ("people.deleteContact", {}, {"resourceName": "people/c9"}, "not found"),
        ("people.connections.list", {}, {"syncToken": "x", **FIELDS}, "Sync token"),
        ("people.connections.list", {}, {"sortOrder": "LAST_MODIFIED_ASCENDING"}, "not emulated"),
        ("people.listDirectoryPeople", {}, {"readMask": "names"}, "sources"),
        ("contactGroups.create", {}, {}, "name is required"),
        ("contactGroups.list", {}, {"syncToken": "x"}, "Sync token"),
        ("contactGroups.delete", {}, {"resourceName": "contactGroups/starred"}, "System"),
    ],
)
def test_what_cannot_be_is_refused(
    call: Ask, method: str, body: JsonObject, params: JsonObject, words: str
) -> None:
    with pytest.raises(ApiError, match=words):
        call(method, body, **params)


def test_people_who_changed_since_a_token_are_told(call: Ask) -> None:
    asked = {"resourceName": "people/me", "requestSyncToken": True, **FIELDS}
    first = call("people.connections.list", **asked, pageSize=1)
    token = first["nextSyncToken"]
    assert call("people.connections.list", **asked, syncToken=token).get("connections") is None
    made = call("people.createContact", DI)["resourceName"]
    call("people.deleteContact", resourceName="people/c1")
    after = call("people.connections.list", **asked, syncToken=token)
    told = {each["resourceName"]: each.get("metadata", {}) for each in after["connections"]}
    assert (told["people/c1"]["deleted"], made in told) == (True, True)
    people = call("people.listDirectoryPeople", requestSyncToken=True, **DIRECTORY)
    for wrong in ("?", people["nextSyncToken"]):
        with pytest.raises(ApiError, match="Sync token is expired"):
            call("people.connections.list", **asked, syncToken=wrong)


def test_people_whom_one_has_met_become_contacts() -> None:
    met = [{**CY, "resourceName": "otherContacts/o1", "urls": [{"value": "https://example.com"}]}]
    space = Workspace("people", **{"people:v1": {"otherContacts": met}})
    mask = {"readMask": "names,emailAddresses,urls"}
    [row] = space.ask("people:v1", "people.otherContacts.list", **mask)["otherContacts"]
    assert (row["resourceName"], names([row]), "urls" in row) == (
        "otherContacts/o1", ["Cy Young"], False,
    )  # fmt: skip
    found = space.ask("people:v1", "people.otherContacts.search", query="cy", **mask)["results"]
    assert names([each["person"] for each in found]) == ["Cy Young"]
    name = {"resourceName": "otherContacts/o1"}
    copy = "people.otherContacts.copyOtherContactToMyContactsGroup"
    made = space.ask("people:v1", copy, {"copyMask": "names"}, **name)
    assert (made["resourceName"].startswith("people/"), names([made])) == (True, ["Cy Young"])
    for body, wrong in (({"copyMask": "urls"}, "o1"), ({"copyMask": "names"}, "o9")):
        with pytest.raises(ApiError):
            space.ask("people:v1", copy, body, resourceName=f"otherContacts/{wrong}")
