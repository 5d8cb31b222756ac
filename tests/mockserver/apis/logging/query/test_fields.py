import pytest

from mockserver.apis.logging.query.values import MISSING, Field, find_field, getter
from mockserver.googleapi import ApiError

ROW = {
    "logName": "projects/p/logs/x",
    "labels": {"k8s-pod/app": "cart", "a.b": "c"},
    "resource": {"type": "global", "labels": {"zone": "b"}},
    "jsonPayload": {"a": {"b": 3}, "list": [{"n": 1}, {"n": 2}, {}], "none": None},
}


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (("severity",), Field(("severity",), "severity")),
        (("LOGNAME",), Field(("logName",), "text")),
        (("http_request", "requestUrl"), Field(("httpRequest", "requestUrl"), "text")),
        (("resource",), Field(("resource",), "message")),
        (("resource", "labels", "zone"), Field(("resource", "labels", "zone"), "text")),
        (("labels", "a", "b"), Field(("labels", "a.b"), "text")),
        (("labels",), Field(("labels",), "labels")),
        (("jsonPayload", "a", "b"), Field(("jsonPayload", "a", "b"), "free")),
    ],
    ids=repr,
)
def test_a_path_finds_its_field(path: tuple[str, ...], field: Field) -> None:
    assert find_field(path) == field


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (("thud",), "Unparseable filter: Field not found: 'thud'."),
        (
            ("jsonpayloads", "x"),
            "Unparseable filter: Field not found: 'jsonpayloads.x'. Did you mean 'jsonPayload'?",
        ),
        (("operation", "thud"), "Unparseable filter: Field not found: 'operation.thud'."),
        (("textPayload", "thud"), "Unparseable filter: Field not found: 'textPayload.thud'."),
    ],
    ids=repr,
)
def test_an_unknown_field_is_not_found(path: tuple[str, ...], said: str) -> None:
    with pytest.raises(ApiError) as caught:
        find_field(path)
    assert caught.value.message == said


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("logName",), "projects/p/logs/x"),
        (("labels", "k8s-pod/app"), "cart"),
        (("labels", "a", "b"), "c"),
        (("resource", "labels", "zone"), "b"),
        (("jsonPayload", "a", "b"), 3),
        (("jsonPayload", "none"), None),
        (("jsonPayload", "list", "n"), [1, 2]),
        (("jsonPayload", "list", "m"), MISSING),
        (("jsonPayload", "a", "b", "c"), MISSING),
        (("labels", "other"), MISSING),
        (("operation", "id"), MISSING),
        (("trace",), MISSING),
    ],
    ids=repr,
)
def test_a_field_is_found_in_an_entry(path: tuple[str, ...], value: object) -> None:
    assert getter(find_field(path))(ROW) == value


def test_a_list_of_messages_stands_for_each() -> None:
    get = getter(find_field(("errorGroups", "id")))
    assert get({"errorGroups": [{"id": "a"}, {"id": "b"}]}) == ["a", "b"]
