import pytest

from mockserver.apis import APIS
from mockserver.drift.documents import Documents
from tests.recordings import DIRECTORY, interaction

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
