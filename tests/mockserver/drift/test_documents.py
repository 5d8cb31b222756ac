from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.drift.changes import Tier
from mockserver.drift.documents import Documents, compare_with_documents
from mockserver.drift.surveys import Source
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from tests.recordings import DIRECTORY, JSON, interaction

DOCUMENTS = Documents(APIS)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (f"{DIRECTORY}/users?customer=C0", "directory.users.list"),
        ("https://admin.googleapis.com/nothing/123", "GET admin.googleapis.com/nothing/*"),
        ("https://api.example.com/x", "GET api.example.com/x"),
    ],
    ids=["method", "no method", "no Google host"],
)
def test_calls_are_named_by_the_documents(url: str, name: str) -> None:
    assert DOCUMENTS.name(interaction(url)) == name


def test_the_revision_of_a_document_is_that_of_the_installed_one() -> None:
    assert DOCUMENTS.revision("admin:directory_v1").isdigit()
    assert (DOCUMENTS.revision("none:v1"), DOCUMENTS.revision("none")) == ("", "")


def test_methods_that_answer_with_a_resource_are_found_with_the_path() -> None:
    places = DOCUMENTS.answers_with("users")
    assert places["directory.users.list"] == (("users", "*"),)
    assert places["directory.users.get"] == ((),)
    assert "directory.groups.list" not in places
    assert DOCUMENTS.answers_with("dlpRules") == {}


def test_hosts_of_documents_are_known() -> None:
    assert DOCUMENTS.has_host("admin.googleapis.com")
    assert not DOCUMENTS.has_host("api.example.com")


USERS = f"{DIRECTORY}/users"


def found(*interactions: Interaction, **revisions: str) -> list[tuple[Tier, str, str, str]]:
    info = CassetteInfo(revisions={"admin:directory_v1": revisions["admin"]} if revisions else {})
    source = Source("a.yaml", cassette=Cassette("a.yaml", interactions, info))
    return [
        (each.tier, each.subject, each.path, each.message)
        for each in compare_with_documents(source, DOCUMENTS)
    ]


def test_a_recording_of_the_installed_documents_has_no_drift() -> None:
    url = f"{USERS}?customer=my_customer&maxResults=5"
    call = interaction(url, {"users": [{"primaryEmail": "a@example.com"}]})
    assert found(call, admin=DOCUMENTS.revision("admin:directory_v1")) == []


def test_another_revision_is_told_and_breaks_nothing() -> None:
    ((tier, subject, _, message),) = found(admin="20200101")
    assert (tier, subject) == (Tier.COUNT, "admin:directory_v1")
    assert message.startswith("recorded with revision 20200101; installed is 2")


@pytest.mark.parametrize(
    ("user", "tier", "path"),
    [
        ({"primaryMail": "x"}, Tier.REMOVED, "/users/*/primaryMail"),
        ({"suspended": "no"}, Tier.TYPE, "/users/*/suspended"),
    ],
    ids=["field", "type"],
)
def test_answers_are_held_against_the_schema(user: Any, tier: Tier, path: str) -> None:
    call = interaction(f"{USERS}?customer=my_customer", {"users": [user, user]})
    ((found_tier, subject, found_path, _),) = found(call)
    assert (found_tier, subject, found_path) == (tier, "directory.users.list", path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (interaction(f"{USERS}?wrong=1&customer=C0"), "would be refused now"),
        (interaction(USERS, verb="POST", body={"nam": 1}), "would be refused now"),
        (interaction(f"{DIRECTORY}/none/1"), "no installed document of admin.googleapis.com has"),
    ],
    ids=["parameter", "body", "method"],
)
def test_requests_are_held_against_the_method(call: Interaction, message: str) -> None:
    tiers, messages = zip(*((each[0], each[3]) for each in found(call)), strict=True)
    assert tiers == (Tier.REMOVED,)
    assert message in messages[0]


def test_failed_calls_and_other_hosts_are_left_alone() -> None:
    failed = interaction(f"{USERS}?wrong=1", {"error": {"x": 1}}, status=400)
    assert found(failed, interaction("https://api.example.com/x", {"y": 1})) == []


def test_what_says_that_it_is_json_and_is_not_is_a_change_of_type() -> None:
    broken = Interaction(
        RecordedRequest("POST", USERS, (JSON,), b"{"), RecordedResponse(200, "", (JSON,), b"{")
    )
    assert [each[3] for each in found(broken)] == [
        "the body of the request is not JSON",
        "an answer says that it is JSON, and is not",
    ]


def test_snapshots_are_held_against_the_schemas_of_their_collections() -> None:
    """CEPR-29: the fields of fixtures are those of the live API."""
    raw = {"orgUnits": [{"name": "a", "color": "x"}, {"color": "y"}], "dlpRules": [{"any": 1}]}
    (change,) = compare_with_documents(Source("x", snapshot=raw), DOCUMENTS)
    assert (change.tier, change.subject, change.path) == (Tier.REMOVED, "orgUnits", "/color")
