import pytest

from mockserver.apis.generic.plans import (
    id_path,
    is_new_operation,
    is_old_operation,
    is_operation,
    list_field,
    properties,
    schema_of,
    wrapped,
)
from tests.discoverydocs import document


@pytest.mark.parametrize(
    ("key", "name", "new", "old"),
    [
        ("run:v2", "GoogleLongrunningOperation", True, False),
        ("compute:v1", "Operation", False, True),
        ("sqladmin:v1", "Operation", False, True),
        ("drive:v3", "File", False, False),
    ],
)
def test_operations_are_told_by_their_fields(key: str, name: str, new: bool, old: bool) -> None:
    found = document(key)
    assert (is_new_operation(found, name), is_old_operation(found, name)) == (new, old)
    assert is_operation(found, name) is (new or old)


@pytest.mark.parametrize(
    ("key", "response", "collection", "field"),
    [
        ("drive:v3", "FileList", "files", ("files", "File")),
        ("compute:v1", "InstanceList", "instances", ("items", "Instance")),
        ("bigquery:v2", "DatasetList", "datasets", ("datasets", "")),
        ("drive:v3", "About", "about", ("", "")),
        ("drive:v3", None, "files", ("", "")),
    ],
    ids=str,
)
def test_the_field_of_a_list_is_found(
    key: str, response: str | None, collection: str, field: tuple[str, str]
) -> None:
    assert list_field(document(key), response, collection) == field


def test_what_holds_an_item_and_what_tells_its_id() -> None:
    pubsub = document("pubsub:v1")
    assert wrapped(pubsub, "UpdateTopicRequest", "Topic") == "topic"
    assert wrapped(pubsub, "PublishRequest", "Topic") == ""
    assert id_path(document("sheets:v4"), "Spreadsheet", "spreadsheetId") == ("spreadsheetId",)
    assert id_path(document("drive:v3"), "About", "x") == ()
    assert schema_of(pubsub, "None") == properties(pubsub, None) == {}
