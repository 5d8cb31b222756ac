"""An address book and its groups, with every answer in whole."""

from typing import Any

from mockserver.model import JsonObject
from tests.mockserver.apis.scenarios import Scenario, check
from tests.mockserver.apis.workspace import BO, Workspace


def person(given: str, family: str = "", **more: Any) -> JsonObject:
    return {"names": [{"givenName": given, "familyName": family}], **more}


RESOURCES: JsonObject = {
    "people": [
        {"resourceName": "people/c1", **person("Cy", "Young"), "nicknames": [{"value": "Sly"}],
         "emailAddresses": [{"value": "cy@example.net"}, {"value": "cy.young@example.org"}],
         "memberships": [
             {"contactGroupMembership": {"contactGroupResourceName": "contactGroups/g"}}
         ]},
        {"resourceName": "people/c2", "names": [{"unstructuredName": "Dr. No"}], "urls": ["x"],
         "organizations": [{"name": "Spectre", "title": "Head"}],
         "metadata": {"objectType": "PAGE"}},
    ],
    "connections": [{"resourceName": "people/k1", **person("Ann", "Other")}],
    "otherContacts": [
        {"resourceName": "otherContacts/o1", **person("Met", "Once"), "birthdays": [{"text": "x"}],
         "phoneNumbers": [{"value": "+41 44 000"}]}
    ],
    "contactGroups": [{"resourceName": "contactGroups/g", "name": "Friends of Cy"}],
}  # fmt: skip
FIELDS = {"personFields": "names,emailAddresses,memberships,metadata"}
COPY = "copyOtherContactToMyContactsGroup"
NAMES = {"readMask": "names, metadata"}
DIRECTORY = {**NAMES, "sources": ["DIRECTORY_SOURCE_TYPE_DOMAIN_PROFILE"]}


def scenario() -> Scenario:
    space = Workspace("people", **{"people:v1": RESOURCES})
    organizations = [{"name": "Shop", "title": "Cook", "primary": True}, {"department": "Bar"}]
    user = {**space.world.table("users").rows()["1"], "organizations": organizations}
    space.world.put("users", "1", user)

    def ask(method: str, body: Any, who: str, /, **params: Any) -> Any:
        return space.ask("people:v1", f"people.{method}", body, who, **params)

    call = Scenario(ask)
    _read(call)
    _write(call)
    _group(call)
    return call


def _read(call: Scenario) -> None:
    for name in ("people/c1", "people/c2", "people/k1", "people/me", "people/1", "people/none"):
        call("people.get", resourceName=name, **FIELDS)
    call("people.get", resourceName="people/1", personFields="person.organizations,etag")
    call("people.get", who=BO, resourceName="people/me", personFields="names")
    call("people.get", who="job@p.iam.gserviceaccount.com", resourceName="people/me", **FIELDS)
    call("people.get", resourceName="people/c1")
    call("people.get", **{"resourceName": "people/c1", "requestMask.includeField": "person.names"})
    several = ["people/c1", "people/none", "people/2"]
    call("people.getBatchGet", resourceNames=several, **FIELDS)
    call("people.getBatchGet", resourceNames=several)
    for query in ("cy", "SLY", "spectre", "head", "young", "cy.y", "o", " ", "zz"):
        call("people.searchContacts", query=query, **NAMES)
    call("people.searchContacts", query="c", pageSize=1, **NAMES)
    call("people.searchContacts", query="c")
    call("otherContacts.search", query="met", readMask="names,phoneNumbers,birthdays")
    for method in ("people.listDirectoryPeople", "people.searchDirectoryPeople"):
        call(method, query="b", **DIRECTORY)
        call(method, query="b", **NAMES)
        call(method, query="cook", **{**DIRECTORY, "readMask": "organizations"})
    for order in ("FIRST_NAME_ASCENDING", "LAST_NAME_ASCENDING", "LAST_MODIFIED_ASCENDING"):
        call("people.connections.list", resourceName="people/me", sortOrder=order, **FIELDS)
    few = {"resourceName": "people/me", "pageSize": 2, **FIELDS}
    token = call("people.connections.list", **few)["nextPageToken"]
    call("people.connections.list", pageToken=token, **few)
    call("otherContacts.list", readMask="names,emailAddresses,phoneNumbers,metadata")
    call("otherContacts.list")


def _write(call: Scenario) -> None:
    everything = {"requestSyncToken": True, **FIELDS}
    token = call("people.connections.list", **everything)["nextSyncToken"]
    made = call("people.createContact", {**person("Di", "Doe"), "etag": "x", "metadata": {"a": 1}})
    call("people.createContact", person("", "Only"), personFields="names")
    call("people.createContact", {"names": [{"unstructuredName": "Sir Bors"}], "memberships": []})
    where = {"resourceName": made["resourceName"]}
    for change, mask in (
        ({"nicknames": [{"value": "Dee"}], "etag": made["etag"]}, "nicknames"),
        ({"etag": made["etag"]}, "names"), ({}, "names"), ({"etag": made["etag"]}, ""),
    ):  # fmt: skip
        params = {"updatePersonFields": mask} if mask else {}
        now = call("people.updateContact", {**made, **change}, **where, **params)
        if "names" in now:
            made = {**now, "names": [{**now["names"][0], "familyName": "Roe"}]}
    del made["etag"]
    call("people.updateContact", made, **where, updatePersonFields="names")
    current = call("people.get", **where, personFields="names")
    gone = {"etag": current["etag"]}
    call("people.updateContact", gone, **where, updatePersonFields="nicknames, names", **FIELDS)
    call("people.updateContact", gone, resourceName="people/none", updatePersonFields="names")
    call("people.batchCreateContacts", {"contacts": [{"contactPerson": person("Ed")}, {}]})
    old = call("people.get", resourceName="people/k1", personFields="names")
    renamed = {"etag": old["etag"], **person("Anna")}
    call("people.batchUpdateContacts", {"contacts": {"people/k1": renamed}, "updateMask": "names"})
    call("people.batchUpdateContacts", {"contacts": {"people/k1": renamed}})
    call("people.batchDeleteContacts", {"resourceNames": ["people/k1"]})
    call("people.batchDeleteContacts", {"resourceNames": ["people/k1"]})
    call("people.deleteContact", resourceName="people/c2")
    call("people.deleteContact", resourceName="people/c2")
    call("people.connections.list", syncToken=token, **FIELDS)
    call("people.connections.list", syncToken=token, pageSize=2, **FIELDS)
    call("people.connections.list", syncToken="old", **FIELDS)
    call("people.listDirectoryPeople", syncToken=token, **DIRECTORY)
    for mask in ("names, phoneNumbers", "", "names,birthdays"):
        call(f"otherContacts.{COPY}", {"copyMask": mask}, resourceName="otherContacts/o1")
    call(f"otherContacts.{COPY}", {}, resourceName="otherContacts/none")


def _group(call: Scenario) -> None:
    call("contactGroups.list")
    call("contactGroups.list", pageSize=2)
    call("contactGroups.list", syncToken="x")
    for ident in ("g", "myContacts", "none"):
        name = f"contactGroups/{ident}"
        call("contactGroups.get", resourceName=name)
        call("contactGroups.update", {"contactGroup": {"name": "New"}}, resourceName=name)
        call("contactGroups.update", {"contactGroup": {}}, resourceName=name)
        call("contactGroups.delete", resourceName=name)
    made = call("contactGroups.create", {"contactGroup": {"name": "Team"}})
    call("contactGroups.create", {})
    call(
        "contactGroups.update",
        {"contactGroup": {"name": "A team"}},
        resourceName=made["resourceName"],
    )
    call("contactGroups.list", pageToken="", pageSize=1000)


def test_an_address_book_goes_as_it_was_written_down() -> None:
    check(__file__, scenario())
